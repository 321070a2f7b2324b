#include "talus/solve/normal_estimate.h"

#include "talus/solve/joint_eliminating_solver.h"
#include "talus/solve/registry.h"

#include <algorithm>

namespace talus {

Vector estimate_normal_impulses(const ContactProblem& problem, ConstSpan initial,
                                const std::atomic<bool>* stop) {
  ContactProblem frictionless = problem;
  frictionless.friction = {FrictionKind::none};
  frictionless.normal_estimate.clear();
  SolveOptions options;
  options.max_iterations = 20000;
  options.stop = stop;
  options.initial.assign(initial.begin(), initial.end());
  JointEliminatingSolver solver(make_solver("apgd"));
  const SolveResult result = solve(solver, frictionless, options);
  Vector estimate(problem.contacts(), 0.0);
  if (result.x.empty()) return estimate;
  for (Index c = 0; c < problem.contacts(); ++c)
    estimate[c] = std::max(0.0, result.x[problem.dimension * c]);
  return estimate;
}

} // namespace talus
