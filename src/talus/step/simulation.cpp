#include "talus/step/simulation.h"

#include "talus/collide/collision.h"
#include "talus/core/large_problem.h"
#include "talus/core/parallel.h"
#include "talus/solve/joint_eliminating_solver.h"
#include "talus/solve/normal_estimate.h"
#include "talus/solve/registry.h"
#include "talus/step/assembly/compact_contacts.h"
#include "talus/step/assembly/elastic_contacts.h"
#include "talus/step/assembly/free_motion.h"
#include "talus/step/assembly/joint_rows.h"
#include "talus/step/assembly/spatial_order.h"
#include "talus/step/assembly/step_problem.h"
#include "talus/step/colliders.h"
#include "talus/step/envelope.h"
#include "talus/step/impact_energy.h"
#include "talus/step/measures.h"
#include "talus/step/warm_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

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

/// The simulation's data and work space. The phases of a step are its functions, in order; only
/// `commit` changes what a caller can see, but for the impulses that a large step starts from.
struct Simulation::Engine {
  Engine(World w, StepOptions o)
      : world(std::move(w)), options(std::move(o)), solver(solver_for(options)) {}

  World world;
  StepOptions options;
  std::shared_ptr<Solver> solver;
  double time = 0;
  std::int64_t steps = 0;
  StepReport report;
  WarmStart cache;             ///< Of the last step, once remember_last_step() has listed it.
  double step_to_remember = 0; ///< The length of a step that is still to be listed, else 0.

  // Follow the world's revision.
  std::int64_t revision = -1;
  CollisionDetector detector;
  std::vector<Collider> colliders; ///< None while they are not listed.
  std::vector<ColliderInfo> collider_infos;
  std::vector<Transform> shape_poses; ///< In the bodies' frames; empty when all lie in them.
  std::vector<double> radii;

  // Work space of one step.
  std::vector<Wrench> wrenches;
  Vector velocity; ///< In the world's order, without contacts, then with them.
  std::vector<ContactPoint> contacts;
  SpatialOrder order; ///< Of `contacts`, and of the problem's bodies.
  std::vector<JointRow> rows;
  std::vector<Rebound> rebounds;
  std::vector<double> coordinates;
  ContactProblem problem;
  SolveOptions solve_options;
  SolveResult result; ///< Its x is the start of the solve before it is the answer.
  SolveWorkspace workspace;
  std::vector<Vec3> impulses;
  bool impulses_are_known = true; ///< False after a step until somebody asks for them.

  /// Each phase of a large step gives its work space back, for the others to use the memory.
  bool is_large() const { return talus::is_large(static_cast<Index>(contacts.size())); }
  void remember_last_step();
  void release_last_step();
  void follow_world();
  void predict();
  void place_colliders();
  void collide(StepReport& now);
  void take_warm_start();
  void build(StepReport& now);
  void require_going_on() const;
  [[noreturn]] void throw_stopped() const;
  void run_solver();
  SolveResult solve_part(ContactProblem& part, const Vector& start);
  void keep_rebounds_from_creating_energy(StepReport& now);
  void solve_problem(StepReport& now);
  std::string contradiction_in_words() const;
  void take_velocities();
  BodyState next_state(Index body) const;
  void require_finite_next_states() const;
  void commit(StepReport& now);
  std::span<const Vec3> impulses_in_world_axes();
  void forget_impulses();
  void forget_contacts();
  void run_step();
};

void Simulation::Engine::follow_world() {
  if (revision == world.revision()) return;
  colliders.clear();
  collider_infos.clear();
  shape_poses.clear();
  for (Index i = 0; i < world.size(); ++i) {
    for (const BodyShape& shape : world.bodies()[i].shapes) {
      collider_infos.push_back({i, shape.material});
      shape_poses.push_back(shape.pose);
    }
  }
  if (std::ranges::all_of(shape_poses, [](const Transform& p) { return p == Transform{}; }))
    shape_poses = std::vector<Transform>();
  detector.exclude_body_pairs(world.contact_exclusions());
  radii = bounding_radii(world);
  revision = world.revision();
}

void Simulation::Engine::predict() {
  collect_wrenches(world, time, wrenches);
  velocity.resize(6 * static_cast<std::size_t>(world.size()));
  free_velocities(world, time, options.step, wrenches, velocity);
}

void Simulation::Engine::place_colliders() {
  if (colliders.empty()) {
    colliders.reserve(collider_infos.size());
    list_colliders(world, colliders);
  }
  parallel_for(
      static_cast<Index>(colliders.size()),
      [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          const Transform& pose = world.states()[colliders[i].body].pose;
          colliders[i].pose = shape_poses.empty() ? pose : pose * shape_poses[i];
        }
      },
      512);
}

void Simulation::Engine::collide(StepReport& now) {
  place_colliders();
  now.envelope = options.envelope >= 0 ? options.envelope
                                       : automatic_envelope(world, velocity, radii, options.step);
  detect_contacts(world, detector, colliders, now.envelope, contacts);
  if (is_large()) {
    wrenches = std::vector<Wrench>();
    colliders = std::vector<Collider>();
    detector.release_memory();
  }
  drop_out_of_plane_contacts(world, contacts);
  order.sort(contacts, world.size());
  if (is_large()) order.release_memory();
}

void Simulation::Engine::take_warm_start() {
  result.x.clear();
  if (options.warm_start || world.materials.is_elastic())
    initial_impulses(cache, contacts, order, world.states(), options.step, result.x);
}

void Simulation::Engine::build(StepReport& now) {
  coordinates.assign(world.joint_coordinates().begin(), world.joint_coordinates().end());
  for (std::size_t j = 0; j < coordinates.size(); ++j) {
    coordinates[j] = joint_coordinate(world, world.joints()[j], coordinates[j]);
  }
  collect_joint_rows(world, coordinates, time, options.step, rows);
  const double penetration = options.allowed_penetration >= 0 ? options.allowed_penetration
                                                              : automatic_penetration(world, radii);
  build_step_problem(
      {world, options, collider_infos, penetration, velocity, contacts, order, radii, rows},
      problem, rebounds);
  if (is_large()) velocity = Vector(); // the problem has them, until there are new ones
  if (!result.x.empty()) turn_into_frames(std::get<RigidModel>(problem.model).contacts, result.x);
  if (!problem.compliance.empty()) resume_shear(result.x, problem);
  if (options.warm_start)
    append_multipliers(cache, rows, options.step, result.x);
  else
    result.x.clear();
  problem.normal_estimate.clear();
  if (has_fixed_bound(options.friction.kind))
    problem.normal_estimate = estimate_normal_impulses(problem, result.x, options.stop);
  require_going_on(); // an estimate that was cut short is not to be used
  now.contacts = static_cast<Index>(contacts.size());
  now.joint_rows = static_cast<Index>(rows.size());
  for (const ContactPoint& contact : contacts) {
    now.max_penetration = std::max(now.max_penetration, -contact.gap);
  }
  for (const JointRow& row : rows) now.max_joint_error = std::max(now.max_joint_error, row.error);
}

void Simulation::Engine::require_going_on() const {
  if (options.stop && options.stop->load()) throw_stopped();
}

void Simulation::Engine::throw_stopped() const {
  throw StepStopped(fmt::format("step {} was stopped; the simulation is as it was after step {}",
                                steps + 1, steps));
}

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

void Simulation::Engine::keep_rebounds_from_creating_energy(StepReport& now) {
  const bool has_answer = result.v.size() == 6 * static_cast<std::size_t>(world.size()) &&
                          result.status != Status::stopped && result.status != Status::infeasible;
  if (rebounds.empty() || !has_answer) return;
  // What a solve leaves over is no gain.
  const double slack = std::max(0.01 * options.tolerance, 1e-12);
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
  if (problem.size() == 0) {
    result.x.clear();
    return;
  }
  // A tenth less, so that an answer at the edge is still within the tolerance when it is judged.
  solve_options.tolerance = 0.9 * options.tolerance;
  solve_options.max_iterations = options.max_iterations;
  solve_options.max_products = options.max_products;
  solve_options.time_limit = options.time_limit;
  solve_options.stop = options.stop;
  const bool large = is_large(), warm = !result.x.empty();
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
  keep_rebounds_from_creating_energy(now);
  if (result.status == Status::stopped) throw_stopped();
  if (result.status == Status::unsupported) {
    throw ImpossibleStep(
        fmt::format("solver '{}' does not admit this step: {}", options.solver, result.message));
  }
  if (result.status == Status::invalid_problem) throw InvalidProblem(result.message);
  take_velocities();
  if (large) {
    result.u = Vector();
    result.v = Vector();
    workspace = SolveWorkspace();
  }
  if (abbreviated)
    abbreviated->restore(collider_infos, std::get<RigidModel>(problem.model).contacts,
                         world.states(), contacts);
  const bool good = result.quality.error <= options.tolerance &&
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

void Simulation::Engine::take_velocities() {
  velocity.resize(result.v.size());
  for (Index i = 0; i < world.size(); ++i)
    std::copy_n(&result.v[6 * static_cast<std::size_t>(order.rank(i))], 6,
                &velocity[6 * static_cast<std::size_t>(i)]);
}

BodyState Simulation::Engine::next_state(Index body) const {
  BodyState state = world.states()[body];
  const BodyKind kind = world.bodies()[body].kind;
  if (kind == BodyKind::fixed) return state;
  const double* v = velocity.data() + 6 * static_cast<std::size_t>(body);
  state.velocity = {v[0], v[1], v[2]};
  state.angular_velocity = {v[3], v[4], v[5]};
  if (const auto& plane = world.plane_normal(); plane && kind == BodyKind::dynamic) {
    state.velocity -= dot(state.velocity, *plane) * *plane;
    state.angular_velocity = dot(state.angular_velocity, *plane) * *plane;
  }
  state.pose.position += options.step * state.velocity;
  state.pose.rotation = advance(state.pose.rotation, state.angular_velocity, options.step);
  return state;
}

/// Next states are made here and once more by commit(), so that nobody has to store them. States
/// whose energies overflow are refused as well: nothing true could be reported of them.
void Simulation::Engine::require_finite_next_states() const {
  const auto size_of = [&](Index body) {
    const BodyState state = next_state(body);
    const bool finite =
        is_finite(state.pose) && is_finite(state.velocity) && is_finite(state.angular_velocity);
    return finite ? size_of_measures(world, body, state) : std::numeric_limits<double>::infinity();
  };
  const double elastic = elastic_energy(problem, result.x);
  const double sum = parallel_sum<double>(world.size(), [&](Index begin, Index end) {
    double part = 0;
    for (Index i = begin; i < end; ++i) part += size_of(i);
    return part;
  });
  if (std::isfinite(sum) && std::isfinite(elastic)) return;
  Index first = 0;
  while (first < world.size() && std::isfinite(size_of(first))) ++first;
  const std::string whose =
      first == world.size()
          ? std::string("the energy of all bodies together")
          : fmt::format("the state of body '{}' or its energy", world.bodies()[first].name);
  throw NonFiniteState(fmt::format("{} is not finite after step {} at time {} s; the last finite "
                                   "state is kept",
                                   whose, steps + 1, time + options.step));
}

std::span<const Vec3> Simulation::Engine::impulses_in_world_axes() {
  if (!impulses_are_known)
    impulses_in_world(result.x, std::get<RigidModel>(problem.model).contacts, impulses);
  impulses_are_known = true;
  return impulses;
}

void Simulation::Engine::commit(StepReport& now) {
  now.outran_envelope = count_outrunning(velocity, radii, options.step, now.envelope);
  parallel_for(
      world.size(),
      [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) world.states()[i] = next_state(i);
      },
      512);
  for (std::size_t j = 0; j < coordinates.size(); ++j) {
    world.joint_coordinates()[j] = joint_coordinate(world, world.joints()[j], coordinates[j]);
  }
  step_to_remember = options.step;
  impulses_are_known = false;
  time += options.step;
  ++steps;
  now.step = steps;
  now.time = time;
  now.kinetic_energy = kinetic_energy(world);
  now.potential_energy = potential_energy(world);
  now.elastic_energy = elastic_energy(problem, result.x);
  now.momentum = momentum(world);
  now.angular_momentum = angular_momentum(world);
}

/// Of the step before, for their memory.
void Simulation::Engine::forget_impulses() {
  cache = {.step = cache.step, .contacts = {}, .rows = std::move(cache.rows), .normals = {}};
}

/// Forgets the contacts of a step that did not come to its end.
void Simulation::Engine::forget_contacts() {
  contacts.clear();
  impulses.clear();
  impulses_are_known = true;
}

/// Impulses are listed for the next step when it begins, not before: until then the contacts and
/// the answer of the last one are there.
void Simulation::Engine::remember_last_step() {
  if (step_to_remember == 0) return;
  remember(contacts, order, std::get<RigidModel>(problem.model).contacts, rows, result.x,
           std::exchange(step_to_remember, 0.0), world.materials.is_elastic(), cache);
}

/// Vectors of a large step that grew into those of the next would for a moment be there twice.
void Simulation::Engine::release_last_step() {
  const bool large = is_large();
  if (large) {
    RigidModel frames;
    frames.contacts = std::move(std::get<RigidModel>(problem.model).contacts);
    problem = ContactProblem();
    problem.model = std::move(frames);
    impulses = std::vector<Vec3>();
  }
  remember_last_step();
  if (!large) return;
  contacts = std::vector<ContactPoint>();
  problem = ContactProblem();
  result.x = Vector();
}

void Simulation::Engine::run_step() {
  StepReport now;
  Lap lap;
  require_going_on();
  release_last_step();
  follow_world();
  predict();
  now.seconds_build = lap();
  collide(now);
  now.seconds_collide = lap();
  take_warm_start();
  // A step that can be stopped must be able to begin again.
  if (is_large() && !options.stop) forget_impulses();
  build(now);
  now.seconds_build += lap();
  solve_problem(now);
  now.seconds_solve = lap();
  require_finite_next_states();
  if (is_large()) forget_impulses();
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
  auto solver = solver_for(options);
  engine_->options = std::move(options);
  engine_->solver = std::move(solver);
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
  }
  Engine& engine;
  std::vector<ContactPoint> contacts;
  ContactProblem problem;
  Vector x;
};

ContactProblem Simulation::next_problem() {
  return with_threads(engine_->options.threads, [&] {
    StepReport unused;
    engine_->remember_last_step();
    const LastStep kept(*engine_);
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
          engine_->cache};
}

void Simulation::restore(const SimulationState& state) {
  World& world = engine_->world;
  require_fitting(state, world);
  std::ranges::copy(state.bodies, world.states().begin());
  std::ranges::copy(state.joint_coordinates, world.joint_coordinates().begin());
  engine_->follow_world();
  engine_->time = state.time;
  engine_->steps = state.steps;
  engine_->cache = state.warm_start;
  engine_->step_to_remember = 0;
}

} // namespace talus
