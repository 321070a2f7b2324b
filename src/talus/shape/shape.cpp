#include "talus/shape/shape.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/shape/clump.h"
#include "talus/shape/require_positive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus {
namespace {

void require_finite_pose(const Transform& pose, std::size_t child) {
  if (!is_finite(pose) || std::abs(norm(pose.rotation) - 1) > 1e-6) {
    throw InvalidArgument(
        fmt::format("compound: the pose of child {} must be finite with a unit quaternion", child));
  }
}

template <class Geometry>
ShapePtr share(Geometry&& geometry) {
  return std::make_shared<const Shape>(Shape{std::forward<Geometry>(geometry)});
}

Bounds around(const Vec3& centre, const Vec3& half) {
  return {centre - half, centre + half};
}

Vec3 abs_times(const Mat3& r, const Vec3& h) {
  Vec3 e;
  for (int i = 0; i < 3; ++i) {
    e[i] = std::abs(r(i, 0)) * h.x + std::abs(r(i, 1)) * h.y + std::abs(r(i, 2)) * h.z;
  }
  return e;
}

Bounds moved(const Bounds& local, const Transform& pose) {
  const Vec3 half = abs_times(rotation_matrix(pose.rotation), 0.5 * local.extents());
  return around(pose(local.centre()), half);
}

struct BoundsVisitor {
  const Transform& pose;

  Bounds operator()(const Sphere& s) const {
    return around(pose.position, {s.radius, s.radius, s.radius});
  }
  Bounds operator()(const Box& s) const {
    return around(pose.position, abs_times(rotation_matrix(pose.rotation), s.half_extents));
  }
  Bounds operator()(const Capsule& s) const {
    const Vec3 a = rotate(pose.rotation, {0, 0, s.half_length});
    const Vec3 r{s.radius, s.radius, s.radius};
    return around(pose.position, r + Vec3{std::abs(a.x), std::abs(a.y), std::abs(a.z)});
  }
  Bounds operator()(const Cylinder& s) const {
    const Vec3 a = rotate(pose.rotation, {0, 0, 1});
    Vec3 half;
    for (int i = 0; i < 3; ++i) {
      half[i] =
          s.half_length * std::abs(a[i]) + s.radius * std::sqrt(std::max(0.0, 1 - a[i] * a[i]));
    }
    return around(pose.position, half);
  }
  Bounds operator()(const Ellipsoid& s) const {
    const Mat3 r = rotation_matrix(pose.rotation);
    Vec3 half;
    for (int i = 0; i < 3; ++i) {
      const Vec3 row = r.row(i);
      half[i] = norm(Vec3{row.x * s.radii.x, row.y * s.radii.y, row.z * s.radii.z});
    }
    return around(pose.position, half);
  }
  Bounds operator()(const HalfSpace&) const { return Bounds::everything(); }
  Bounds operator()(const ConvexHull& s) const {
    const Mat3 r = rotation_matrix(pose.rotation);
    Bounds b;
    for (const Vec3& v : s.surface.vertices) b.include(r * v + pose.position);
    return b;
  }
  Bounds operator()(const TriangleMesh& s) const { return moved(s.tree.front().bounds, pose); }
  Bounds operator()(const HeightField& s) const {
    const Bounds local{{0, 0, s.lowest - s.thickness},
                       {(s.columns - 1) * s.spacing_x, (s.rows - 1) * s.spacing_y, s.highest}};
    return moved(local, pose);
  }
  Bounds operator()(const Compound& s) const {
    Bounds b;
    for (const auto& child : s.children) b.include(bounds_of(*child.shape, pose * child.pose));
    return b;
  }
};

struct SupportVisitor {
  const Vec3& d;

  Vec3 operator()(const Sphere& s) const {
    const double length = norm(d);
    return length > 0 ? (s.radius / length) * d : Vec3{s.radius, 0, 0};
  }
  Vec3 operator()(const Box& s) const {
    return {std::copysign(s.half_extents.x, d.x), std::copysign(s.half_extents.y, d.y),
            std::copysign(s.half_extents.z, d.z)};
  }
  Vec3 operator()(const Capsule& s) const {
    return (*this)(Sphere{s.radius}) + Vec3{0, 0, std::copysign(s.half_length, d.z)};
  }
  Vec3 operator()(const Cylinder& s) const {
    const double radial = hypotenuse(d.x, d.y);
    const double z = std::copysign(s.half_length, d.z);
    if (radial == 0) return {s.radius, 0, z};
    return {s.radius * d.x / radial, s.radius * d.y / radial, z};
  }
  Vec3 operator()(const Ellipsoid& s) const {
    const Vec3 scaled{s.radii.x * d.x, s.radii.y * d.y, s.radii.z * d.z};
    const double length = norm(scaled);
    if (length == 0) return {s.radii.x, 0, 0};
    return Vec3{s.radii.x * scaled.x, s.radii.y * scaled.y, s.radii.z * scaled.z} / length;
  }
  Vec3 operator()(const ConvexHull& s) const {
    return *std::max_element(
        s.surface.vertices.begin(), s.surface.vertices.end(),
        [this](const Vec3& a, const Vec3& b) { return dot(a, d) < dot(b, d); });
  }
  template <class Other>
  Vec3 operator()(const Other& s) const {
    throw InvalidArgument(
        fmt::format("support_point: a {} is not a convex body", name_of(kind_of(Shape{s}))));
  }
};

} // namespace

std::string_view name_of(ShapeKind kind) {
  static constexpr std::string_view names[] = {
      "sphere",     "box",         "capsule",       "cylinder",     "ellipsoid",
      "half_space", "convex_hull", "triangle_mesh", "height_field", "compound"};
  return names[static_cast<int>(kind)];
}

ShapePtr make_sphere(double radius) {
  require_positive(radius, "sphere", "the radius");
  return share(Sphere{radius});
}

ShapePtr make_box(const Vec3& half_extents) {
  for (int i = 0; i < 3; ++i) require_positive(half_extents[i], "box", "each half extent");
  return share(Box{half_extents, box_polyhedron(half_extents)});
}

ShapePtr make_capsule(double radius, double half_length) {
  require_positive(radius, "capsule", "the radius");
  require_positive(half_length, "capsule", "the half length");
  return share(Capsule{radius, half_length});
}

ShapePtr make_cylinder(double radius, double half_length) {
  require_positive(radius, "cylinder", "the radius");
  require_positive(half_length, "cylinder", "the half length");
  return share(Cylinder{radius, half_length});
}

ShapePtr make_ellipsoid(const Vec3& radii) {
  for (int i = 0; i < 3; ++i) require_positive(radii[i], "ellipsoid", "each radius");
  return share(Ellipsoid{radii});
}

ShapePtr make_half_space(const Vec3& normal, double offset) {
  const double length = norm(normal);
  require_positive(length, "half_space", "the length of the normal");
  if (!std::isfinite(offset)) throw InvalidArgument("half_space: the offset must be finite");
  return share(HalfSpace{normal / length, offset});
}

ShapePtr make_convex_hull(const std::vector<Vec3>& points) {
  return share(ConvexHull{convex_hull_of(points)});
}

ShapePtr make_triangle_mesh(std::vector<Vec3> vertices, std::vector<Triangle> triangles) {
  return share(build_triangle_mesh(std::move(vertices), std::move(triangles)));
}

ShapePtr make_triangle_mesh(TriangleMesh mesh) {
  if (mesh.tree.empty()) {
    throw InvalidArgument("triangle_mesh: make the mesh with build_triangle_mesh or read_mesh");
  }
  return share(std::move(mesh));
}

ShapePtr make_height_field(Index columns, Index rows, double spacing_x, double spacing_y,
                           std::vector<double> heights) {
  if (columns < 2 || rows < 2) {
    throw InvalidArgument(fmt::format(
        "height_field: needs at least 2 columns and 2 rows, not {} and {}", columns, rows));
  }
  require_positive(spacing_x, "height_field", "the spacing along x");
  require_positive(spacing_y, "height_field", "the spacing along y");
  if (heights.size() != static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {
    throw InvalidArgument(
        fmt::format("height_field: {} heights given, {} columns x {} rows need {}", heights.size(),
                    columns, rows, static_cast<std::size_t>(columns) * rows));
  }
  for (double h : heights) {
    if (!std::isfinite(h)) throw InvalidArgument("height_field: every height must be finite");
  }
  HeightField field{columns, rows, spacing_x, spacing_y, std::move(heights), 0, 0, 0};
  const auto [low, high] = std::minmax_element(field.heights.begin(), field.heights.end());
  field.lowest = *low;
  field.highest = *high;
  field.thickness =
      0.5 * std::min((columns - 1) * spacing_x, (rows - 1) * spacing_y) + (*high - *low);
  return share(std::move(field));
}

ShapePtr make_compound(const std::vector<Compound::Child>& children) {
  Compound compound;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const auto& [shape, pose] = children[i];
    if (!shape) throw InvalidArgument(fmt::format("compound: child {} has no shape", i));
    require_finite_pose(pose, i);
    if (const auto* nested = std::get_if<Compound>(&shape->geometry)) {
      for (const auto& c : nested->children) {
        compound.children.push_back({c.shape, pose * c.pose});
      }
    } else {
      compound.children.push_back({shape, pose});
    }
  }
  if (compound.children.empty()) throw InvalidArgument("compound: needs at least one child");
  compound.solid = moments_with_clumps(children);
  return share(std::move(compound));
}

Bounds bounds_of(const Shape& shape, const Transform& pose) {
  return std::visit(BoundsVisitor{pose}, shape.geometry);
}

bool is_convex_body(ShapeKind kind) {
  return kind <= ShapeKind::ellipsoid || kind == ShapeKind::convex_hull;
}

Vec3 support_point(const Shape& shape, const Vec3& direction) {
  return std::visit(SupportVisitor{direction}, shape.geometry);
}

} // namespace talus
