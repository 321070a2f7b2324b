// Contacts of finite stiffness against closed forms: how far they yield, that they hold what they
// hold without creeping, and that they swing as springs do.

#include "step/step_test_support.h"
#include "talus/step/laws/elastic_contacts.h"

namespace talus {
namespace {

World elastic_floor(double friction, double stiffness, double restitution = 0) {
  World world = world_with_floor(friction);
  world.materials.replace(0, {.name = "default",
                              .friction = friction,
                              .restitution = restitution,
                              .stiffness = 2 * stiffness}); // two surfaces, in series
  return world;
}

/// A cube that cannot turn, so that its four contacts carry equal loads.
Index add_cube(World& world, double mass, double sunk = 0) {
  return world.add(
      body().with(make_box({0.1, 0.1, 0.1})).mass(mass).at({0, 0, 0.1 - sunk}).without_rotation());
}

TEST(Elastic, a_ball_sinks_by_its_weight_over_the_stiffness) {
  constexpr double mass = 3, stiffness = 1e5;
  for (const bool planar : {false, true}) {
    World world = elastic_floor(0.5, stiffness);
    if (planar) world.confine_to_plane({0, 1, 0});
    const Index ball = world.add(body().with(make_sphere(0.1)).mass(mass).at({0, 0, 0.1}));
    Simulation simulation(std::move(world), {.step = fine_step});
    run(simulation, 200);
    EXPECT_NEAR(simulation.world().pose(ball).position.z, 0.1 - mass * gravity / stiffness, 1e-9);
  }
}

TEST(Elastic, a_cube_on_a_slope_shears_by_its_load_and_never_creeps) {
  constexpr double mass = 2, stiffness = 1e5, slope = 0.3;
  World world = elastic_floor(0.5, stiffness);
  world.gravity = {gravity * std::sin(slope), 0, -gravity * std::cos(slope)};
  const Index cube = add_cube(world, mass);
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 500);
  const Vec3 early = simulation.world().pose(cube).position;
  const double yield = mass * gravity / (4 * stiffness);
  expect_near(early, {yield * std::sin(slope), 0, 0.1 - yield * std::cos(slope)}, 1e-9);
  run(simulation, 5000);
  expect_near(simulation.world().pose(cube).position, early, 1e-10, "it creeps");
}

TEST(Elastic, beyond_the_friction_angle_it_slides_by_coulombs_law) {
  constexpr double friction = 0.3, slope = 0.6, seconds = 1;
  World world = elastic_floor(friction, 1e5);
  world.gravity = {gravity * std::sin(slope), 0, -gravity * std::cos(slope)};
  const Index cube = add_cube(world, 2);
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, steps_for(seconds, fine_step));
  const double speed = simulation.world().state(cube).velocity.x;
  run(simulation, steps_for(seconds, fine_step));
  const double acceleration = (simulation.world().state(cube).velocity.x - speed) / seconds;
  EXPECT_NEAR(acceleration, gravity * (std::sin(slope) - friction * std::cos(slope)), 1e-6);
}

TEST(Elastic, memory_of_the_shear_does_not_need_the_warm_start) {
  const auto place = [](bool warm) {
    World world = elastic_floor(0.5, 1e4);
    world.gravity = {2, 1, -gravity};
    const Index cube = add_cube(world, 2);
    Simulation simulation(std::move(world), {.step = fine_step, .warm_start = warm});
    run(simulation, 100);
    return simulation.world().pose(cube).position;
  };
  expect_near(place(true), place(false), 1e-9);
}

TEST(Elastic, swings_with_the_frequency_of_a_spring) {
  // Released where it touches, a ball swings about mg/k with that amplitude; along the floor, where
  // friction holds it, a cube does under a sudden sideways force.
  constexpr double mass = 1, stiffness = 100, step = 1e-4;
  const double half_period = M_PI * std::sqrt(mass / stiffness);
  World world = elastic_floor(0.5, stiffness);
  const Index ball = world.add(body().with(make_sphere(0.5)).mass(mass).at({0, 0, 0.5}));
  Simulation simulation(std::move(world), {.step = step});
  run(simulation, steps_for(half_period, step));
  const double depth = 0.5 - simulation.world().pose(ball).position.z;
  EXPECT_NEAR(depth / (2 * mass * gravity / stiffness), 1, 5e-3);
  const StepReport& report = simulation.report();
  EXPECT_NEAR(report.elastic_energy, 0.5 * stiffness * depth * depth, 1e-9);
  // All that it fell is in the spring, but for what the implicit step loses: ω h times the energy.
  EXPECT_NEAR(report.elastic_energy / (mass * gravity * depth), 1, 5e-3);

  World sideways = elastic_floor(0.5, stiffness / 4);
  sideways.gravity.x = 0.1 * gravity;
  const Index cube = add_cube(sideways, mass, mass * gravity / stiffness);
  Simulation sheared(std::move(sideways), {.step = step});
  run(sheared, steps_for(half_period, step));
  EXPECT_NEAR(sheared.world().pose(cube).position.x / (2 * 0.1 * mass * gravity / stiffness), 1,
              5e-3);
}

TEST(Elastic, a_jammed_row_shares_what_it_is_too_long) {
  // Rigid, this row has no answer (rest_test.cpp). Six springs in series take a sixth each.
  constexpr double radius = 0.1, excess = 6e-4;
  constexpr int balls = 5;
  World world = elastic_floor(0, 1e6);
  world.gravity = {};
  world.add(fixed_body("left").with(make_half_space({1, 0, 0})));
  world.add(fixed_body("right").with(make_half_space({-1, 0, 0}, excess - 2 * radius * balls)));
  for (int k = 0; k < balls; ++k)
    world.add(body().with(make_sphere(radius)).mass(6).at({(2 * k + 1) * radius, 0, 2 * radius}));
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 100);
  int pressed = 0;
  for (const ContactPoint& contact : simulation.contacts()) {
    if (contact.gap >= 0) continue; // balls that are not neighbours
    EXPECT_NEAR(contact.gap, -excess / 6, 1e-9);
    ++pressed;
  }
  EXPECT_EQ(pressed, balls + 1);
  EXPECT_LT(simulation.report().kinetic_energy, 1e-12);
}

TEST(Elastic, a_bounce_is_newtons) {
  World world = elastic_floor(0, 1e5, 0.5);
  const Index ball =
      world.add(body().with(make_sphere(0.1)).mass(1).at({0, 0, 0.105}).moving({0, 0, -2}));
  Simulation simulation(std::move(world), {.step = fine_step});
  simulation.step();
  EXPECT_NEAR(simulation.world().state(ball).velocity.z, 1, 1e-7);
}

TEST(Elastic, the_implicit_step_damps_what_it_cannot_resolve) {
  // Of the speed v at which a free ball touches, ε (1 − ε) / (1 + ε)² comes back, ε = m / (h² k).
  constexpr double mass = 1, ratio = 0.06;
  World world = elastic_floor(0, mass / (ratio * fine_step * fine_step));
  world.gravity = {};
  const Index ball =
      world.add(body().with(make_sphere(0.1)).mass(mass).at({0, 0, 0.1}).moving({0, 0, -1}));
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 50);
  EXPECT_NEAR(simulation.world().state(ball).velocity.z,
              ratio * (1 - ratio) / ((1 + ratio) * (1 + ratio)), 1e-4);
}

TEST(Elastic, a_hit_on_a_pressed_contact_is_taken_by_its_spring) {
  // A bounce there would undo all of the yield at once, and throw the ball.
  constexpr double mass = 1, stiffness = 2e3;
  World world = elastic_floor(0, stiffness, 0.1);
  const double sunk = mass * gravity / stiffness;
  const Index ball =
      world.add(body().with(make_sphere(0.1)).mass(mass).at({0, 0, 0.1 - sunk}).moving({0, 0, -1}));
  Simulation simulation(std::move(world), {.step = fine_step});
  double fastest = 0;
  for (int k = 0; k < 100; ++k) {
    simulation.step();
    fastest = std::max(fastest, simulation.world().state(ball).velocity.z);
  }
  EXPECT_GT(fastest, 0.1) << "a soft spring gives some of it back";
  EXPECT_LT(fastest, 1) << "but no more than there was";
}

TEST(Elastic, what_bounces_a_little_comes_to_rest) {
  World world = elastic_floor(0, 1e3, 0.02);
  world.add(body().with(make_sphere(0.1)).mass(1).at({0, 0, 0.1}));
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 2000);
  EXPECT_LT(simulation.report().kinetic_energy, 1e-12);
}

TEST(Elastic, the_speed_of_recovery_does_not_weaken_springs) {
  constexpr double mass = 1, stiffness = 2e3;
  World world = elastic_floor(0.5, stiffness);
  const Index ball = world.add(body().with(make_sphere(0.1)).mass(mass).at({0, 0, 0.1}));
  Simulation simulation(std::move(world), {.step = fine_step, .max_recovery_speed = 0.1});
  run(simulation, 1000);
  EXPECT_NEAR(simulation.world().pose(ball).position.z, 0.1 - mass * gravity / stiffness, 1e-6);
}

TEST(Elastic, a_contact_that_joints_block_still_presses) {
  // What the weld holds down cannot move, but the spring pushes: by k times its depth.
  constexpr double stiffness = 1e5, depth = 1e-4;
  for (const bool eliminate : {true, false}) {
    World world = elastic_floor(0.5, stiffness);
    const Index ball = world.add(body().with(make_sphere(0.1)).mass(1).at({0, 0, 0.1 - depth}));
    world.add(welded().between(ground, ball).at({0, 0, 0.1}));
    Simulation simulation(std::move(world), {.step = fine_step, .eliminate_joints = eliminate});
    run(simulation, 5);
    ASSERT_EQ(simulation.contacts().size(), 1u);
    EXPECT_NEAR(simulation.contact_impulses()[0].z / fine_step, stiffness * depth, 1e-5);
  }
}

TEST(Elastic, shear_outlives_new_bodies_and_other_steps) {
  World world = elastic_floor(0.5, 1e4);
  world.gravity = {2, 1, -gravity};
  const Index cube = add_cube(world, 2);
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 300);
  const Vec3 place = simulation.world().pose(cube).position;
  simulation.world().add(body().with(make_sphere(0.1)).at({5, 0, 0.5}));
  run(simulation, 10);
  expect_near(simulation.world().pose(cube).position, place, 1e-9, "a new body");
  StepOptions shorter = simulation.options();
  shorter.step = 0.3 * fine_step;
  simulation.set_options(shorter);
  run(simulation, 10);
  expect_near(simulation.world().pose(cube).position, place, 1e-9, "a shorter step");
}

TEST(Elastic, joints_stay_rigid_beside_elastic_contacts) {
  constexpr double stiffness = 1e5;
  for (const bool eliminate : {true, false}) {
    World world = elastic_floor(0.5, stiffness);
    const Index cube = add_cube(world, 2);
    const Index load =
        world.add(body().with(make_sphere(0.05)).mass(5).at({0, 0, 1}).without_rotation());
    world.add(welded("mast").between(cube, load).at({0, 0, 0.5}));
    Simulation simulation(std::move(world), {.step = fine_step, .eliminate_joints = eliminate});
    run(simulation, 300);
    const double sunk = 7 * gravity / (4 * stiffness);
    EXPECT_NEAR(simulation.world().pose(cube).position.z, 0.1 - sunk, 1e-8);
    EXPECT_NEAR(simulation.world().pose(load).position.z, 1 - sunk, 1e-8);
  }
}

/// Balls that fall into a heap between walls.
World heap(int balls) {
  World world = elastic_floor(0.4, 1e5);
  for (const Vec3& inwards : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}})
    world.add(fixed_body().with(make_half_space(inwards, -0.35)));
  Random random(7);
  for (int k = 0; k < balls; ++k)
    world.add(body()
                  .with(make_sphere(random(0.06, 0.09)))
                  .at(Vec3{0.2 * (k % 3 - 1), 0.2 * (k / 3 % 3 - 1), 0.1 + 0.2 * (k / 9)} +
                      random.vector(0.01)));
  return world;
}

TEST(Elastic, every_step_of_a_falling_heap_reaches_1e_8) {
  Simulation simulation(heap(60), {.step = fine_step, .max_iterations = 3000});
  const RunSummary summary = run(simulation, 400);
  EXPECT_LT(summary.error_max, 1e-8);
}

TEST(Elastic, restoring_then_stepping_equals_stepping) {
  const StepOptions options{.step = fine_step, .tolerance = 1e-6};
  Simulation simulation(heap(30), options);
  run(simulation, 150);
  const SimulationState saved = simulation.state();
  EXPECT_EQ(saved.warm_start.normals.size(), saved.warm_start.contacts.size());
  EXPECT_FALSE(saved.warm_start.normals.empty());
  run(simulation, 20);
  Simulation fresh(heap(30), options);
  fresh.restore(saved);
  run(fresh, 20);
  EXPECT_EQ(fresh.state(), simulation.state());

  SimulationState broken = saved;
  broken.warm_start.normals.pop_back();
  EXPECT_THROW(fresh.restore(broken), InvalidArgument);
}

TEST(Elastic, impulses_turn_with_bodies_that_turn_together) {
  Random random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3 spin = random.vector(2), impulse = random.vector(1);
    const Vec3 normal = normalized(random.vector(1));
    const Quaternion turn = exponential_map(fine_step * spin);
    ContactPoint contact;
    contact.body_b = 1;
    contact.normal = rotate(turn, normal);
    std::vector<BodyState> states(2);
    for (BodyState& state : states) state.angular_velocity = spin;
    const Vec3 turned = turned_with(contact, normal, states, fine_step, impulse);
    expect_near(turned, rotate(turn, impulse), 1e-6);
    EXPECT_NEAR(dot(turned, contact.normal), dot(impulse, normal), 1e-14) << "loads stay loads";
  }
}

TEST(Elastic, an_impulse_whose_contact_turned_over_is_forgotten) {
  ContactPoint contact;
  contact.normal = {0, 0, -1};
  const std::vector<BodyState> states(1);
  EXPECT_EQ(turned_with(contact, {0, 0, 1}, states, fine_step, {1, 2, 3}), Vec3{});
}

} // namespace
} // namespace talus
