// Determinism: restoring, threads, and what the future depends on.

#include "step/step_test_support.h"

namespace talus {
namespace {

/// A heap of mixed bodies falling on each other, a pendulum among them.
World mixed_heap(unsigned seed) {
  Random random(seed);
  World world = world_with_floor(0.4);
  const Index hinge = world.add(body("arm").with(make_box({0.05, 0.05, 0.5})).at({2, 0, 1}));
  world.add(revolute("hinge").between(ground, hinge).at({2, 0, 1.5}).along({0, 1, 0}));
  world.state(hinge).angular_velocity = {0, 2, 0};
  for (int k = 0; k < 60; ++k) {
    const Vec3 at{0.6 * (k % 3 - 1), 0.6 * (k / 3 % 3 - 1), 0.4 + 0.6 * (k / 9)};
    const ShapePtr shape = k % 2 == 0 ? make_sphere(random(0.15, 0.25))
                                      : make_box(Vec3{0.2, 0.2, 0.2} + random.vector(0.05));
    world.add(body().with(shape).at(at + random.vector(0.05)).turned(random.rotation()));
  }
  return world;
}

StepOptions loose() {
  StepOptions options;
  options.tolerance = 1e-6;
  return options;
}

TEST(State, restoring_then_stepping_equals_stepping) {
  Simulation simulation(mixed_heap(3), loose());
  run(simulation, 100, false);
  const SimulationState saved = simulation.state();
  EXPECT_FALSE(saved.warm_start.contacts.empty());
  EXPECT_FALSE(saved.warm_start.rows.empty());
  run(simulation, 30, false);
  const SimulationState expected = simulation.state();

  Simulation fresh(mixed_heap(3), loose());
  fresh.restore(saved);
  run(fresh, 30, false);
  EXPECT_EQ(fresh.state(), expected);

  // The warm start is part of it: without, the bits differ.
  SimulationState cold = saved;
  cold.warm_start = {};
  Simulation other(mixed_heap(3), loose());
  other.restore(cold);
  run(other, 30, false);
  EXPECT_NE(other.state(), expected);
}

TEST(State, adopting_a_step_shows_it_and_goes_on_from_it) {
  Simulation simulation(mixed_heap(3), loose()), viewer(mixed_heap(3), loose());
  run(simulation, 40, false);
  AdoptedForces forces;
  forces.contacts.assign(simulation.contacts().begin(), simulation.contacts().end());
  forces.impulses.assign(simulation.contact_impulses().begin(),
                         simulation.contact_impulses().end());
  viewer.adopt(simulation.state(), simulation.report(), std::move(forces));
  EXPECT_EQ(viewer.state(), simulation.state());
  EXPECT_EQ(viewer.report().kinetic_energy, simulation.report().kinetic_energy);
  ASSERT_EQ(viewer.contacts().size(), simulation.contacts().size());
  EXPECT_EQ(viewer.contact_impulses().back(), simulation.contact_impulses().back());
  run(simulation, 10, false);
  run(viewer, 10, false);
  EXPECT_EQ(viewer.state(), simulation.state());
}

TEST(State, does_not_depend_on_the_number_of_threads) {
  std::vector<SimulationState> states;
  for (const int threads : {1, 2}) {
    StepOptions options = loose();
    options.threads = threads;
    Simulation simulation(mixed_heap(4), options);
    run(simulation, 120, false);
    states.push_back(simulation.state());
  }
  EXPECT_EQ(states[0], states[1]);
}

/// Spheres in a cubic lattice, falling and turning.
World falling_lattice(int side) {
  World world = world_with_floor(0.4);
  const ShapePtr sphere = make_sphere(0.1);
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z)
        world.add(body().with(sphere).mass(1).at({0.2 * x, 0.2 * y, 0.1 + 0.2 * z}));
  for (BodyState& state : world.states()) state.angular_velocity = {1, 2, 3};
  return world;
}

// Beyond 50,000 contacts work space is given back in every step.
TEST(State, large_simulations_go_on_from_what_they_keep) {
  StepOptions options;
  options.envelope = 0.09; // reaches the neighbours across the diagonals, too
  options.max_iterations = 3;
  std::vector<SimulationState> ends;
  for (const int threads : {1, 2}) {
    options.threads = threads;
    Simulation simulation(falling_lattice(19), options);
    run(simulation, 2, false);
    const SimulationState saved = simulation.state();
    EXPECT_FALSE(saved.warm_start.contacts.empty());
    run(simulation, 2, false);
    EXPECT_GT(simulation.report().contacts, 50'000);
    EXPECT_EQ(static_cast<Index>(simulation.contacts().size()), simulation.report().contacts);
    EXPECT_EQ(simulation.contacts().size(), simulation.contact_impulses().size());
    ends.push_back(simulation.state());

    Simulation fresh(falling_lattice(19), options);
    fresh.restore(saved);
    run(fresh, 2, false);
    EXPECT_EQ(fresh.state(), ends.back());
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(State, warm_start_saves_iterations) {
  long iterations[2] = {};
  for (const bool warm : {false, true}) {
    World world = world_with_floor(0.5);
    for (int k = 0; k < 8; ++k)
      world.add(body().with(make_box({0.5, 0.5, 0.5})).at({0, 0, k + 0.5}));
    StepOptions options{.solver = "apgd"};
    options.warm_start = warm;
    Simulation simulation(std::move(world), options);
    iterations[warm] = run(simulation, 50).iterations;
  }
  EXPECT_LT(2 * iterations[1], iterations[0]);
}

TEST(State, refuses_what_does_not_fit) {
  Simulation simulation(mixed_heap(5), loose());
  SimulationState state = simulation.state();
  state.bodies.pop_back();
  EXPECT_THROW(simulation.restore(state), InvalidArgument);
  state = simulation.state();
  state.bodies[1].velocity.y = NAN;
  EXPECT_THROW(simulation.restore(state), InvalidArgument);
}

TEST(State, options_are_checked) {
  const auto with = [](auto&& change) {
    StepOptions options;
    change(options);
    return options;
  };
  EXPECT_THROW(Simulation(World{}, with([](auto& o) { o.step = 0; })), InvalidArgument);
  EXPECT_THROW(Simulation(World{}, with([](auto& o) { o.tolerance = 0; })), InvalidArgument);
  EXPECT_THROW(Simulation(World{}, with([](auto& o) { o.envelope = NAN; })), InvalidArgument);
  EXPECT_THROW(Simulation(World{}, with([](auto& o) { o.allowed_penetration = NAN; })),
               InvalidArgument);
  EXPECT_THROW(Simulation(World{}, with([](auto& o) { o.threads = -1; })), InvalidArgument);
  EXPECT_THROW(Simulation(World{}, with([](auto& o) { o.solver = "magic"; })), InvalidArgument);
  EXPECT_THROW(Simulation(World{}, with([](auto& o) {
                            o.solver_options = {{"magic", "1"}};
                          })),
               InvalidArgument);
}

/// The message of a step that throws ImpossibleStep.
std::string why_impossible(World world, const StepOptions& options) {
  Simulation simulation(std::move(world), options);
  try {
    simulation.step();
  } catch (const ImpossibleStep& error) {
    EXPECT_EQ(simulation.steps(), 0);
    return error.what();
  }
  return "the step was made";
}

TEST(State, meshes_that_meet_are_named) {
  const ShapePtr mesh = make_triangle_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                           {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}});
  World world;
  world.add(fixed_body("hill").with(mesh));
  world.add(body("stone").with(mesh).density(1000).at({0.2, 0.2, 0.2}));
  const std::string why = why_impossible(std::move(world), {});
  for (const char* word : {"hill", "stone", "mesh"})
    EXPECT_NE(why.find(word), std::string::npos) << why;
}

TEST(State, a_solver_that_does_not_admit_the_step_is_named) {
  World world = world_with_floor(0.5);
  world.add(body().with(make_sphere(0.5)).at({0, 0, 0.5}));
  StepOptions options;
  options.solver = "coulomb-ip";
  options.law = Law::associated;
  EXPECT_NE(why_impossible(std::move(world), options).find("coulomb-ip"), std::string::npos);
}

TEST(State, an_unconverged_step_says_so) {
  World world = world_with_floor(0.5);
  for (int k = 0; k < 20; ++k)
    world.add(body().with(make_box({0.5, 0.5, 0.5})).at({0, 0, k + 0.5}));
  StepOptions options;
  options.max_iterations = 2;
  Simulation simulation(std::move(world), options);
  const StepReport& report = simulation.step();
  EXPECT_EQ(report.status, Status::iteration_limit);
  EXPECT_FALSE(report.converged());
  EXPECT_GT(report.error, 1e-8);
  EXPECT_GT(report.violation, 0);
  RunSummary summary;
  summary.include(report);
  EXPECT_EQ(summary.unconverged_steps, 1);
}

TEST(State, bodies_can_be_added_on_the_way) {
  World world = world_with_floor(0.5);
  world.add(body().with(make_sphere(0.5)).at({0, 0, 0.5}));
  Simulation simulation(std::move(world), {});
  run(simulation, 10);
  simulation.world().add(body().with(make_sphere(0.5)).at({0, 0, 1.5}));
  run(simulation, 10);
  EXPECT_EQ(simulation.report().contacts, 2);
  EXPECT_EQ(simulation.contacts().size(), simulation.contact_impulses().size());
  EXPECT_NEAR(simulation.world().state(2).pose.position.z, 1.5, 1e-9);
}

TEST(State, looking_at_the_next_problem_keeps_the_last_step) {
  Simulation simulation(mixed_heap(7), loose());
  run(simulation, 60, false);
  const std::size_t contacts = simulation.contacts().size();
  const Vector mu = simulation.problem().mu;
  ASSERT_GT(contacts, 0u);
  simulation.world().state(5).pose.position.z += 10;
  EXPECT_NE(simulation.next_problem().mu.size(), contacts);
  EXPECT_EQ(simulation.contacts().size(), contacts);
  EXPECT_EQ(simulation.contact_impulses().size(), contacts);
  EXPECT_EQ(simulation.problem().mu, mu);
}

TEST(State, a_step_that_throws_leaves_no_contacts) {
  Simulation simulation(mixed_heap(8), loose());
  run(simulation, 60, false);
  const SimulationState before = simulation.state();
  ASSERT_FALSE(simulation.contacts().empty());
  StepOptions unfit = loose();
  unfit.solver = "enumeration";
  simulation.set_options(unfit);
  EXPECT_THROW(simulation.step(), ImpossibleStep);
  EXPECT_EQ(simulation.state(), before);
  EXPECT_TRUE(simulation.contacts().empty());
  EXPECT_TRUE(simulation.contact_impulses().empty());
  simulation.set_options(loose());
  simulation.step();
  EXPECT_EQ(simulation.contacts().size(), simulation.contact_impulses().size());
  EXPECT_FALSE(simulation.contacts().empty());
}

TEST(State, the_next_problem_is_the_one_the_step_solves) {
  Simulation simulation(mixed_heap(6), loose());
  run(simulation, 60, false);
  const ContactProblem next = simulation.next_problem();
  const SimulationState before = simulation.state();
  simulation.step();
  const RigidModel &a = std::get<RigidModel>(next.model),
                   &b = std::get<RigidModel>(simulation.problem().model);
  EXPECT_EQ(a.w, b.w);
  EXPECT_EQ(a.b, b.b);
  EXPECT_EQ(a.free_velocity, b.free_velocity);
  EXPECT_EQ(next.mu, simulation.problem().mu);
  EXPECT_NE(simulation.state(), before);
}

} // namespace
} // namespace talus
