#pragma once
// Projected gradient steps of spectral (Barzilai-Borwein) length with a nonmonotone line search:
// what spg and bb share.
//
//     d = Π_K(z - α g) - z,   z ← z + λ d,   α from s = λ d and y = λ N d
//
// The line search is Grippo-Lampariello-Lucidi's: the objective may rise up to the largest of the
// last `memory` values. The objective is quadratic, so its values and the gradient along d follow
// from the one product N d whatever the number of trials.

#include "talus/core/vector_ops.h"
#include "talus/solve/monitor.h"

#include <algorithm>
#include <deque>

namespace talus {

struct SpectralSearch {
  int memory = 10;      ///< Objective values the line search looks back on.
  double armijo = 1e-4; ///< Sufficient decrease ξ.
  int trials = 60;      ///< After which the step is taken as it is.
  double alpha_min = 1e-9, alpha_max = 1e9;

  /// Largest tried λ with f(z + λ d) - f(z) <= slack + ξ λ slope; the next trial minimises the
  /// quadratic, safeguarded.
  double share(double slack, double slope, double curvature) const {
    constexpr double least = 0.1, most = 0.9;
    double lambda = 1;
    for (int trial = 0; trial < trials; ++trial) {
      const double rise = lambda * slope + 0.5 * lambda * lambda * curvature;
      if (rise <= slack + armijo * lambda * slope) break;
      lambda = std::clamp(-slope / curvature, least * lambda, most * lambda);
    }
    return lambda;
  }
};

/// Improves z until the monitor says stop. next_length(j, first, second) chooses α after iteration
/// j from the two spectral lengths s's / s'y >= s'y / y'y.
template <class NextLength>
void spectral_gradient(ScaledProblem& problem, Span z, Monitor& monitor,
                       const SpectralSearch& search, NextLength&& next_length) {
  constexpr long refresh = 100;
  Vector g(problem.size()), d(problem.size()), nd(problem.size());
  problem.velocity(z, g);
  double alpha = 1;                  // the mean diagonal entry of the scaled N is 1
  std::deque<double> recent = {0.0}; // objectives relative to the start's
  for (long j = 0; monitor.proceed(z, g); ++j) {
    problem.project_step(z, alpha, g, d);
    axpy(-1.0, z, d);
    const double slope = problem.dot(d, g);
    if (!(slope < 0)) return monitor.stall("no descent direction is left");
    problem.product(d, nd);
    const double curvature = problem.dot(d, nd), value = recent.back();
    const double ceiling = *std::max_element(recent.begin(), recent.end());
    const double lambda = search.share(ceiling - value, slope, curvature);
    axpy(lambda, d, z);
    axpy(lambda, nd, g);
    if ((j + 1) % refresh == 0) problem.velocity(z, g); // forget accumulated rounding
    recent.push_back(value + lambda * slope + 0.5 * lambda * lambda * curvature);
    if (static_cast<int>(recent.size()) > search.memory) recent.pop_front();
    // s = λ d and y = λ N d: the lengths do not depend on λ.
    alpha = curvature > 0 ? std::clamp(next_length(j, problem.dot(d, d) / curvature,
                                                   curvature / problem.dot(nd, nd)),
                                       search.alpha_min, search.alpha_max)
                          : search.alpha_max;
  }
}

} // namespace talus
