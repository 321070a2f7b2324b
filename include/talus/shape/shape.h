#pragma once
// Shapes: immutable geometry in a frame of its own, shared between bodies. Lengths in metres.
//
// The primitives are centred at the origin of the shape frame; capsule and cylinder lie along z.
// Hulls, meshes, height fields and compounds have the frame they were given, which need not be at
// the centre of mass (see mass_properties.h for recentring). Make shapes with the make_ functions:
// they check their arguments and throw InvalidArgument, so that a Shape that exists is sound.

#include "talus/core/transform.h"
#include "talus/shape/bounds.h"
#include "talus/shape/polyhedron.h"
#include "talus/shape/triangle_mesh.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace talus {

struct Shape;
using ShapePtr = std::shared_ptr<const Shape>;

struct Sphere {
  double radius = 0;
};
/// |x_i| ≤ half_extents_i.
struct Box {
  Vec3 half_extents;
  Polyhedron surface;
};
/// Points within `radius` of the segment from -half_length e_z to +half_length e_z.
struct Capsule {
  double radius = 0, half_length = 0;
};
/// x² + y² ≤ radius², |z| ≤ half_length.
struct Cylinder {
  double radius = 0, half_length = 0;
};
/// Σ (x_i / radii_i)² ≤ 1.
struct Ellipsoid {
  Vec3 radii;
};
/// normal · x ≤ offset: solid below the plane, the unit normal points out of it.
struct HalfSpace {
  Vec3 normal{0, 0, 1};
  double offset = 0;
};
struct ConvexHull {
  Polyhedron surface;
};
/// z = height(i, j) over the points (i spacing_x, j spacing_y), solid for `thickness` below the
/// lowest point. Each cell is two triangles, cut along the diagonal from (i, j) to (i + 1, j + 1).
struct HeightField {
  Index columns = 0, rows = 0; ///< Samples along x and along y, at least 2 each.
  double spacing_x = 1, spacing_y = 1;
  std::vector<double> heights; ///< columns · rows of them, x fastest.
  double lowest = 0, highest = 0;
  double thickness = 0; ///< Half the shorter side plus the relief.

  double height(Index i, Index j) const {
    return heights[static_cast<std::size_t>(j) * columns + i];
  }
  Vec3 point(Index i, Index j) const { return {i * spacing_x, j * spacing_y, height(i, j)}; }
};
/// Volume, centroid and inertia of a solid of density 1.
struct SolidMoments {
  double volume = 0; ///< m³.
  Vec3 centre;
  Mat3 inertia;            ///< About the centroid, m⁵.
  double sum_of_parts = 0; ///< The volumes of the parts, overlaps counted twice.
  /// An estimate of the relative error of the volume; 0 where everything was in closed form.
  double error = 0;
};
/// Union of placed shapes. Children may overlap; their masses then add up, but for a clump.
struct Compound {
  struct Child {
    ShapePtr shape;
    Transform pose; ///< From the child's frame to the compound's.
  };
  std::vector<Child> children;       ///< None of them a compound: nested ones are flattened.
  std::optional<SolidMoments> solid; ///< Of a clump: the moments of the union.
};

struct Shape {
  std::variant<Sphere, Box, Capsule, Cylinder, Ellipsoid, HalfSpace, ConvexHull, TriangleMesh,
               HeightField, Compound>
      geometry;
};

/// The kind of a shape, in the order of the variant.
enum class ShapeKind : std::uint8_t {
  sphere,
  box,
  capsule,
  cylinder,
  ellipsoid,
  half_space,
  convex_hull,
  triangle_mesh,
  height_field,
  compound
};
inline ShapeKind kind_of(const Shape& shape) {
  return static_cast<ShapeKind>(shape.geometry.index());
}
/// "sphere", "box", ...
std::string_view name_of(ShapeKind kind);

ShapePtr make_sphere(double radius);
ShapePtr make_box(const Vec3& half_extents);
ShapePtr make_capsule(double radius, double half_length);
ShapePtr make_cylinder(double radius, double half_length);
ShapePtr make_ellipsoid(const Vec3& radii);
/// The normal need not be of unit length; the plane is normal · x = offset |normal|.
ShapePtr make_half_space(const Vec3& normal, double offset = 0);
ShapePtr make_convex_hull(const std::vector<Vec3>& points);
ShapePtr make_triangle_mesh(std::vector<Vec3> vertices, std::vector<Triangle> triangles);
ShapePtr make_triangle_mesh(TriangleMesh mesh);
ShapePtr make_height_field(Index columns, Index rows, double spacing_x, double spacing_y,
                           std::vector<double> heights);
ShapePtr make_compound(const std::vector<Compound::Child>& children);
/// A compound with the mass properties of the union of its children, which may overlap. Exact for
/// spheres of which no three have a point in common; otherwise by an integral over rays along z on
/// a grid, whose error SolidMoments::error tells (shape/clump.cpp). Throws InvalidArgument for
/// children without a volume.
ShapePtr make_clump(const std::vector<Compound::Child>& children);
/// The same with moments that are known, of children that approximate another solid.
ShapePtr make_clump(const std::vector<Compound::Child>& children, SolidMoments moments);

/// Bounding box of the shape at a pose: tight for convex bodies, the turned local box for meshes
/// and height fields. Half-spaces and compounds with one have infinite bounds.
Bounds bounds_of(const Shape& shape, const Transform& pose);

/// True for sphere, box, capsule, cylinder, ellipsoid and convex hull.
bool is_convex_body(ShapeKind kind);

/// A point of the convex body that is farthest along `direction`, both in the shape frame. Throws
/// InvalidArgument for other kinds. The direction need not be of unit length.
Vec3 support_point(const Shape& shape, const Vec3& direction);

} // namespace talus
