#include "talus/collide/convex/epa.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

/// Grows the polytope. Directions d are outward normals of B - A, so -d points from A to B.
class Polytope {
public:
  Polytope(const ConvexBody& a, const ConvexBody& b, PolytopeScratch& scratch)
      : a_(a), b_(b), s_(scratch), size_(a.size + b.size) {}

  /// A tetrahedron of support points along the turned corners of a regular one, as wide as they
  /// come; false when it is flat.
  bool start(const Quaternion& turn) {
    s_.vertices.clear();
    s_.faces.clear();
    const double r = 1 / std::sqrt(3.0);
    for (const Vec3& d : {Vec3{r, r, r}, Vec3{r, -r, -r}, Vec3{-r, r, -r}, Vec3{-r, -r, r}}) {
      add_vertex(rotate(turn, d));
    }
    const Vec3 w0 = s_.vertices[0].w;
    const double volume =
        dot(s_.vertices[1].w - w0, cross(s_.vertices[2].w - w0, s_.vertices[3].w - w0));
    if (std::abs(volume) < 1e-12 * size_ * size_ * size_) return false;
    const bool mirrored = volume > 0;
    const Index loops[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    for (const auto& l : loops) {
      PolytopeFace f;
      f.vertex[0] = l[0];
      f.vertex[1] = mirrored ? l[2] : l[1];
      f.vertex[2] = mirrored ? l[1] : l[2];
      s_.faces.push_back(f);
    }
    for (Index f = 0; f < 4; ++f) {
      set_plane(s_.faces[f]);
      for (int k = 0; k < 3; ++k) s_.faces[f].neighbour[k] = face_across(f, k);
    }
    return true;
  }

  Index nearest_face() const {
    Index best = -1;
    for (std::size_t f = 0; f < s_.faces.size(); ++f) {
      if (s_.faces[f].alive && (best < 0 || s_.faces[f].offset < s_.faces[best].offset)) {
        best = static_cast<Index>(f);
      }
    }
    return best;
  }

  /// Adds the support point beyond the face. False when the face is on the surface already or the
  /// new point would make the polytope degenerate.
  bool expand(Index face, double tolerance) {
    const Vec3 n = s_.faces[face].normal;
    const Index w = add_vertex(n);
    if (dot(s_.vertices[w].w, n) - s_.faces[face].offset <= tolerance) return false;
    find_visible(face, s_.vertices[w].w);
    return close_hole(w);
  }

  Index face_count() const { return static_cast<Index>(s_.faces.size()); }
  const PolytopeFace& face(Index f) const { return s_.faces[f]; }
  const PolytopeVertex& vertex(Index v) const { return s_.vertices[v]; }

private:
  Index add_vertex(const Vec3& d) {
    const Vec3 a = a_.support(-d), b = b_.support(d);
    s_.vertices.push_back({b - a, a, b});
    return static_cast<Index>(s_.vertices.size() - 1);
  }

  /// False for a face without area.
  bool set_plane(PolytopeFace& f) const {
    const Vec3 &p = s_.vertices[f.vertex[0]].w, &q = s_.vertices[f.vertex[1]].w,
               &r = s_.vertices[f.vertex[2]].w;
    const Vec3 n = cross(q - p, r - p);
    const double length = norm(n);
    if (!(length > 1e-26 * size_ * size_)) return false;
    f.normal = n / length;
    f.offset = dot(f.normal, p);
    return true;
  }

  Index face_across(Index face, int k) const {
    const Index from = s_.faces[face].vertex[k], to = s_.faces[face].vertex[(k + 1) % 3];
    for (Index g = 0; g < static_cast<Index>(s_.faces.size()); ++g) {
      for (int l = 0; l < 3; ++l) {
        if (s_.faces[g].vertex[l] == to && s_.faces[g].vertex[(l + 1) % 3] == from) return g;
      }
    }
    return -1;
  }

  void find_visible(Index start, const Vec3& w) {
    s_.visible.clear();
    s_.horizon.clear();
    s_.stack.assign(1, start);
    s_.faces[start].alive = false;
    s_.visible.push_back(start);
    while (!s_.stack.empty()) {
      const Index f = s_.stack.back();
      s_.stack.pop_back();
      for (int k = 0; k < 3; ++k) {
        const Index g = s_.faces[f].neighbour[k];
        if (!s_.faces[g].alive) continue;
        // Faces in one plane with w count as visible: what replaces them has no slivers.
        if (dot(s_.faces[g].normal, w) > s_.faces[g].offset - 1e-13 * size_) {
          s_.faces[g].alive = false;
          s_.visible.push_back(g);
          s_.stack.push_back(g);
        }
      }
    }
    for (Index f : s_.visible) {
      for (int k = 0; k < 3; ++k) {
        if (s_.faces[s_.faces[f].neighbour[k]].alive) s_.horizon.emplace_back(f, k);
      }
    }
  }

  /// Joins the rim of the hole to w; restores the old faces and returns false if that fails.
  bool close_hole(Index w) {
    const auto first = static_cast<Index>(s_.faces.size());
    bool sound = true;
    for (const auto& [f, k] : s_.horizon) {
      PolytopeFace g;
      g.vertex[0] = s_.faces[f].vertex[k];
      g.vertex[1] = s_.faces[f].vertex[(k + 1) % 3];
      g.vertex[2] = w;
      g.neighbour[0] = s_.faces[f].neighbour[k];
      g.neighbour[1] = g.neighbour[2] = -1;
      sound = sound && set_plane(g);
      s_.faces.push_back(g);
    }
    const auto last = static_cast<Index>(s_.faces.size());
    for (Index g = first; g < last && sound; ++g) {
      for (Index h = first; h < last; ++h) {
        if (s_.faces[h].vertex[0] == s_.faces[g].vertex[1]) s_.faces[g].neighbour[1] = h;
        if (s_.faces[h].vertex[1] == s_.faces[g].vertex[0]) s_.faces[g].neighbour[2] = h;
      }
      sound = s_.faces[g].neighbour[1] >= 0 && s_.faces[g].neighbour[2] >= 0;
    }
    if (!sound) {
      s_.faces.resize(first);
      for (Index f : s_.visible) s_.faces[f].alive = true;
      return false;
    }
    for (Index g = first; g < last; ++g) {
      PolytopeFace& beyond = s_.faces[s_.faces[g].neighbour[0]];
      for (int k = 0; k < 3; ++k) {
        if (beyond.vertex[k] == s_.faces[g].vertex[1] &&
            beyond.vertex[(k + 1) % 3] == s_.faces[g].vertex[0]) {
          beyond.neighbour[k] = g;
        }
      }
    }
    return true;
  }

  const ConvexBody &a_, &b_;
  PolytopeScratch& s_;
  double size_;
};

/// Barycentric coordinates of the origin's projection onto a face, not negative, and how far the
/// point they name is from that projection.
struct Projection {
  double weight[3] = {1, 0, 0};
  double miss = 0;
};
Projection project_origin(const Polytope& polytope, const PolytopeFace& face) {
  const Vec3 o = face.offset * face.normal;
  Vec3 corner[3];
  for (int k = 0; k < 3; ++k) corner[k] = polytope.vertex(face.vertex[k]).w - o;
  Projection result;
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double area = dot(face.normal, cross(corner[(k + 1) % 3], corner[(k + 2) % 3]));
    result.weight[k] = std::max(area, 0.0);
    sum += result.weight[k];
  }
  Vec3 point;
  for (int k = 0; k < 3; ++k) {
    result.weight[k] = sum > 0 ? result.weight[k] / sum : (k == 0 ? 1 : 0);
    point += result.weight[k] * corner[k];
  }
  result.miss = norm(point);
  return result;
}

/// The points of A and B under the origin's projection, from whichever of the faces in the nearest
/// face's plane holds it. Returns how far they miss it.
double set_points(const Polytope& polytope, Index nearest, double tolerance, Penetration& result) {
  const PolytopeFace& plane = polytope.face(nearest);
  Index best = nearest;
  Projection best_projection = project_origin(polytope, plane);
  for (Index f = 0; f < polytope.face_count() && best_projection.miss > tolerance; ++f) {
    const PolytopeFace& face = polytope.face(f);
    if (!face.alive || dot(face.normal, plane.normal) < 0.999 ||
        face.offset > plane.offset + tolerance) {
      continue;
    }
    const Projection projection = project_origin(polytope, face);
    if (projection.miss < best_projection.miss) {
      best_projection = projection;
      best = f;
    }
  }
  result.point_a = result.point_b = {};
  for (int k = 0; k < 3; ++k) {
    const PolytopeVertex& v = polytope.vertex(polytope.face(best).vertex[k]);
    result.point_a += best_projection.weight[k] * v.a;
    result.point_b += best_projection.weight[k] * v.b;
  }
  return best_projection.miss;
}

double separation_along(const ConvexBody& a, const ConvexBody& b, const Vec3& n) {
  return dot(n, b.support(-n)) - dot(n, a.support(n));
}

} // namespace

Penetration penetration_depth(const ConvexBody& a, const ConvexBody& b, PolytopeScratch& scratch) {
  constexpr int max_iterations = 200, max_starts = 8;
  const double size = a.size + b.size;
  Polytope polytope(a, b, scratch);
  Penetration best;
  best.separation = -std::numeric_limits<double>::infinity();
  // Rounding can spoil a polytope whose faces nearly line up; another start has other faces. Any
  // direction's separation is a lower bound, so the largest one is the best.
  for (int start = 0; start < max_starts; ++start) {
    if (!polytope.start(exponential_map(0.7 * start * Vec3{0.3, 0.5, 0.8}))) continue;
    Index face = polytope.nearest_face();
    for (int i = 0; i < max_iterations && polytope.expand(face, 1e-13 * size); ++i) {
      face = polytope.nearest_face();
    }
    Penetration found;
    found.normal = -polytope.face(face).normal;
    found.separation = separation_along(a, b, found.normal);
    const double miss = set_points(polytope, face, 1e-9 * size, found);
    if (found.separation > best.separation) best = found;
    const double excess = -found.separation - polytope.face(face).offset;
    if (std::abs(excess) <= 1e-11 * size && miss <= 1e-4 * size) break;
  }
  // The points' middle is on the line of contact; along it they are apart by the separation.
  const Vec3 middle = 0.5 * (best.point_a + best.point_b);
  best.point_a = middle - (best.separation / 2) * best.normal;
  best.point_b = middle + (best.separation / 2) * best.normal;
  return best;
}

} // namespace talus
