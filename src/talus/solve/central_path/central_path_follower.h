#pragma once
// The loop that follows a central path and finishes it with Newton steps, for any kind of path.

#include "talus/core/vector_ops.h"
#include "talus/solve/central_path/central_path_newton.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace talus {

/// Tells when a path goes in circles: no smaller error for so many steps.
class PathProgress {
public:
  explicit PathProgress(int most_idle) : most_idle_(most_idle) {}
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
struct PathPersistence {
  int most_idle;     ///< Steps without a smaller error.
  double next_trial; ///< Share of the error of the last trial.
};

/// Steps along `path`, which has PathOutcome step(Span z, Span u, Monitor&), and tries Newton steps
/// where the error is small or the path ends. Returns as follow_path_and_finish() does.
template <class Path>
bool follow_and_finish(Path& path, const PathPersistence& persistence, const ScaledProblem& problem,
                       const NewtonFinish& finish, Span z, Span u, Monitor& monitor) {
  std::optional<ProximalNewton> newton;
  Vector trial(problem.size()), trial_u(problem.size());
  double error = finish.error;
  PathProgress progress(persistence.most_idle);
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
    newton.emplace(problem, finish.newton, monitor.stop_test());
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

} // namespace talus
