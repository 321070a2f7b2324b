#include "talus/solve/path_and_newton.h"

#include "talus/core/vector_ops.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace talus {
namespace {

/// Tells when the path goes in circles: no smaller error for so many steps.
class Progress {
public:
  bool is_lost(double error) {
    if (error < best_) {
      best_ = error;
      idle_ = 0;
    }
    return ++idle_ > most_idle;
  }

private:
  static constexpr int most_idle = 60; ///< A path from start to end takes 15 to 40 steps.
  double best_ = std::numeric_limits<double>::infinity();
  int idle_ = 0;
};

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

void PathAndNewtonOptions::visit(OptionVisitor& visitor) {
  visitor.visit("finish", finish, Range::at_least(0), "error below which Newton steps are tried");
  visitor.visit("newton_steps", newton_steps, Range::at_least(0), "most Newton steps of a trial");
  path.visit(visitor);
}

bool follow_path_and_finish(const ScaledProblem& problem, const PathAndNewtonOptions& options,
                            Span z, Span u, Monitor& monitor) {
  constexpr double next_trial = 1e-2;
  CentralPath path(problem, options.path);
  path.start(z, u);
  std::optional<ProximalNewton> newton;
  Vector trial(problem.size()), trial_u(problem.size());
  double finish = options.finish;
  Progress progress;
  while (true) {
    const CentralPath::Outcome outcome = path.step(z, u, monitor);
    if (outcome == CentralPath::Outcome::stopped) return false;
    const bool in_circles = progress.is_lost(monitor.error());
    const bool blocked = in_circles || outcome == CentralPath::Outcome::blocked;
    if (!blocked && monitor.error() > finish) continue;
    monitor.note(in_circles ? "the central path goes in circles: Newton"
                 : blocked  ? "the central path is blocked: Newton"
                            : fmt::format("error below {:.1g}: Newton", finish));
    // The path keeps its own point: Newton may lead astray.
    copy(blocked ? monitor.best() : ConstSpan(z), trial);
    problem.velocity(trial, trial_u);
    newton.emplace(problem, options.newton);
    if (!newton_while_it_helps(*newton, options.newton_steps, trial, trial_u, monitor))
      return false;
    if (blocked) {
      copy(monitor.best(), z);
      problem.velocity(z, u);
      return true;
    }
    monitor.note("Newton does not settle: back to the central path");
    finish *= next_trial;
  }
}

} // namespace talus
