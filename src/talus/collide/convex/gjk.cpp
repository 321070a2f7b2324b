#include "talus/collide/convex/gjk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

struct SimplexPoint {
  Vec3 w, a, b; ///< w = b - a.
  Index vertex_a = 0, vertex_b = 0;
  double weight = 1;
};

struct Simplex {
  SimplexPoint p[4];
  int count = 0;

  Vec3 closest() const {
    Vec3 v;
    for (int i = 0; i < count; ++i) v += p[i].weight * p[i].w;
    return v;
  }
};

/// The candidate with the point closest to the origin among simplices of the same points.
void keep_closer(const Simplex& candidate, Simplex& best, double& best_norm2) {
  const Vec3 v = candidate.closest();
  const double norm2 = dot(v, v);
  if (norm2 < best_norm2) {
    best = candidate;
    best_norm2 = norm2;
  }
}

Simplex closest_on_segment(const SimplexPoint& a, const SimplexPoint& b) {
  const Vec3 ab = b.w - a.w;
  const double length2 = dot(ab, ab);
  const double t = length2 > 0 ? -dot(a.w, ab) / length2 : 0;
  Simplex s;
  if (t <= 0 || t >= 1) {
    s.count = 1;
    s.p[0] = t <= 0 ? a : b;
    s.p[0].weight = 1;
    return s;
  }
  s.count = 2;
  s.p[0] = a;
  s.p[1] = b;
  s.p[0].weight = 1 - t;
  s.p[1].weight = t;
  return s;
}

Simplex closest_on_triangle(const SimplexPoint& a, const SimplexPoint& b, const SimplexPoint& c) {
  const Vec3 ab = b.w - a.w, ac = c.w - a.w;
  const Vec3 n = cross(ab, ac);
  const double n2 = dot(n, n);
  // Barycentric coordinates of the origin's projection o, as signed areas around it: small
  // triangles far from the origin keep their digits.
  const Vec3 o = (n2 > 0 ? dot(n, a.w) / n2 : 0) * n;
  const Vec3 p = a.w - o, q = b.w - o, r = c.w - o;
  const double u = dot(n, cross(q, r)), v = dot(n, cross(r, p)), w = dot(n, cross(p, q));
  Simplex best = closest_on_segment(a, b);
  const Vec3 v0 = best.closest();
  double best_norm2 = dot(v0, v0);
  keep_closer(closest_on_segment(b, c), best, best_norm2);
  keep_closer(closest_on_segment(c, a), best, best_norm2);
  if (n2 > 0 && u > 0 && v > 0 && w > 0) {
    const double sum = u + v + w;
    Simplex inner;
    inner.count = 3;
    inner.p[0] = a;
    inner.p[1] = b;
    inner.p[2] = c;
    inner.p[0].weight = u / sum;
    inner.p[1].weight = v / sum;
    inner.p[2].weight = w / sum;
    keep_closer(inner, best, best_norm2);
  }
  return best;
}

/// False when the origin lies inside. Otherwise the closest of all faces: on thin tetrahedra
/// rounding decides which side of a face the origin is on, but never which point is closer.
bool closest_on_tetrahedron(const Simplex& t, Simplex& best) {
  double best_norm2 = std::numeric_limits<double>::infinity();
  bool inside = true;
  for (int skip = 0; skip < 4; ++skip) {
    const SimplexPoint &a = t.p[(skip + 1) % 4], &b = t.p[(skip + 2) % 4], &c = t.p[(skip + 3) % 4];
    const Vec3 n = cross(b.w - a.w, c.w - a.w);
    const double corner_height = dot(n, t.p[skip].w - a.w), origin_height = -dot(n, a.w);
    inside = inside && origin_height * corner_height > 0;
    keep_closer(closest_on_triangle(a, b, c), best, best_norm2);
  }
  return !inside;
}

bool reduce(Simplex& s) {
  switch (s.count) {
  case 1:
    s.p[0].weight = 1;
    return true;
  case 2:
    s = closest_on_segment(s.p[0], s.p[1]);
    return true;
  case 3:
    s = closest_on_triangle(s.p[0], s.p[1], s.p[2]);
    return true;
  default: {
    Simplex best;
    if (!closest_on_tetrahedron(s, best)) return false;
    s = best;
    return true;
  }
  }
}

SimplexPoint support_of(const ConvexBody& a, const ConvexBody& b, const Vec3& d) {
  SimplexPoint p;
  p.a = a.support(-d, p.vertex_a);
  p.b = b.support(d, p.vertex_b);
  p.w = p.b - p.a;
  return p;
}

bool already_in(const Simplex& s, const Vec3& w) {
  return std::any_of(s.p, s.p + s.count, [&](const SimplexPoint& q) { return q.w == w; });
}

ClosestPoints finish(const Simplex& s, double touching) {
  ClosestPoints result;
  for (int i = 0; i < s.count; ++i) {
    result.point_a += s.p[i].weight * s.p[i].a;
    result.point_b += s.p[i].weight * s.p[i].b;
    result.vertex_a[i] = s.p[i].vertex_a;
    result.vertex_b[i] = s.p[i].vertex_b;
  }
  result.count = s.count;
  const Vec3 v = s.closest();
  const double distance = norm(v);
  if (distance > touching) {
    result.distance = distance;
    result.normal = v / distance;
  }
  return result;
}

} // namespace

ClosestPoints closest_points(const ConvexBody& a, const ConvexBody& b, double limit) {
  constexpr int max_iterations = 100, max_starts = 4;
  const double touching = 1e-11 * (a.size + b.size);
  Vec3 v = b.centre - a.centre;
  if (dot(v, v) == 0) v = {0, 0, 1};
  Simplex best;
  double best2 = std::numeric_limits<double>::infinity();
  bool separated = false; // some plane lies between the cores
  // On curved bodies the simplex can become so thin that rounding stops the progress early; a
  // fresh simplex from the direction found so far goes on.
  for (int start = 0; start < max_starts; ++start) {
    Simplex simplex;
    simplex.p[0] = support_of(a, b, -v);
    simplex.count = 1;
    v = simplex.p[0].w;
    double distance2 = dot(v, v);
    bool converged = false;
    for (int iteration = 0; iteration < max_iterations; ++iteration) {
      if (distance2 <= touching * touching) break;
      const SimplexPoint next = support_of(a, b, -v);
      // v · w / |v| is the separation along v: a lower bound of the distance.
      const double bound = dot(v, next.w);
      if (bound > 0 && bound * bound > limit * limit * distance2) {
        ClosestPoints far;
        far.distance = bound / std::sqrt(distance2);
        far.normal = v / std::sqrt(distance2);
        return far;
      }
      separated = separated || (bound > 0 && bound * bound > touching * touching * distance2);
      converged = distance2 - bound <= 1e-14 * distance2 || already_in(simplex, next.w);
      if (converged) break;
      Simplex grown = simplex;
      grown.p[grown.count++] = next;
      // Rounding can put the origin inside of a thin tetrahedron; a plane in between knows better.
      if (!reduce(grown)) {
        if (separated) break;
        return {};
      }
      const Vec3 closer = grown.closest();
      const double closer2 = dot(closer, closer);
      if (!(closer2 < distance2)) break;
      simplex = grown;
      v = closer;
      distance2 = closer2;
    }
    if (distance2 < best2) {
      best = simplex;
      best2 = distance2;
    }
    if (converged || best2 <= touching * touching) break;
    v = best.closest();
  }
  return finish(best, touching);
}

} // namespace talus
