#include "talus/solve/coulomb/bound_fixed_point.h"

#include "talus/core/vector_ops.h"

#include <algorithm>

namespace talus {
namespace {

constexpr double smallest_reduction = 1e-6;

double bound_of(const ScaledProblem& problem, ConstSpan z, Index contact) {
  return problem.problem().mu[contact] * std::max(0.0, z[problem.dimension() * contact]);
}

} // namespace

void BoundFixedPoint::visit_options(OptionVisitor& visitor) {
  visitor.visit("inner_reduction", inner_reduction, Range::inside(0, 1),
                "Coulomb fixed point: a solve with fixed bounds ends at this share of the error");
  visitor.visit("bound_relaxation", relaxation, Range::share(),
                "Coulomb fixed point: share of the new bounds that is taken over");
}

BoundFixedPoint::BoundIteration::BoundIteration(const BoundFixedPoint& options,
                                                const ScaledProblem& problem, ConstSpan z)
    : options_(options), bound_(problem.contacts()), u_(problem.size()),
      reduction_(options.inner_reduction) {
  for (Index c = 0; c < problem.contacts(); ++c) bound_[c] = bound_of(problem, z, c);
}

bool BoundFixedPoint::BoundIteration::begin(ScaledProblem& problem, Span z, Monitor& monitor) {
  problem.freeze_bounds(bound_);
  problem.project(z, z);
  problem.velocity(z, u_);
  if (!monitor.proceed(z, u_)) return false;
  if (reduction_ < smallest_reduction) {
    monitor.stall("the fixed point on the bounds makes no progress");
    return false;
  }
  // Solving the subproblem beyond the tolerance is wasted; half of it leaves room for the bounds'
  // own change. The subproblem is measured in the Talus error, whatever the caller's measure is.
  const double error = problem.error(z, u_, Measure::talus);
  const double enough = 0.5 * monitor.tolerance() / monitor.error();
  monitor.begin_subproblem(error * std::max(reduction_, enough));
  iterations_before_ = monitor.iterations();
  return true;
}

bool BoundFixedPoint::BoundIteration::end(ScaledProblem& problem, Span z, Monitor& monitor) {
  const bool within_limits = monitor.end_subproblem(z);
  for (Index c = 0; c < problem.contacts(); ++c)
    bound_[c] += options_.relaxation * (bound_of(problem, z, c) - bound_[c]);
  // A subproblem that was solved before it began asked for too little.
  if (monitor.iterations() == iterations_before_) reduction_ *= 0.1;
  if (within_limits) return true;
  problem.freeze_bounds(bound_);
  problem.project(z, z);
  problem.velocity(z, u_);
  monitor.measure_last(z, u_);
  return false;
}

} // namespace talus
