// Third stage of a step: impulses and velocities (engine.h).

#include "talus/solve/joint_eliminating_solver.h"
#include "talus/solve/joint_elimination.h"
#include "talus/solve/normal_estimate.h"
#include "talus/solve/registry.h"
#include "talus/step/assembly/bearings.h"
#include "talus/step/assembly/compact_contacts.h"
#include "talus/step/assembly/free_motion.h"
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

double Simulation::Engine::excess_of(ConstSpan joint_errors) const {
  double excess = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (joint_errors[r] != 0)
      excess =
          std::max(excess, std::abs(joint_errors[r]) / allowed_joint_error(world, radii, rows[r]));
  return excess;
}

/// Every pass gains a factor of about ω h. It ends once they do not gain any more: bodies that turn
/// by a radian in a step, and joints that contradict each other. Where a pass misses the tolerance,
/// or makes errors larger, the answer before it stays; answers that miss it are not worked on.
void Simulation::Engine::close_joints() {
  constexpr int most_passes = 8;
  constexpr double least_gain = 0.5;
  double before = std::numeric_limits<double>::infinity();
  Vector& b = std::get<RigidModel>(problem.model).b;
  Vector b_before;
  SolveResult answer;
  const auto go_back = [&] {
    b = b_before;
    std::swap(result.iterations, answer.iterations);
    std::swap(result.work, answer.work);
    result = std::move(answer);
  };
  for (int pass = 0; pass < most_passes && !rows.empty(); ++pass) {
    const bool is_solved = result.status == Status::converged &&
                           result.v.size() == 6 * static_cast<std::size_t>(world.size());
    if (!is_solved) {
      if (pass > 0 && result.status != Status::stopped) go_back();
      return;
    }
    take_velocities();
    const auto [change, excess] = drift.misfit(world, velocity, b, radii, options.step, rows);
    if (excess > before) return go_back();
    const bool may_go_on = options.max_products == 0 || result.work < options.max_products;
    if (excess <= 1 || excess > least_gain * before || !may_go_on) return;
    before = excess;
    b_before = b;
    answer = result;
    for (std::size_t r = 0; r < rows.size(); ++r) b[r] += change[r];
    run_solver();
    result.iterations += answer.iterations;
    result.work += answer.work;
  }
}

/// A tolerance of 1e-3 leaves tens of micrometres in the pins of a track. Velocities stay as they
/// were solved: the energy of a body that turns is that of close_joints(), and what is moved here
/// is as small as the error of the solve.
void Simulation::Engine::put_poses_right(double tolerance) {
  constexpr double exact = 1e-7; // close_joints() leaves nothing there
  if (rows.empty() || tolerance <= exact || velocity.empty() || !has_free_rows(problem)) return;
  ConstSpan errors = drift.after(world, velocity, options.step, rows);
  double excess = excess_of(errors);
  if (!(excess > 1) || !std::isfinite(excess)) return;
  const StopTest stop = [this] { return options.stop && options.stop->load(); };
  const JointCorrection correction(problem, stop);
  if (is_met(stop)) throw_stopped();
  constexpr int most_passes = 6;
  Vector best = velocity, y(static_cast<std::size_t>(problem.size()), 0.0), change(velocity.size());
  for (int pass = 0; pass < most_passes && excess > 1; ++pass) {
    for (std::size_t r = 0; r < rows.size(); ++r)
      y[static_cast<std::size_t>(problem.impulses()) + r] = errors[r] / options.step;
    std::ranges::fill(change, 0.0);
    correction.add_velocities(y, change);
    Vector moved = best;
    for (Index i = 0; i < world.size(); ++i)
      for (std::size_t k = 0; k < 6; ++k)
        moved[6 * static_cast<std::size_t>(i) + k] +=
            change[6 * static_cast<std::size_t>(order.rank(i)) + k];
    errors = drift.after(world, moved, options.step, rows);
    const double before = excess;
    excess = excess_of(errors);
    if (!(excess < before)) break; // joints that contradict each other
    best = std::move(moved);
    pose_velocity = best;
  }
}

void Simulation::Engine::settle_bearings() {
  if (!has_bearings(world, rows)) return;
  constexpr int most_passes = 40, undamped_passes = 10;
  constexpr double settled = 1e-8;
  long iterations = result.iterations, work = result.work;
  for (int pass = 0; pass < most_passes && result.x.size() == std::size_t(problem.size()); ++pass) {
    const double share = pass < undamped_passes ? 1.0 : 0.5;
    if (bound_bearings(world, result.x, options.step, share, rows, problem) <= settled) break;
    run_solver();
    iterations += result.iterations;
    work += result.work;
    if (result.status == Status::stopped) throw_stopped();
  }
  result.iterations = iterations;
  result.work = work;
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
  constexpr double rough = 1e-5; // beyond it, what the solve leaves open hides what this looks for
  const bool is_accurate = now.tolerance <= rough;
  if (is_accurate) close_joints();
  if (result.status == Status::stopped) throw_stopped();
  settle_bearings();
  keep_rebounds_from_creating_energy(now);
  // Smaller rebounds lead to other poses than those that the joints were closed for.
  if (is_accurate && now.restitution_scale < 1) close_joints();
  result.iterations += impact_iterations;
  if (result.status == Status::stopped) throw_stopped();
  if (result.status == Status::unsupported) {
    throw ImpossibleStep(
        fmt::format("solver '{}' does not admit this step: {}", options.solver, result.message));
  }
  if (result.status == Status::invalid_problem) throw InvalidProblem(result.message);
  take_velocities();
  put_poses_right(now.tolerance);
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
