#pragma once
// The radius R* of Hertz' law at a contact, from the curvature of the two surfaces.
//
// Each surface has a curvature tensor in the tangent plane: that of a sphere, of a capsule, of the
// side of a cylinder, of an ellipsoid at its point, and 0 on all that is flat. Edges and corners
// have no radius and count as flat. With the principal curvatures k₁, k₂ of the sum of the two,
//
//     R* = 1 / √(k₁ k₂),   k₁, k₂ ≥ 1 / (4 R_b),
//
// where R_b is the smaller bounding radius of the two bodies. For two spheres 1/R* = 1/R₁ + 1/R₂.
// Where k₁ ≠ k₂ the area of contact is an ellipse. Hertz' overlap is then that of this R* times a
// factor that is left out here: 0.96 for k₁ = 5 k₂ and 0.93 for k₁ = 10 k₂ (K. L. Johnson, Contact
// Mechanics, 1985, section 4.2).

#include "talus/collide/contact_point.h"
#include "talus/core/transform.h"
#include "talus/shape/shape.h"
#include "talus/world/world.h"

namespace talus {

/// The curvature tensor of a shape at a place of its surface, in world axes: d n = K d x, 0 along
/// the normal (1/m). `normal` points out of the shape, `child` is its child where it is a compound.
Mat3 surface_curvature(const Shape& shape, const Transform& pose, Index child, const Vec3& point,
                       const Vec3& normal);

/// R* from the sum of two curvature tensors. A bounding radius of 0 is not known and limits
/// nothing.
double contact_radius(const Mat3& curvature, const Vec3& normal, double bounding_radius);

/// R* of a contact between two bodies' shapes of these numbers.
double contact_radius(const World& world, const ContactPoint& contact, Index shape_a, Index shape_b,
                      double bounding_radius);

} // namespace talus
