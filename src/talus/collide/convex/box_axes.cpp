#include "talus/collide/convex/box_axes.h"

#include <array>
#include <cmath>
#include <limits>

namespace talus {
namespace {

/// Vertices of a box are numbered by the signs of their coordinates, bit k for coordinate k.
using EdgesOfVertices = std::array<std::array<Index, 3>, 8>;

/// The edge from a vertex along each axis. All boxes number their edges alike.
EdgesOfVertices list_edges(const ConvexBody& box) {
  EdgesOfVertices list{};
  for (std::size_t e = 0; e < box.edges.size(); ++e) {
    const auto& v = box.edges[e].vertex;
    const int axis = (v[0] ^ v[1]) >> 1; // bits 1, 2, 4 are axes 0, 1, 2
    for (const Index end : v) list[end][axis] = static_cast<Index>(e);
  }
  return list;
}

/// A box with its axes.
struct BoxAxes {
  explicit BoxAxes(const ConvexBody& b)
      : body(b), axis{b.frame.rotation.column(0), b.frame.rotation.column(1),
                      b.frame.rotation.column(2)} {}

  double extent_along(const Vec3& n) const {
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += body.half_extents[k] * std::abs(dot(n, axis[k]));
    return sum;
  }
  /// The edge along axis `along` that is farthest in direction n.
  Index edge_towards(const Vec3& n, int along) const {
    static const EdgesOfVertices edges = list_edges(body);
    int vertex = 0;
    for (int k = 0; k < 3; ++k)
      if (k != along && dot(n, axis[k]) >= 0) vertex |= 1 << k;
    return edges[vertex][along];
  }

  const ConvexBody& body;
  Vec3 axis[3];
};

/// The face of `owner` from which the other box is farthest; `to_other` is the way between their
/// centres.
bool best_face_of_box(const BoxAxes& owner, const BoxAxes& other, const Vec3& to_other,
                      double limit, Index& face, double& separation) {
  separation = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const double along = dot(to_other, owner.axis[i]);
    const double s =
        std::abs(along) - owner.body.half_extents[i] - other.extent_along(owner.axis[i]);
    if (s > limit) return false;
    if (s > separation) {
      separation = s;
      face = 2 * i + (along < 0 ? 1 : 0);
    }
  }
  return true;
}

} // namespace

bool find_axis_of_boxes(const ConvexBody& a, const ConvexBody& b, double limit,
                        SeparatingAxis& axis) {
  using Kind = SeparatingAxis::Kind;
  const double tolerance = 1e-10 * (a.size + b.size);
  const BoxAxes box_a(a), box_b(b);
  const Vec3 way = b.frame.position - a.frame.position;
  Index face = 0;
  double separation = 0;
  if (!best_face_of_box(box_a, box_b, way, limit, face, separation)) return false;
  axis = {Kind::face_of_a, face, 0, a.faces[face].normal, separation};
  if (!best_face_of_box(box_b, box_a, -way, limit, face, separation)) return false;
  if (separation > axis.separation + tolerance)
    axis = {Kind::face_of_b, 0, face, -b.faces[face].normal, separation};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Vec3 n = cross(box_a.axis[i], box_b.axis[j]);
      const double length = norm(n);
      if (length < 1e-9) continue;
      n = n / length;
      if (dot(n, way) < 0) n = -n;
      const double s = dot(n, way) - box_a.extent_along(n) - box_b.extent_along(n);
      if (!(s > axis.separation + tolerance)) continue;
      if (s > limit) return false;
      axis = {Kind::edges, box_a.edge_towards(n, i), box_b.edge_towards(-n, j), n, s};
    }
  return true;
}

} // namespace talus
