#pragma once
// One step of accelerated projected gradients, for apgd and coulomb-apgd:
//
//     y = z + β (z - z₋),   û(y) = u + β (u - u₋) + s e_n,   z⁺ = Π_K(y - û(y)/L),   u⁺ = N z⁺ + q
//
// with a tilt s ≥ 0 added to the normal velocity of each contact (none for a convex problem). y and
// û(y) are not stored but made again from the last two iterates: a step is one pass over the
// contacts, and the product's own passes, the second of which also makes all sums while the new
// velocities are in the cache.

#include "talus/problem/scaled/scaled_problem.h"

#include <cmath>

namespace talus {

/// An iterate and its velocity u = N z + q.
struct Iterate {
  Span z, u;
};

/// The iterates z₋, z, z⁺, one of them in the memory of the impulses that a solver is given.
class Iterates {
public:
  Iterate last, now, next;

  /// now.z becomes `z` itself, the others get memory of their own, which is kept.
  void begin(Span z);
  /// z⁺ becomes z, z becomes z₋, and z₋ makes room.
  void advance() {
    std::swap(last, now);
    std::swap(now, next);
  }
  /// Brings now.z to the memory given to begin().
  void end(Span z) const;
  void release_memory() { *this = {}; }

private:
  Vector memory_;
};

/// z, z₋ with their velocities, β, and the tilt of each contact; empty: none.
struct Extrapolation {
  const Iterate &now, &last;
  double beta = 0;
  ConstSpan tilt;
};

/// Sums over a step, with d = z⁺ - y.
struct StepSums {
  double length = 0;    ///< d'd
  double curvature = 0; ///< d'N d
  double ascent = 0;    ///< û(y)'(z⁺ - z)
  double size = 0;      ///< y'y
  double residual = 0;  ///< ScaledProblem::squared_residual of z⁺
  StepSums& operator+=(const StepSums& other) {
    length += other.length;
    curvature += other.curvature;
    ascent += other.ascent;
    size += other.size;
    residual += other.residual;
    return *this;
  }
  /// d'N d ≤ L d'd. Rounding decides the comparison for tiny steps: they count as short enough.
  bool is_finite() const { return std::isfinite(length) && std::isfinite(curvature); }
  bool is_short_enough(double curvature_bound) const {
    constexpr double rounding = 1e-14;
    return curvature <= (1 + 1e-10) * curvature_bound * length ||
           length < rounding * rounding * size;
  }
};

/// An estimate of the largest curvature from below, by power iterations from a vector without
/// pattern; 1 where nothing curves. A product each; x and y are work space of the problem's size.
double first_curvature(const ScaledProblem& problem, int power_iterations, Span x, Span y);

/// z⁺ with its velocity, from the largest step 1/L that its curvature admits: L grows by `grow`
/// until d'N d ≤ L d'd, but no more than a hundred times in one step: the next one goes on. A step
/// that is not finite is left for the monitor to see. The residual of the sums is that of the
/// frozen subproblem, if `of_subproblem`, or that of the problem itself. One product for every L.
StepSums take_step(const ScaledProblem& problem, const Extrapolation& from, bool of_subproblem,
                   double grow, double& curvature, Iterate& next);

} // namespace talus
