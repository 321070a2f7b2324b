#include "talus/collide/convex/separating_axis.h"

#include "talus/collide/convex/box_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

double lowest(const std::vector<Vec3>& points, const Vec3& n) {
  double low = dot(points[0], n);
  for (std::size_t i = 1; i < points.size(); ++i) low = std::min(low, dot(points[i], n));
  return low;
}

/// Best face of `owner` against the points of `other`; false when one separates beyond the limit.
bool best_face(const ConvexBody& owner, const ConvexBody& other, double limit, Index& face,
               double& separation) {
  separation = -std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < owner.faces.size(); ++f) {
    const double s = lowest(other.vertices, owner.faces[f].normal) - owner.faces[f].offset;
    if (s > separation) {
      separation = s;
      face = static_cast<Index>(f);
      if (s > limit) return false;
    }
  }
  return true;
}

/// Whether the normal arc of `edge` crosses the plane with normal `direction`; an edge without
/// faces has all normals at right angles to it.
struct ArcEnds {
  double first, second;
  bool free;
};
ArcEnds arc_ends(const ConvexBody& body, const Polyhedron::Edge& edge, const Vec3& direction) {
  if (edge.face[0] < 0) return {1, -1, true};
  return {dot(body.faces[edge.face[0]].normal, direction),
          dot(body.faces[edge.face[1]].normal, direction), false};
}

/// Gregorius' test that the arcs of A's edge and of the mirrored B's edge intersect. With faces (0,
/// 1) to the left and right of an edge e, n0 × n1 points along e.
bool arcs_cross(const ArcEnds& a_on_b, const ArcEnds& b_on_a) {
  if (a_on_b.first * a_on_b.second >= 0 || b_on_a.first * b_on_a.second >= 0) return false;
  return a_on_b.free || b_on_a.free || b_on_a.first * a_on_b.second < 0;
}

} // namespace

bool find_separating_axis(const ConvexBody& a, const ConvexBody& b, double limit,
                          SeparatingAxis& axis) {
  if (a.is_box && b.is_box) return find_axis_of_boxes(a, b, limit, axis);
  using Kind = SeparatingAxis::Kind;
  const double tolerance = 1e-10 * (a.size + b.size);
  axis.kind = Kind::none;
  axis.separation = -std::numeric_limits<double>::infinity();
  Index face = 0;
  double separation = 0;
  if (!best_face(a, b, limit, face, separation)) return false;
  if (!a.faces.empty()) {
    axis = {Kind::face_of_a, face, 0, a.faces[face].normal, separation};
  }
  if (!best_face(b, a, limit, face, separation)) return false;
  if (!b.faces.empty() && separation > axis.separation + tolerance) {
    axis = {Kind::face_of_b, 0, face, -b.faces[face].normal, separation};
  }
  for (std::size_t i = 0; i < a.edges.size(); ++i) {
    const auto& ea = a.edges[i];
    const Vec3 u = a.vertices[ea.vertex[1]] - a.vertices[ea.vertex[0]];
    for (std::size_t j = 0; j < b.edges.size(); ++j) {
      const auto& eb = b.edges[j];
      const Vec3 v = b.vertices[eb.vertex[1]] - b.vertices[eb.vertex[0]];
      const ArcEnds a_on_b = arc_ends(a, ea, v), b_on_a = arc_ends(b, eb, u);
      if (!arcs_cross(a_on_b, b_on_a)) continue;
      Vec3 n = cross(u, v);
      const double length = norm(n);
      if (length < 1e-9 * norm(u) * norm(v)) continue;
      n = n / length;
      // Out of A, into B: on the side of whichever body has a middle that the edge bounds.
      const double out_of_a = dot(n, a.vertices[ea.vertex[0]] - a.centre);
      const double out_of_b = -dot(n, b.vertices[eb.vertex[0]] - b.centre);
      const double side = a_on_b.free ? out_of_b : b_on_a.free ? out_of_a : out_of_a + out_of_b;
      if (side < 0) n = -n;
      const double s = dot(n, b.vertices[eb.vertex[0]] - a.vertices[ea.vertex[0]]);
      if (s > axis.separation + tolerance) {
        if (s > limit) return false;
        axis = {Kind::edges, static_cast<Index>(i), static_cast<Index>(j), n, s};
      }
    }
  }
  return true;
}

} // namespace talus
