#include "heyn2013.h"

#include <fmt/format.h>

namespace talus::experiments {

std::vector<SolverRun> heyn_methods() {
  return {{"jacobi"}, {"gpminres", {{"krylov_steps", "10"}}}, {"spg"}, {"kucera"}};
}

SpherePile heyn_pile(Index spheres, double container_radius) {
  SpherePile pile;
  pile.spheres = spheres;
  pile.container_radius = container_radius;
  pile.spacing = 3;
  pile.jitter = 0.3;
  pile.problem_envelope = 0.015;
  return pile;
}

ContactProblem frictionless_pile(const Context& context, const std::string& name,
                                 const SpherePile& pile) {
  ContactProblem problem = settled_problem(pile, context, name);
  problem.law = Law::associated;
  problem.friction.kind = FrictionKind::none;
  return problem;
}

std::map<std::string, Json> run_heyn_methods(const Context& context, const std::string& key,
                                             const ContactProblem& problem, long iterations) {
  SolveOptions options;
  options.tolerance = 1e-14;
  options.max_iterations = iterations;
  std::map<std::string, Json> runs;
  for (const SolverRun& run : heyn_methods())
    runs[run.solver] =
        kept_run(context, fmt::format("{}-{}", key, run.solver), problem, run, options);
  return runs;
}

double least_objective(const std::map<std::string, Json>& runs) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [solver, run] : runs) least = std::min(least, least_objective(run));
  return least;
}

} // namespace talus::experiments
