#include "talus/solve/gradients/nesterov_gradient_step.h"

#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/fused_product.h"

#include <cmath>

namespace talus {
namespace {

/// Contacts whose work vectors fit into the first-level cache.
constexpr Index block = 64;

/// The sums over entries [begin, end) but for tilts and residuals; completes u⁺ with q.
void add_products(ConstSpan q, const Extrapolation& from, Index begin, Index end, Iterate& next,
                  StepSums& sums) {
  constexpr Index lanes = 4;
  double length[lanes] = {}, curvature[lanes] = {}, ascent[lanes] = {}, size[lanes] = {};
  const double beta = from.beta;
  const double *z = from.now.z.data(), *z_last = from.last.z.data(), *u = from.now.u.data(),
               *u_last = from.last.u.data(), *z_next = next.z.data(), *free = q.data();
  double* u_next = next.u.data();
  const auto add = [&](Index i, Index lane) {
    const double y = z[i] + beta * (z[i] - z_last[i]), g = u[i] + beta * (u[i] - u_last[i]);
    const double d = z_next[i] - y;
    u_next[i] += free[i];
    length[lane] += d * d;
    curvature[lane] += d * (u_next[i] - g);
    ascent[lane] += g * (z_next[i] - z[i]);
    size[lane] += y * y;
  };
  Index i = begin;
  for (; i + lanes <= end; i += lanes)
    for (Index k = 0; k < lanes; ++k) add(i + k, k);
  for (; i < end; ++i) add(i, 0);
  const auto total = [](const double* s) { return (s[0] + s[1]) + (s[2] + s[3]); };
  sums.length += total(length);
  sums.curvature += total(curvature);
  sums.ascent += total(ascent);
  sums.size += total(size);
}

/// next = Π_K(y - step û(y)).
void step_from(const ScaledProblem& problem, const Extrapolation& from, double step, Span next) {
  const int d = problem.dimension();
  const double beta = from.beta;
  const auto descend = [&](Index begin, Index end) {
    const double *z = from.now.z.data(), *z_last = from.last.z.data(), *u = from.now.u.data(),
                 *u_last = from.last.u.data();
    double* out = next.data();
    for (Index i = begin; i < end; ++i)
      out[i] = z[i] + beta * (z[i] - z_last[i]) - step * (u[i] + beta * (u[i] - u_last[i]));
  };
  parallel_for(
      problem.contacts(),
      [&](Index begin, Index end) {
        for (Index c = begin; c < end; c += block) {
          const Index stop = std::min(end, c + block);
          descend(d * c, d * stop);
          if (!from.tilt.empty())
            for (Index k = c; k < stop; ++k) next[d * k] -= step * from.tilt[k];
          problem.project_contacts(c, stop - c, &next[d * c]);
        }
      },
      DelassusOperator::contact_chunk);
  const Index rows = d * problem.contacts();
  descend(rows, problem.size());
  for (Index j = 0; j < problem.equalities(); ++j)
    next[rows + j] = problem.project_row(j, next[rows + j]);
}

/// next.u = N next.z + q, and the sums. One product.
StepSums observe_step(const ScaledProblem& problem, const Extrapolation& from, bool of_subproblem,
                      Iterate& next) {
  const int d = problem.dimension();
  const ConstSpan q = problem.free_velocity();
  StepSums sums = product_and_sum<StepSums>(problem, next.z, next.u, [&](Index begin, Index end) {
    StepSums partial;
    for (Index c = begin; c < end; c += block) {
      const Index stop = std::min(end, c + block);
      add_products(q, from, d * c, d * stop, next, partial);
      if (!from.tilt.empty())
        for (Index k = c; k < stop; ++k)
          partial.ascent += from.tilt[k] * (next.z[d * k] - from.now.z[d * k]);
      partial.residual += problem.squared_residual(c, stop, next.z, next.u, of_subproblem);
    }
    return partial;
  });
  add_products(q, from, d * problem.contacts(), problem.size(), next, sums);
  sums.residual += problem.squared_row_residual(next.z, next.u);
  return sums;
}

} // namespace

void Iterates::begin(Span z) {
  const std::size_t n = z.size();
  memory_.resize(5 * n);
  const auto part = [&](std::size_t k) { return Span(memory_).subspan(k * n, n); };
  last = {part(0), part(1)};
  now = {z, part(2)};
  next = {part(3), part(4)};
}

void Iterates::end(Span z) const {
  if (now.z.data() != z.data()) copy(now.z, z);
}

double first_curvature(const ScaledProblem& problem, int power_iterations, Span x, Span y) {
  for (Index i = 0; i < problem.size(); ++i) {
    const double turns = 0.618033988749895 * static_cast<double>(problem.number_of(i));
    x[i] = 0.5 + (turns - std::floor(turns));
  }
  const double curvature = problem.largest_eigenvalue(power_iterations, x, y);
  return curvature > 0 && std::isfinite(curvature) ? curvature : 1.0;
}

StepSums take_step(const ScaledProblem& problem, const Extrapolation& from, bool of_subproblem,
                   double grow, double& curvature, Iterate& next) {
  constexpr int most_trials = 100;
  StepSums sums;
  for (int trial = 1;; ++trial) {
    step_from(problem, from, 1 / curvature, next.z);
    sums = observe_step(problem, from, of_subproblem, next);
    if (!sums.is_finite() || sums.is_short_enough(curvature) || trial == most_trials) return sums;
    curvature *= grow;
  }
}

} // namespace talus
