// Third stage of a step: impulses and velocities (engine.h).

#include "talus/solve/normal_estimate.h"
#include "talus/solve/registry.h"
#include "talus/step/assembly/compact_contacts.h"
#include "talus/step/assembly/free_motion.h"
#include "talus/step/assembly/joint_closing.h"
#include "talus/step/engine.h"
#include "talus/step/impact_energy.h"
#include "talus/step/laws/poisson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace talus {

void Simulation::Engine::run_solver() {
  solve_options.continue_from_result = true;
  solve(*solver, problem, solve_options, workspace, result);
}

SolveResult Simulation::Engine::solve_part(ContactProblem& part, const Vector& start) {
  if (has_fixed_bound(options.friction.kind))
    part.normal_estimate = estimate_normal_impulses(part, start);
  SolveOptions part_options = solve_options;
  part_options.initial = start;
  part_options.continue_from_result = false;
  return solve(*solver, part, part_options);
}

/// Contacts of Hertz' law are springs whose slope was foreseen (hertz_contacts.h). Where they were
/// pressed farther the step is solved again, from the answer.
void Simulation::Engine::keep_springs_from_creating_energy() {
  constexpr int most_rounds = 10;
  for (int round = 0; round < most_rounds && !hertz.empty(); ++round) {
    const bool has_answer = result.v.size() == 6 * static_cast<std::size_t>(world.size()) &&
                            result.status != Status::stopped && result.status != Status::infeasible;
    if (!has_answer || !steepen_where_outrun(hertz, options.step, result.x, result.v, problem))
      return;
    const long iterations = result.iterations, work = result.work;
    run_solver();
    result.iterations += iterations;
    result.work += work;
  }
}

JointedStep Simulation::Engine::jointed_step() {
  const auto solve_again = [this] {
    const long iterations = result.iterations, work = result.work;
    run_solver();
    result.iterations += iterations;
    result.work += work;
    if (result.status == Status::stopped) throw_stopped();
  };
  const auto velocities = [this]() -> ConstSpan {
    take_velocities();
    return velocity;
  };
  return {world, radii,   options.step, options.max_products, rows,
          drift, problem, result,       solve_again,          velocities};
}

long Simulation::Engine::rebound_by_poisson() {
  if (rebounds.empty() || options.impact_law != ImpactLaw::poisson) return 0;
  Vector start(6 * static_cast<std::size_t>(world.size())), restitution(contacts.size());
  turned_velocities(world, options.step, order, start);
  for (std::size_t c = 0; c < contacts.size(); ++c)
    restitution[c] = world.materials
                         .between(collider_infos[contacts[c].collider_a].material,
                                  collider_infos[contacts[c].collider_b].material)
                         .restitution;
  const auto solve_it = [this](ContactProblem& part, const Vector& x) {
    return solve_part(part, x);
  };
  const double threshold = restitution_threshold_of(options, norm(world.gravity));
  const long iterations =
      find_poisson_rebounds({problem, start, restitution, threshold, solve_it}, rebounds);
  require_going_on();
  return iterations;
}

void Simulation::Engine::keep_rebounds_from_creating_energy(StepReport& now) {
  const bool has_answer = result.v.size() == 6 * static_cast<std::size_t>(world.size()) &&
                          result.status != Status::stopped && result.status != Status::infeasible;
  if (rebounds.empty() || !has_answer) return;
  // What a solve leaves over is no gain.
  const double slack = std::max(0.01 * now.tolerance, 1e-12);
  Vector start(result.v.size());
  turned_velocities(world, options.step, order, start);
  const ImpactLimit limit = limit_impact_energy(
      {problem, rebounds, start, result.v, slack,
       [this](ContactProblem& part, const Vector& x) { return solve_part(part, x); }},
      result.x);
  result.iterations += limit.iterations;
  if (limit.stopped) result.status = Status::stopped;
  if (limit.scale == 1) return;
  now.restitution_scale = limit.scale;
  judge_answer(problem, *make_operator(problem), solve_options, "the islands were solved", result);
}

void Simulation::Engine::solve_problem(StepReport& now) {
  pose_velocity.clear();
  if (problem.size() == 0) {
    result.x.clear();
    return;
  }
  // A tenth less, so that an answer at the edge is still within the tolerance when it is judged.
  now.tolerance = tolerance_of(options, problem.contacts());
  solve_options.tolerance = 0.9 * now.tolerance;
  solve_options.max_iterations = options.max_iterations;
  solve_options.max_products = options.max_products;
  solve_options.time_limit = options.time_limit;
  solve_options.stop = options.stop;
  const bool large = is_large(), warm = !result.x.empty();
  const long impact_iterations = rebound_by_poisson();
  std::optional<CompactContacts> abbreviated;
  if (large && !world.plane_normal()) abbreviated.emplace(contacts);
  run_solver();
  if (result.status == Status::stopped) throw_stopped();
  // Where zero impulses are a solution the error knows only right and wrong, and a warm start
  // leaves a trace; zero is what is wanted.
  if (!std::isfinite(result.quality.error) && warm) {
    result.x.clear();
    run_solver();
    if (result.status == Status::stopped) throw_stopped();
  }
  keep_springs_from_creating_energy();
  if (result.status == Status::stopped) throw_stopped();
  const bool is_accurate = now.tolerance <= roughest_closing_tolerance;
  if (is_accurate) close_joints(jointed_step());
  settle_bearings(jointed_step());
  keep_rebounds_from_creating_energy(now);
  // Smaller rebounds lead to other poses than those that the joints were closed for.
  if (is_accurate && now.restitution_scale < 1) close_joints(jointed_step());
  result.iterations += impact_iterations;
  if (result.status == Status::stopped) throw_stopped();
  if (result.status == Status::unsupported) {
    throw ImpossibleStep(
        fmt::format("solver '{}' does not admit this step: {}", options.solver, result.message));
  }
  if (result.status == Status::invalid_problem) throw InvalidProblem(result.message);
  take_velocities();
  const StopTest stop = [this] { return options.stop && options.stop->load(); };
  pose_velocity = velocities_of_poses(jointed_step(), now.tolerance, velocity, order, stop);
  if (is_met(stop)) throw_stopped();
  if (!hertz.empty())
    now.elastic_energy = hertz_energy_correction(hertz, options.step, result.x, result.v, problem);
  release_after_solve();
  if (abbreviated)
    abbreviated->restore([&](Index collider) { return collider_infos[collider].body; },
                         std::get<RigidModel>(problem.model).contacts, world.states(), contacts);
  const bool good = result.quality.error <= now.tolerance &&
                    relative_size(result.quality) <= largest_relative_size;
  now.status = good ? Status::converged : result.status;
  if (!good)
    now.message = result.status == Status::infeasible ? contradiction_in_words() : result.message;
  now.iterations = result.iterations;
  now.work = result.work;
  now.error = result.quality.error;
  now.violation = result.quality.violation;
}

/// Names the bodies whose contacts contradict each other, each once.
std::string Simulation::Engine::contradiction_in_words() const {
  constexpr std::size_t most_names = 6;
  std::vector<Index> bodies;
  for (const Index contact : result.contradiction)
    for (const Index collider : {contacts[contact].collider_a, contacts[contact].collider_b})
      bodies.push_back(collider_infos[collider].body);
  std::ranges::sort(bodies);
  bodies.erase(std::ranges::unique(bodies).begin(), bodies.end());
  std::string names;
  for (std::size_t i = 0; i < std::min(most_names, bodies.size()); ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", world.bodies()[bodies[i]].name);
  if (bodies.size() > most_names) names += fmt::format(" and {} more", bodies.size() - most_names);
  if (names.empty()) return "joints contradict each other";
  return fmt::format("the contacts of {} contradict each other: no motion satisfies all of them",
                     names);
}

} // namespace talus
