#pragma once
// Rolling friction for plain_error.h: the length that moments are measured in, the nearest point of
// the cone over discs by bisection, and the tilt, each from its definition.

#include "talus/problem/contact_problem.h"

#include <array>
#include <cmath>

namespace talus::test {

/// How many components of a contact are impulses and not moments.
inline int plain_impulses(const ContactProblem& problem) {
  if (problem.friction.kind != FrictionKind::rolling) return problem.dimension;
  return problem.dimension == 3 ? 2 : 3;
}

using SixReals = std::array<long double, 6>;

/// Where the components of a disc begin and how many they are, and its radius.
struct PlainDisc {
  int first, size;
  long double radius;
  long double length(const SixReals& x) const {
    return size == 2 ? std::hypot(x[first], x[first + 1]) : std::abs(x[first]);
  }
};

/// The discs of contact c with moments measured in `length`.
inline std::vector<PlainDisc> plain_discs(const ContactProblem& problem, Index c,
                                          long double length) {
  if (problem.dimension == 3) return {{1, 1, problem.mu[c]}, {2, 1, problem.rolling[c] / length}};
  std::vector<PlainDisc> discs = {{1, 2, problem.mu[c]}, {3, 2, problem.rolling[c] / length}};
  if (problem.dimension == 6) discs.push_back({5, 1, problem.spinning[c] / length});
  return discs;
}

/// The height h of the nearest point minimises (h - n)² + Σ max(0, |x_i| - a_i h)² over h >= 0: its
/// slope grows, so that bisection finds the zero.
inline SixReals nearest_in_rolling_cone(const std::vector<PlainDisc>& discs, const SixReals& x) {
  const auto slope = [&](long double h) {
    long double sum = h - x[0];
    for (const PlainDisc& disc : discs)
      sum -= disc.radius * std::max(0.0L, disc.length(x) - disc.radius * h);
    return sum;
  };
  long double low = 0, high = std::abs(x[0]);
  for (const PlainDisc& disc : discs) high += disc.radius * disc.length(x);
  if (slope(0) >= 0) high = 0;
  for (int k = 0; k < 200; ++k) (slope(0.5L * (low + high)) < 0 ? low : high) = 0.5L * (low + high);
  SixReals y = {high};
  for (const PlainDisc& disc : discs) {
    const long double length = disc.length(x), bound = disc.radius * high;
    for (int i = disc.first; i < disc.first + disc.size; ++i)
      y[i] = length > bound ? x[i] * (bound / length) : x[i];
  }
  return y;
}

inline long double plain_rolling_tilt(const ContactProblem& problem,
                                      const std::vector<PlainDisc>& discs, const SixReals& u) {
  long double sum = 0;
  for (const PlainDisc& disc : discs) sum += disc.radius * disc.length(u);
  return problem.law == Law::coulomb ? sum : 0;
}

} // namespace talus::test
