#include "talus/query/distance.h"

#include "talus/collide/convex/epa.h"
#include "talus/collide/convex/gjk.h"
#include "talus/core/error.h"
#include "talus/query/placed_leaf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr double endless = Bounds::inf;

Separation at_distance(double distance) {
  Separation s;
  s.distance = distance;
  return s;
}

Separation reversed(Separation s) {
  std::swap(s.point_a, s.point_b);
  std::swap(s.shape_a, s.shape_b);
  s.normal = -s.normal;
  return s;
}

/// From the cores to the rounded bodies; `origin` is that of their coordinates.
Separation rounded(const ConvexBody& a, const ConvexBody& b, double distance, const Vec3& normal,
                   const Vec3& point_a, const Vec3& point_b, const Vec3& origin) {
  return {distance - a.radius - b.radius, origin + point_a + a.radius * normal,
          origin + point_b - b.radius * normal, normal};
}

/// The direction of a core that is a segment; zero for a point.
Vec3 span_of(const ConvexBody& body) {
  return body.is_polyhedral() && body.vertices.size() == 2 ? body.vertices[1] - body.vertices[0]
                                                           : Vec3{};
}

/// Across both cores, which are points or segments that meet.
Vec3 normal_across(const ConvexBody& a, const ConvexBody& b) {
  const Vec3 u = span_of(a), v = span_of(b), n = cross(u, v);
  if (norm(n) > 1e-12 * norm(u) * norm(v)) return normalized(n);
  const Vec3 along = norm(u) > 0 ? u : v;
  return norm(along) > 0 ? orthogonal_unit(normalized(along)) : Vec3{0, 0, 1};
}

/// Two convex bodies. Where their cores meet, the depth of the overlap follows from EPA; points and
/// segments span no polytope, and come free across both.
Separation convex_separation(const ConvexBody& a, const ConvexBody& b, const Vec3& origin,
                             double limit) {
  const double room = a.radius + b.radius;
  const ClosestPoints near =
      closest_points(a, b, std::isinf(limit) ? limit : std::max(0.0, limit) + room);
  if (near.distance > 0)
    return rounded(a, b, near.distance, near.normal, near.point_a, near.point_b, origin);
  PolytopeScratch scratch;
  const Penetration deep = penetration_depth(a, b, scratch);
  if (std::isinf(deep.separation)) // a flat difference of the cores
    return rounded(a, b, 0, normal_across(a, b), near.point_a, near.point_b, origin);
  return rounded(a, b, deep.separation, deep.normal, deep.point_a, deep.point_b, origin);
}

/// A triangle of a surface and a convex body; 0 where they cross.
Separation surface_separation(const ConvexBody& triangle, const ConvexBody& body,
                              const Vec3& origin, double limit) {
  const ClosestPoints near =
      closest_points(triangle, body, std::isinf(limit) ? limit : limit + body.radius);
  Separation s =
      rounded(triangle, body, near.distance, near.normal, near.point_a, near.point_b, origin);
  if (s.distance > 0) return s;
  return {0, origin + near.point_a, origin + near.point_a, {}};
}

bool is_plane(const QueryLeaf& leaf) {
  return kind_of(*leaf.geometry) == ShapeKind::half_space;
}
bool is_mesh(const QueryLeaf& leaf) {
  return kind_of(*leaf.geometry) == ShapeKind::triangle_mesh;
}

/// Where corners of triangles lie in the world.
struct PlacedMesh {
  const TriangleMesh& mesh;
  const Transform& pose;

  explicit PlacedMesh(const QueryLeaf& leaf)
      : mesh(std::get<TriangleMesh>(leaf.geometry->geometry)), pose(leaf.pose) {}

  /// As a convex body that may have any rounding, seen from `origin`.
  ConvexBody triangle(Index t, const Vec3& origin) const {
    const auto number = static_cast<std::size_t>(t);
    Vec3 corners[3];
    for (std::size_t k = 0; k < 3; ++k)
      corners[k] =
          pose(mesh.vertices[static_cast<std::size_t>(mesh.triangles[number][k])]) - origin;
    ConvexBody body;
    body.place_triangle(corners, rotate(pose.rotation, mesh.normals[number]), names_, names_,
                        names_);
    return body;
  }

private:
  static constexpr Index names_[3] = {0, 1, 2};
};

double gap_between(const Bounds& a, const Bounds& b) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::max({0.0, a.lower[i] - b.upper[i], b.lower[i] - a.upper[i]});
    sum += gap * gap;
  }
  return std::sqrt(sum);
}

/// The lowest point of a shape over a plane.
Separation over_plane(const QueryLeaf& plane, const QueryLeaf& leaf) {
  const auto& half = std::get<HalfSpace>(plane.geometry->geometry);
  const Vec3 normal = rotate(plane.pose.rotation, half.normal);
  Vec3 lowest;
  if (is_mesh(leaf)) {
    const PlacedMesh placed(leaf);
    double least = endless;
    for (const Vec3& vertex : placed.mesh.vertices)
      if (const Vec3 p = leaf.pose(vertex); dot(normal, p) < least)
        least = dot(normal, p), lowest = p;
  } else {
    lowest = leaf.pose(support_point(*leaf.geometry, rotate_back(leaf.pose.rotation, -normal)));
  }
  const double height = dot(normal, lowest - plane.pose.position) - half.offset;
  return {height, lowest - height * normal, lowest, normal};
}

/// Visits the triangles of a mesh whose bounds come within `limit` of a box, both in the frame of
/// the mesh; `limit` may shrink meanwhile.
template <class Visit>
void near_triangles(const TriangleMesh& mesh, const Bounds& box, const double& limit, Visit visit) {
  std::vector<Index> stack = {0};
  while (!stack.empty()) {
    const BoundsNode& node = mesh.tree[static_cast<std::size_t>(stack.back())];
    stack.pop_back();
    if (gap_between(node.bounds, box) > limit) continue;
    if (node.count == 0) {
      // The nearer child is looked at first.
      const bool swapped =
          gap_between(mesh.tree[static_cast<std::size_t>(node.first)].bounds, box) <
          gap_between(mesh.tree[static_cast<std::size_t>(node.first + 1)].bounds, box);
      stack.push_back(swapped ? node.first + 1 : node.first);
      stack.push_back(swapped ? node.first : node.first + 1);
      continue;
    }
    for (Index k = node.first; k < node.first + node.count; ++k)
      visit(mesh.order[static_cast<std::size_t>(k)]);
  }
}

Separation from_mesh(const QueryLeaf& mesh, const QueryLeaf& other, double limit) {
  const PlacedMesh placed(mesh);
  const Vec3 origin = other.bounds.centre();
  const Transform back = inverse(mesh.pose);
  Separation best = at_distance(limit);
  bool found = false;
  const auto keep = [&](const Separation& s) {
    if (found && s.distance >= best.distance) return;
    if (s.distance > best.distance) return;
    best = s;
    found = true;
  };
  const Bounds box = bounds_of(*other.geometry, back * other.pose);
  near_triangles(placed.mesh, box, best.distance, [&](Index t) {
    const ConvexBody triangle = placed.triangle(t, origin);
    if (!is_mesh(other)) {
      ConvexBody body;
      body.place(*other.geometry, other.pose, origin);
      return keep(surface_separation(triangle, body, origin, best.distance));
    }
    const PlacedMesh second(other);
    Bounds corners;
    for (const Vec3& vertex : triangle.vertices)
      corners.include(to_local(other.pose, vertex + origin));
    near_triangles(second.mesh, corners, best.distance, [&](Index u) {
      keep(surface_separation(triangle, second.triangle(u, origin), origin, best.distance));
    });
  });
  if (!found) best.distance = endless;
  return best;
}

/// Of two leaves; infinite when it is above `limit`.
Separation between(const QueryLeaf& a, const QueryLeaf& b, double limit) {
  if (is_plane(a) && is_plane(b))
    throw InvalidArgument("between two half-spaces no distance is smallest");
  if (is_plane(a)) return over_plane(a, b);
  if (is_plane(b)) return reversed(over_plane(b, a));
  if (gap_between(a.bounds, b.bounds) > limit) return at_distance(endless);
  if (is_mesh(a)) return from_mesh(a, b, limit);
  if (is_mesh(b)) return reversed(from_mesh(b, a, limit));
  const Vec3 origin = 0.5 * (a.bounds.centre() + b.bounds.centre());
  ConvexBody first, second;
  first.place(*a.geometry, a.pose, origin);
  second.place(*b.geometry, b.pose, origin);
  return convex_separation(first, second, origin, limit);
}

Separation closest_of(const std::vector<QueryLeaf>& a, const std::vector<QueryLeaf>& b) {
  Separation best = at_distance(endless);
  for (const QueryLeaf& first : a)
    for (const QueryLeaf& second : b) {
      Separation s = between(first, second, best.distance);
      if (!(s.distance < best.distance)) continue;
      s.shape_a = first.shape;
      s.shape_b = second.shape;
      best = s;
    }
  return best;
}

std::vector<QueryLeaf> leaves_of_body(const World& world, Index body) {
  if (body < 0 || body >= world.size())
    throw InvalidArgument(fmt::format("there is no body {}", body));
  std::vector<QueryLeaf> leaves;
  append_leaves(world, body, leaves);
  return leaves;
}

} // namespace

Separation closest(const World& world, Index body_a, Index body_b) {
  const std::vector<QueryLeaf> a = leaves_of_body(world, body_a), b = leaves_of_body(world, body_b);
  if (body_a == body_b) throw InvalidArgument("a distance is between two bodies");
  return closest_of(a, b);
}

Separation closest(const World& world, const Vec3& point, Index body) {
  if (!is_finite(point)) throw InvalidArgument("a point must be finite");
  // A ball of a size that no rounding sees.
  constexpr double tiny = 1e-300;
  const Transform pose{point, {}};
  const ShapePtr speck = make_sphere(tiny);
  const std::vector<QueryLeaf> leaves = {{-1, -1, 1, speck, pose, bounds_of(*speck, pose)}};
  Separation result = closest_of(leaves, leaves_of_body(world, body));
  if (std::isfinite(result.distance)) result.point_a = point;
  return result;
}

} // namespace talus
