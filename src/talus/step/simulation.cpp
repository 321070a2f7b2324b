#include "talus/step/simulation.h"

#include "talus/core/parallel.h"
#include "talus/solve/joint_eliminating_solver.h"
#include "talus/solve/registry.h"
#include "talus/step/contact_sums.h"
#include "talus/step/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace talus {

namespace {

/// Seconds since the last call.
class Lap {
public:
  double operator()() {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

std::shared_ptr<Solver> solver_for(const StepOptions& options) {
  validate(options);
  std::shared_ptr<Solver> solver = options.own_solver;
  if (!solver) solver = make_solver(options.solver);
  for (const auto& [name, value] : options.solver_options) set_option(*solver, name, value);
  if (options.eliminate_joints) solver = std::make_shared<JointEliminatingSolver>(solver);
  return solver;
}

} // namespace

Simulation::Engine::Engine(World w, StepOptions o)
    : world(std::move(w)), options(std::move(o)), solver(solver_for(options)) {}

void Simulation::Engine::set_options(StepOptions changed) {
  auto changed_solver = solver_for(changed);
  options = std::move(changed);
  solver = std::move(changed_solver);
}

void Simulation::Engine::require_going_on() const {
  if (options.stop && options.stop->load()) throw_stopped();
}

void Simulation::Engine::throw_stopped() const {
  throw StepStopped(fmt::format("step {} was stopped; the simulation is as it was after step {}",
                                steps + 1, steps));
}

void Simulation::Engine::run_step() {
  StepReport now;
  Lap lap;
  require_going_on();
  release_last_step();
  remove_bodies_due();
  follow_world();
  predict();
  now.seconds_build = lap();
  collide(now);
  now.seconds_collide = lap();
  take_warm_start();
  // A step that can be stopped must be able to begin again.
  if (!options.stop) forget_impulses_of_large_step();
  build(now);
  now.seconds_build += lap();
  solve_problem(now);
  now.seconds_solve = lap();
  require_finite_next_states();
  forget_impulses_of_large_step();
  commit(now);
  now.seconds_advance = lap();
  report = std::move(now);
}

Simulation::Simulation(World world, StepOptions options)
    : engine_(std::make_unique<Engine>(std::move(world), std::move(options))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const StepReport& Simulation::step() {
  try {
    with_threads(engine_->options.threads, [&] { engine_->run_step(); });
  } catch (...) {
    engine_->forget_contacts();
    throw;
  }
  return engine_->report;
}

const World& Simulation::world() const {
  return engine_->world;
}
World& Simulation::world() {
  return engine_->world;
}
const StepOptions& Simulation::options() const {
  return engine_->options;
}
void Simulation::set_options(StepOptions options) {
  engine_->set_options(std::move(options));
}
double Simulation::time() const {
  return engine_->time;
}
std::int64_t Simulation::steps() const {
  return engine_->steps;
}
const StepReport& Simulation::report() const {
  return engine_->report;
}
std::span<const ContactPoint> Simulation::contacts() const {
  return engine_->contacts;
}
std::span<const Vec3> Simulation::contact_impulses() const {
  return engine_->impulses_in_world_axes();
}
const ContactProblem& Simulation::problem() const {
  return engine_->problem;
}
std::span<const JointRow> Simulation::joint_rows() const {
  return engine_->rows;
}
ConstSpan Simulation::cohesive_impulses() const {
  return engine_->bonds_now.pull;
}
const Vector& Simulation::solution() const {
  return engine_->result.x;
}

/// Takes the contacts, the problem and the answer of the last step away while another is built, and
/// gives them back.
struct Simulation::LastStep {
  explicit LastStep(Engine& e) : engine(e) { exchange(); }
  ~LastStep() { exchange(); }
  void exchange() {
    std::swap(contacts, engine.contacts);
    std::swap(problem, engine.problem);
    std::swap(x, engine.result.x);
    std::swap(pull, engine.bonds_now.pull);
  }
  Engine& engine;
  std::vector<ContactPoint> contacts;
  ContactProblem problem;
  Vector x, pull;
};

ContactProblem Simulation::next_problem() {
  return with_threads(engine_->options.threads, [&] {
    StepReport unused;
    engine_->remember_last_step();
    const LastStep kept(*engine_);
    engine_->remove_bodies_due();
    engine_->follow_world();
    engine_->predict();
    engine_->collide(unused);
    engine_->take_warm_start();
    engine_->build(unused);
    return std::move(engine_->problem);
  });
}

SimulationState Simulation::state() const {
  const World& world = engine_->world;
  engine_->remember_last_step();
  return {engine_->time,
          engine_->steps,
          {world.states().begin(), world.states().end()},
          {world.joint_coordinates().begin(), world.joint_coordinates().end()},
          world.removed_bodies(),
          engine_->cache,
          engine_->bonds};
}

void Simulation::restore(const SimulationState& state) {
  World& world = engine_->world;
  require_fitting(state, world);
  world.set_removed(state.removed);
  std::ranges::copy(state.bodies, world.states().begin());
  std::ranges::copy(state.joint_coordinates, world.joint_coordinates().begin());
  engine_->time = state.time;
  engine_->steps = state.steps;
  engine_->follow_world();
  engine_->cache = state.warm_start;
  engine_->bonds = state.bonds;
  engine_->step_to_remember = 0;
}

void Simulation::adopt(const SimulationState& state, const StepReport& report,
                       AdoptedForces forces) {
  restore(state);
  engine_->report = report;
  engine_->contacts = std::move(forces.contacts);
  engine_->impulses = std::move(forces.impulses);
  engine_->impulses_are_known = true;
  ContactProblem& problem = engine_->problem = {};
  RigidModel model;
  // Arms as the step had them, for the torques of contact forces.
  const auto centre_at_start = [&](Index body) {
    const BodyState& end = state.bodies[static_cast<std::size_t>(body)];
    return end.pose.position - engine_->options.step * end.velocity;
  };
  Vector& x = engine_->result.x;
  x.clear();
  for (std::size_t c = 0; c < engine_->contacts.size(); ++c) {
    const ContactPoint& contact = engine_->contacts[c];
    const RigidContact frame =
        frame_of(contact, centre_at_start(contact.body_a), centre_at_start(contact.body_b));
    model.contacts.push_back(frame);
    if (forces.moments.empty()) continue;
    const Vec3 moment = entries_of_moment(frame, forces.moments[c]);
    x.insert(x.end(), {0, 0, 0, moment.x, moment.y, moment.z});
  }
  // So that problem.impulses() says where the rows begin.
  if (!forces.moments.empty()) {
    problem.dimension = 6;
    problem.mu.assign(engine_->contacts.size(), 0.0);
  }
  problem.model = std::move(model);
  engine_->rows.assign(forces.rows.begin(), forces.rows.end());
  x.insert(x.end(), forces.multipliers.begin(), forces.multipliers.end());
}

} // namespace talus
