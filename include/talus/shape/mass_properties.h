#pragma once
// Mass, centre of mass and inertia of a shape of uniform density, and what a body needs to use its
// centre of mass and principal axes as its frame.

#include "talus/core/transform.h"
#include "talus/shape/shape.h"

namespace talus {

struct MassProperties {
  double mass = 0; ///< kg.
  Vec3 centre;     ///< Centre of mass in the shape frame.
  Mat3 inertia;    ///< About the centre of mass, in the axes of the shape frame, kg m².
};

/// For a density in kg/m³. The children of a compound add up, overlaps count twice. Throws
/// InvalidArgument for a density that is not positive and finite, and for shapes without a finite
/// volume: half-spaces, height fields, open meshes.
MassProperties mass_properties(const Shape& shape, double density);

/// The same body scaled to the total mass given.
MassProperties with_mass(MassProperties properties, double mass);

/// Properties of the shape moved by `pose`, in the parent's frame.
MassProperties transformed(const MassProperties& properties, const Transform& pose);

/// Of both bodies together, in the same frame.
MassProperties combined(const MassProperties& a, const MassProperties& b);

/// Eigen decomposition of a symmetric matrix: A = R diag(values) Rᵀ with R a rotation, by cyclic
/// Jacobi rotations; accurate to the last few bits. A diagonal matrix keeps its axes (R = 1).
struct SymmetricEigen {
  Vec3 values;
  Quaternion axes;
};
SymmetricEigen symmetric_eigen(const Mat3& matrix);

/// A body frame at the centre of mass with axes along the principal axes of inertia.
struct PrincipalFrame {
  Vec3 moments;            ///< Principal moments about the body's x, y, z.
  Transform body_in_shape; ///< From body coordinates to shape coordinates.
  Transform shape_in_body; ///< Its inverse: the collider's pose on the body.
};
PrincipalFrame principal_frame(const MassProperties& properties);

} // namespace talus
