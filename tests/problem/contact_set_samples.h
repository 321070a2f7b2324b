#pragma once
// What the tests of contact sets share: the list of sets under test, random points in and around
// them, and a second, slower description of each set by its vertices to judge projections with.

#include "talus/contact/contact_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <ostream>
#include <random>
#include <sstream>
#include <vector>

namespace talus::test {

using Point = std::array<double, 3>; ///< Entries from the dimension on are 0.

inline double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline double norm(const Point& a) {
  return std::sqrt(dot(a, a));
}
inline Point combine(double alpha, const Point& a, double beta, const Point& b) {
  return {alpha * a[0] + beta * b[0], alpha * a[1] + beta * b[1], alpha * a[2] + beta * b[2]};
}
inline Point operator-(const Point& a, const Point& b) {
  return combine(1, a, -1, b);
}

inline Point projected(const ContactSet& k, const Point& x) {
  Point y = {};
  project(k, x.data(), y.data());
  return y;
}

/// All kinds in all dimensions, with coefficients and bounds from degenerate to large.
inline std::vector<ContactSet> all_sets() {
  const std::vector<FrictionSet> sets = {
      {FrictionKind::none},           {FrictionKind::box},           {FrictionKind::pyramid},
      {FrictionKind::cylinder},       {FrictionKind::cone},          {FrictionKind::prism, 4},
      {FrictionKind::prism, 6},       {FrictionKind::prism, 10},     {FrictionKind::prism, 64},
      {FrictionKind::polyhedron, 4},  {FrictionKind::polyhedron, 6}, {FrictionKind::polyhedron, 8},
      {FrictionKind::polyhedron, 14}, {FrictionKind::polyhedron, 64}};
  std::vector<ContactSet> result;
  for (int dimension = 1; dimension <= 3; ++dimension)
    for (const FrictionSet& set : sets)
      for (double size : {0.0, 1e-3, 0.3, 1.0, 10.0})
        result.push_back({set, dimension, has_fixed_bound(set.kind) ? 0.7 : size,
                          has_fixed_bound(set.kind) ? size : 0.0});
  return result;
}

inline bool is_cone(const ContactSet& k) {
  return !has_fixed_bound(k.set.kind) || k.dimension == 1;
}
inline bool is_round(const ContactSet& k) {
  return k.dimension == 3 &&
         (k.set.kind == FrictionKind::cone || k.set.kind == FrictionKind::cylinder);
}

/// Number of vertices of the cross section S; the round sets get 720 points of the circle.
inline int vertex_count(const ContactSet& k) {
  if (k.dimension == 1 || k.set.kind == FrictionKind::none) return 1;
  if (k.dimension == 2) return 2;
  if (is_round(k)) return 720;
  return k.set.kind == FrictionKind::box || k.set.kind == FrictionKind::pyramid ? 4 : k.set.facets;
}

/// Vertices of S of unit size in their order around it.
inline Point section_vertex(const ContactSet& k, int i) {
  const int count = vertex_count(k);
  if (count == 1) return {};
  if (count == 2) return {0, i == 0 ? 1.0 : -1.0, 0};
  if (k.set.kind == FrictionKind::box || k.set.kind == FrictionKind::pyramid)
    return {0, i % 4 < 2 ? 1.0 : -1.0, i % 4 == 1 || i % 4 == 2 ? 1.0 : -1.0};
  const double angle = 2 * std::numbers::pi * i / count;
  return {0, std::cos(angle), std::sin(angle)};
}

inline std::vector<Point> section_vertices(const ContactSet& k) {
  std::vector<Point> vertices;
  for (int i = 0; i < vertex_count(k); ++i) vertices.push_back(section_vertex(k, i));
  return vertices;
}

/// max { s·x_t : s ∈ S }, by trying the vertices. The points of a circle fall short of it by up to
/// 1 - cos(π/720) < 1e-5.
inline double brute_support(const ContactSet& k, const Point& x) {
  double best = -1e300;
  for (const Point& vertex : section_vertices(k)) best = std::max(best, dot(vertex, x));
  return best;
}

/// How far y violates the inequalities that define K: 0 in K, else about the distance.
inline double violation(const ContactSet& k, const Point& y) {
  const double radius = is_cone_shaped(k.set.kind) ? k.mu * y[0] : k.bound;
  double worst = std::max(0.0, -y[0]);
  if (k.dimension == 1) return worst;
  if (k.set.kind == FrictionKind::none) return std::max({worst, std::abs(y[1]), std::abs(y[2])});
  if (k.dimension == 2) return std::max(worst, std::abs(y[1]) - radius);
  switch (k.set.kind) {
  case FrictionKind::box:
  case FrictionKind::pyramid:
    return std::max({worst, std::abs(y[1]) - radius, std::abs(y[2]) - radius});
  case FrictionKind::cone:
  case FrictionKind::cylinder:
    return std::max(worst, std::hypot(y[1], y[2]) - radius);
  default:
    break;
  }
  const double apothem = std::cos(std::numbers::pi / k.set.facets);
  for (int i = 0; i < k.set.facets; ++i) {
    const double angle = std::numbers::pi * (2 * i + 1) / k.set.facets;
    const double across = std::cos(angle) * y[1] + std::sin(angle) * y[2];
    worst = std::max(worst, across - radius * apothem);
  }
  return worst;
}

class Sampler {
public:
  explicit Sampler(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double gaussian() { return std::normal_distribution<double>()(engine_); }
  int choice(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }

  /// A generic point of moderate size.
  Point smooth_point(const ContactSet& k) {
    Point x = {};
    const double size = std::pow(10, uniform(-1, 1)), stretch = std::pow(10, uniform(-1, 1));
    for (int i = 0; i < k.dimension; ++i) x[i] = size * (i == 0 ? 1 : stretch) * gaussian();
    return x;
  }

  /// A point for projections: now and then with zeros, equal entries, or on the boundary of K.
  Point point(const ContactSet& k) {
    Point x = smooth_point(k);
    switch (choice(8)) {
    case 0:
      x[choice(k.dimension)] = 0;
      break;
    case 1:
      x[2] = k.dimension == 3 ? x[1] : 0;
      break;
    case 2:
      x = member(k, norm(x));
      break;
    case 3:
      x = combine(-1, member(k, norm(x)), 0, x);
      break;
    default:
      break;
    }
    return x;
  }

  /// A point of K of about the given size: a vertex, a point of an edge, or anything inside.
  Point member(const ContactSet& k, double size) {
    const double n = choice(6) == 0 ? 0 : size * uniform(0, 1);
    const double radius = is_cone_shaped(k.set.kind) ? k.mu * n : k.bound;
    const int first = choice(vertex_count(k));
    const double along = choice(2) == 0 ? 0 : uniform(0, 1);
    Point s = combine(1 - along, section_vertex(k, first), along,
                      section_vertex(k, (first + 1) % vertex_count(k)));
    if (choice(3) == 0) s = combine(uniform(0, 1), s, 0, s);
    return combine(radius, s, n, {1, 0, 0});
  }

private:
  std::mt19937 engine_;
};

/// What a failure message needs to repeat one random case.
struct Case {
  const ContactSet& k;
  const Point& x;
  unsigned seed;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    std::ostringstream text;
    text.precision(17);
    text << "seed " << c.seed << ", " << to_string(c.k.set) << ", dimension " << c.k.dimension
         << ", mu " << c.k.mu << ", bound " << c.k.bound << ", x = (" << c.x[0] << ", " << c.x[1]
         << ", " << c.x[2] << ")";
    return out << text.str();
  }
};

/// Calls check(set, sampler, point, case) for `count` random points of every set. It stops
/// at a set's first failed point: the others would only repeat it.
template <class Check>
void for_random_points(unsigned seed, int count, bool smooth, Check check) {
  for (const ContactSet& k : all_sets()) {
    Sampler sampler(seed);
    for (int i = 0; i < count; ++i) {
      const Point x = smooth ? sampler.smooth_point(k) : sampler.point(k);
      if (!check(k, sampler, x, Case{k, x, seed})) break;
    }
  }
}

} // namespace talus::test
