#include "mazhar2014_spheres.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

namespace talus::experiments {
namespace {

constexpr double free_fall = 9.81;
/// How near to the interior point's objective is equal: the paper's -0.023199 for -0.0232.
constexpr double equal_share = 4e-5;

/// The velocities before the step. The mass matrix of spheres is diagonal, gravity acts on the
/// third component of each body, and gyroscopic torques vanish.
Vector velocities_before(const GlobalModel& model) {
  Vector v(model.f.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto row = static_cast<Index>(i);
    v[i] = model.f[i] / entry(model.M, row, row) + (i % 6 == 2 ? mazhar_step * free_fall : 0.0);
  }
  return v;
}

double kinetic_energy(const GlobalModel& model, const Vector& v) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    sum += 0.5 * entry(model.M, static_cast<Index>(i), static_cast<Index>(i)) * v[i] * v[i];
  return sum;
}

double primal_objective(const GlobalModel& model, const Vector& v) {
  double sum = kinetic_energy(model, v);
  for (std::size_t i = 0; i < v.size(); ++i) sum -= model.f[i] * v[i];
  return sum;
}

/// The least processor time of three runs, s; of fewer once they have taken 5 s together, whose
/// share of noise is small. Kept as `key`.
double kept_seconds(const Context& context, const std::string& key, const ContactProblem& problem,
                    const SolverRun& run, const SolveOptions& options) {
  return context.once(key, inputs_of(problem, run, options), [&]() -> Json {
    double least = std::numeric_limits<double>::infinity(), spent = 0;
    for (int i = 0; i < 3 && spent < 5; ++i) {
      const std::clock_t start = std::clock();
      run_solver(problem, run, options);
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      least = std::min(least, seconds);
      spent += seconds;
    }
    return least;
  });
}

ContactProblem associated(ContactProblem problem) {
  problem.law = Law::associated;
  return problem;
}

} // namespace

std::string_view to_string(Settling settling) {
  return settling == Settling::thorough ? "thorough" : "poor";
}

SpherePile mazhar_pile(Index spheres) {
  SpherePile pile;
  pile.spheres = spheres;
  pile.container_radius = 1.1;
  pile.spacing = 2.4;
  pile.jitter = 0.12;
  pile.problem_envelope = 0.015;
  pile.friction = 0.25;
  pile.law = Law::associated;
  return pile;
}

ContactProblem settled_for_long(const Context& context, Index spheres, Settling settling) {
  SpherePile pile = mazhar_pile(spheres);
  pile.step = mazhar_step;
  pile.seconds = context.sized(0.5, 4.0);
  pile.iterations = settling == Settling::thorough ? 10000 : 10;
  pile.tolerance = 1e-4;
  pile.warm_start = settling == Settling::thorough;
  return associated(settled_problem(pile, context,
                                    fmt::format("mazhar2014-{}-{}", spheres, to_string(settling))));
}

ContactProblem settled_quickly(const Context& context, Index spheres) {
  SpherePile pile = mazhar_pile(spheres);
  constexpr Index one_layer = 70;
  pile.seconds = context.sized(0.5, spheres > one_layer ? 2.0 : 1.0);
  pile.iterations = 200;
  pile.problem_step = mazhar_step;
  return associated(settled_problem(pile, context, fmt::format("mazhar2014-{}", spheres)));
}

Race race(const Context& context, const std::string& key, const ContactProblem& problem,
          long most_iterations) {
  Race race;
  SolveOptions options;
  options.keep_history = true;
  race.interior = context.once(key + "-conic-ip", inputs_of(problem, {"conic-ip"}, options), [&] {
    const SolveResult result = run_solver(problem, {"conic-ip"}, options);
    Json kept = recorded(result);
    kept["primal"] = primal_objective(to_global(problem), result.v);
    kept["velocities"] = result.u;
    return kept;
  });
  race.objective = race.interior.at("objective");
  options = to_error(1e-6, most_iterations);
  options.reference_velocity = race.interior.at("velocities").get<Vector>();
  race.apgd = kept_run(context, key + "-apgd", problem, {"apgd"}, options);
  race.reached = reached_objective(race.apgd, race.objective * (1 - equal_share));
  return race;
}

RaceTimes race_times(const Context& context, const std::string& key, const ContactProblem& problem,
                     const Race& race) {
  RaceTimes times{0, std::numeric_limits<double>::infinity()};
  SolveOptions options;
  times.interior = kept_seconds(context, key + "-conic-ip-time", problem, {"conic-ip"}, options);
  if (!std::isfinite(race.reached.iterations)) return times;
  options.max_iterations = std::lround(race.reached.iterations);
  times.apgd = kept_seconds(context, key + "-apgd-time", problem, {"apgd"}, options);
  return times;
}

double kinetic_energy_before(const ContactProblem& problem) {
  const GlobalModel model = to_global(problem);
  return kinetic_energy(model, velocities_before(model));
}

double primal_objective_before(const ContactProblem& problem) {
  const GlobalModel model = to_global(problem);
  return primal_objective(model, velocities_before(model));
}

} // namespace talus::experiments
