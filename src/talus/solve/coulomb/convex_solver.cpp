#include "talus/solve/coulomb/convex_solver.h"

#include "talus/core/large_problem.h"
#include "talus/core/vector_ops.h"

#include <algorithm>

namespace talus {
namespace {

constexpr double smallest_reduction = 1e-6;

} // namespace

SolverInfo ConvexSolver::convex_info(std::string name, std::string summary, std::string paper,
                                     std::string products, AdmittedSets sets) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .paper = std::move(paper),
          .friction = std::move(sets),
          .coulomb = "fixed point",
          .products_per_iteration = std::move(products)};
}

void ConvexSolver::visit_options(OptionVisitor& visitor) {
  visitor.visit("inner_reduction", inner_reduction_, Range::inside(0, 1),
                "Coulomb fixed point: a convex solve ends at this share of the current error");
  visitor.visit("tilt_relaxation", relaxation_, Range::share(),
                "Coulomb fixed point: share of the new tilt that is taken over");
}

void ConvexSolver::run(ScaledProblem& problem, Span z, Monitor& monitor) {
  if (!problem.is_tilted()) return minimise(problem, z, monitor);
  run_fixed_point(problem, z, monitor);
  if (is_large(problem.contacts())) u_ = tilt_ = target_ = Vector();
}

void ConvexSolver::run_fixed_point(ScaledProblem& problem, Span z, Monitor& monitor) {
  u_.resize(problem.size());
  tilt_.resize(problem.contacts());
  target_.resize(problem.contacts());
  const Span tilt(tilt_), target(target_);
  problem.velocity(z, u_);
  problem.tilts(u_, tilt);
  double reduction = inner_reduction_;
  while (monitor.proceed(z, u_)) {
    problem.tilts(u_, target);
    combine(relaxation_, target, 1 - relaxation_, tilt, tilt);
    problem.freeze_tilt(tilt);
    // Solving the subproblem beyond the tolerance is wasted; half of it leaves room for the tilt's
    // own change.
    monitor.begin_subproblem(std::max(reduction * monitor.error(), 0.5 * monitor.tolerance()));
    const long before = monitor.iterations();
    if (is_large(problem.contacts())) u_ = Vector(); // methods have vectors of their own
    minimise(problem, z, monitor);
    u_.resize(problem.size());
    const bool within_limits = monitor.end_subproblem(z);
    problem.release_tilt();
    problem.velocity(z, u_);
    if (!within_limits) return monitor.measure_last(z, u_);
    // A subproblem that was solved before it began asked for too little.
    if (monitor.iterations() == before) reduction *= 0.1;
    if (reduction < smallest_reduction)
      return monitor.stall("the Coulomb fixed point makes no progress");
  }
}

} // namespace talus
