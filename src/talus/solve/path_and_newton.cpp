#include "talus/solve/path_and_newton.h"

#include "talus/core/vector_ops.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace talus {
namespace {

/// Tells when a path goes in circles: no smaller error for so many steps.
class Progress {
public:
  explicit Progress(int most_idle) : most_idle_(most_idle) {}
  bool is_lost(double error) {
    if (error < best_) {
      best_ = error;
      idle_ = 0;
    }
    return ++idle_ > most_idle_;
  }

private:
  double best_ = std::numeric_limits<double>::infinity();
  int most_idle_, idle_ = 0;
};

/// How long to follow a path, and when to try Newton steps again after a vain trial.
struct Persistence {
  int most_idle;     ///< Steps without a smaller error.
  double next_trial; ///< Share of the error of the last trial.
};

template <class Path>
bool follow(Path& path, const Persistence& persistence, const ScaledProblem& problem,
            const NewtonFinish& finish, Span z, Span u, Monitor& monitor) {
  std::optional<ProximalNewton> newton;
  Vector trial(problem.size()), trial_u(problem.size());
  double error = finish.error;
  Progress progress(persistence.most_idle);
  while (true) {
    const PathOutcome outcome = path.step(z, u, monitor);
    if (outcome == PathOutcome::stopped) return false;
    const bool in_circles = progress.is_lost(monitor.error());
    const bool blocked = in_circles || outcome == PathOutcome::blocked;
    if (!blocked && monitor.error() > error) continue;
    monitor.note(in_circles ? "the central path goes in circles: Newton"
                 : blocked  ? "the central path is blocked: Newton"
                            : fmt::format("error below {:.1g}: Newton", error));
    // The path keeps its own point: Newton may lead astray.
    copy(blocked ? monitor.best() : ConstSpan(z), trial);
    problem.velocity(trial, trial_u);
    newton.emplace(problem, finish.newton);
    if (!newton_while_it_helps(*newton, finish.steps, trial, trial_u, monitor)) return false;
    if (blocked) {
      copy(monitor.best(), z);
      problem.velocity(z, u);
      return true;
    }
    monitor.note("Newton does not settle: back to the central path");
    error *= persistence.next_trial;
  }
}

} // namespace

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
  constexpr Persistence persistence{60, 1e-2}; // a path from start to end takes 15 to 40 steps
  CentralPath path(problem, options.path);
  path.start(z, u);
  return follow(path, persistence, problem, options.finish, z, u, monitor);
}

bool follow_folds_and_finish(const ScaledProblem& problem, const FoldsAndNewtonOptions& options,
                             Span z, Span u, Monitor& monitor) {
  // Errors rise and fall with ε: only the monitor's patience ends this path. It is lost to rounding
  // soon after Newton steps have become possible.
  constexpr Persistence persistence{std::numeric_limits<int>::max(), 0.2};
  FoldedPath path(problem, options.path);
  const PathOutcome found = path.start(z, u, monitor);
  if (found == PathOutcome::stopped) return false;
  if (found == PathOutcome::blocked) {
    monitor.note("the central path has no beginning");
    copy(monitor.best(), z);
    problem.velocity(z, u);
    return true;
  }
  return follow(path, persistence, problem, options.finish, z, u, monitor);
}

} // namespace talus
