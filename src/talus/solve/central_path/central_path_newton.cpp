#include "talus/solve/central_path/central_path_newton.h"

#include "talus/solve/central_path/central_path_follower.h"

#include <limits>

namespace talus {
bool newton_while_it_helps(ProximalNewton& newton, int most_steps, Span z, Span u,
                           Monitor& monitor) {
  const long begin = monitor.iterations();
  double last = monitor.error();
  while (monitor.iterations() - begin < most_steps) {
    const auto outcome = newton.step(z, u, monitor);
    if (outcome == ProximalNewton::Outcome::stopped) return false;
    if (outcome == ProximalNewton::Outcome::failed || monitor.error() > 0.5 * last) return true;
    last = monitor.error();
  }
  return true;
}

void NewtonFinish::visit(OptionVisitor& visitor) {
  visitor.visit("finish", error, Range::at_least(0), "error below which Newton steps are tried");
  visitor.visit("newton_steps", steps, Range::at_least(0), "most Newton steps of a trial");
}
void PathAndNewtonOptions::visit(OptionVisitor& visitor) {
  finish.visit(visitor);
  path.visit(visitor);
}
void FoldsAndNewtonOptions::visit(OptionVisitor& visitor) {
  finish.visit(visitor);
  path.visit(visitor);
}

bool follow_path_and_finish(const ScaledProblem& problem, const PathAndNewtonOptions& options,
                            Span z, Span u, Monitor& monitor) {
  constexpr PathPersistence persistence{60, 1e-2}; // a path from start to end takes 15 to 40 steps
  CentralPath path(problem, options.path, monitor.stop_test());
  path.start(z, u);
  return follow_and_finish(path, persistence, problem, options.finish, z, u, monitor);
}

bool follow_folds_and_finish(const ScaledProblem& problem, const FoldsAndNewtonOptions& options,
                             Span z, Span u, Monitor& monitor) {
  // Errors rise and fall with ε: only the monitor's patience ends this path. It is lost to rounding
  // soon after Newton steps have become possible.
  constexpr PathPersistence persistence{std::numeric_limits<int>::max(), 0.2};
  FoldedPath path(problem, options.path, monitor.stop_test());
  const PathOutcome found = path.start(z, u, monitor);
  if (found == PathOutcome::stopped) return false;
  if (found == PathOutcome::blocked) {
    monitor.note("the central path has no beginning");
    copy(monitor.best(), z);
    problem.velocity(z, u);
    return true;
  }
  return follow_and_finish(path, persistence, problem, options.finish, z, u, monitor);
}

} // namespace talus
