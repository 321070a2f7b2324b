// Contacts that pull, against closed forms.

#include "step/step_test_support.h"
#include "talus/core/error.h"
#include "talus/step/forces.h"

namespace talus {
namespace {

constexpr double ball_radius = 0.1, ball_mass = 2, sticky_step = 0.005;

World cohesive_world(const Material& material) {
  World world;
  world.materials.replace(0, material);
  return world;
}

/// A ball that touches a ceiling from below.
Simulation hanging_ball(const Material& material, StepOptions options = {}) {
  World world = cohesive_world(material);
  world.add(fixed_body("ceiling").with(make_half_space({0, 0, -1})));
  world.add(body("ball").with(make_sphere(ball_radius)).mass(ball_mass).at({0, 0, -ball_radius}));
  options.step = sticky_step;
  return Simulation(std::move(world), options);
}

double ball_height(const Simulation& simulation) {
  return simulation.world().states()[1].pose.position.z;
}

// It hangs as long as m g < c, and then does not move; otherwise it falls as if nothing held it but
// for the first step, in which it is drawn with c.
TEST(Cohesion, ball_hangs_as_long_as_its_weight_is_below_the_limit) {
  for (const double yielding : {0.0, 0.01})
    for (const double share : {0.5, 0.999, 1.001, 2.0}) {
      StepOptions options;
      options.relative_compliance = yielding;
      const double limit = ball_mass * gravity / share;
      Simulation simulation =
          hanging_ball({.name = "default", .cohesion = {.force = limit}}, options);
      run(simulation, 200);
      const double lost = -ball_radius - ball_height(simulation);
      if (share < 1) {
        EXPECT_NEAR(lost, 0, 1e-5) << share;
        EXPECT_LE(norm(simulation.world().states()[1].velocity), 1e-9) << share;
        EXPECT_NEAR(contact_force(simulation, 1).force.z, ball_mass * gravity,
                    1e-6 * ball_mass * gravity);
        EXPECT_EQ(simulation.cohesive_impulses().size(), 1U);
      } else {
        const double t = simulation.time();
        EXPECT_GT(lost, 0.3 * gravity * t * t) << share;
        EXPECT_EQ(contact_force(simulation, 1).force.z, 0);
      }
    }
}

// A beyond-the-limit ball with a range: it is braked by c until the gap reaches the range. Here it
// is thrown down with speed v against c without gravity: it comes off iff m v² / 2 > c d.
TEST(Cohesion, range_holds_as_much_energy_as_force_times_range) {
  const double force = 50, range = 0.02, limit = std::sqrt(2 * force * range / ball_mass);
  for (const double share : {0.97, 1.03}) {
    World world = cohesive_world({.name = "default", .cohesion = {.force = force, .range = range}});
    world.gravity = {};
    world.add(fixed_body("ceiling").with(make_half_space({0, 0, -1})));
    world.add(body("ball")
                  .with(make_sphere(ball_radius))
                  .mass(ball_mass)
                  .at({0, 0, -ball_radius})
                  .moving({0, 0, -share * limit}));
    Simulation simulation(std::move(world), {.step = 1e-4});
    const double start = 0.5 * ball_mass * share * share * limit * limit;
    double highest = 0;
    for (int k = 0; k < 3000; ++k) {
      const StepReport& report = simulation.step();
      highest = std::max(highest, report.kinetic_energy + report.elastic_energy);
    }
    EXPECT_LE(highest, start * (1 + 1e-9));
    const double speed = simulation.world().states()[1].velocity.z;
    if (share < 1) {
      EXPECT_NEAR(ball_height(simulation), -ball_radius, 1e-5);
    } else {
      // Steps pull for a whole number of times sticky_step: what is left of the energy, to first
      // order in sticky_step.
      const double left = start - force * range;
      EXPECT_NEAR(0.5 * ball_mass * speed * speed, left, force * limit * 1e-4 * 1.5);
      EXPECT_LT(speed, 0);
    }
  }
}

/// Cubes, one hanging from the other, from a ceiling.
Simulation hanging_column(int count, const Material& material, bool turned_over) {
  World world = cohesive_world(material);
  const double side = 0.2, down = turned_over ? 1 : -1;
  world.add(fixed_body("wall").with(make_half_space({0, 0, down})));
  for (int k = 0; k < count; ++k)
    world.add(body()
                  .with(make_box({side / 2, side / 2, side / 2}))
                  .mass(ball_mass)
                  .at({0, 0, down * side * (k + 0.5)}));
  return Simulation(std::move(world), {.step = sticky_step});
}

// The highest contact carries count · m g, here over an area of 0.04 m².
TEST(Cohesion, column_hangs_by_a_stress_on_its_faces) {
  const int count = 6;
  for (const double share : {0.98, 1.02}) {
    const double stress = count * ball_mass * gravity / 0.04 / share;
    Simulation simulation =
        hanging_column(count, {.name = "default", .cohesion = {.stress = stress}}, false);
    run(simulation, 200);
    const double lost = -0.1 - simulation.world().states()[1].pose.position.z;
    if (share < 1)
      EXPECT_NEAR(lost, 0, 1e-4);
    else
      EXPECT_GT(lost, 1);
  }
}

// A column that stands is tilted beyond where its weight holds it: about its edge, weight w and
// stress p on the foot of side a give a moment of w a/2 + p a² · a/2 at most.
TEST(Cohesion, column_stands_against_a_moment) {
  const int count = 5;
  const double side = 0.2, weight = count * ball_mass * gravity, pull = 300;
  const double hold = (weight + pull) * side / 2, lever = side * (count - 0.5);
  for (const double share : {0.97, 1.03}) {
    Simulation simulation = hanging_column(count,
                                           {.name = "default",
                                            .friction = 2,
                                            .stiffness = rigid_stiffness, // springs would overshoot
                                            .cohesion = {.force = pull}},
                                           true);
    // Only the foot is to give way.
    simulation.world().set_load(count, {{share * hold / lever, 0, 0}, {}});
    run(simulation, 200);
    const Vec3 top = simulation.world().states()[count].pose.position;
    if (share < 1)
      EXPECT_NEAR(top.x, 0, 1e-4);
    else
      EXPECT_GT(top.x, 0.01);
  }
}

// Friction is bounded by µ times the normal force plus c.
TEST(Cohesion, cube_slides_beyond_friction_of_weight_and_cohesion) {
  const double mu = 0.4, pull = 30, limit = mu * (ball_mass * gravity + pull);
  for (const double share : {0.999, 1.1}) {
    World world = cohesive_world({.name = "default", .friction = mu, .cohesion = {.force = pull}});
    world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
    const Index cube =
        world.add(body().with(make_box({0.1, 0.1, 0.1})).mass(ball_mass).at({0, 0, 0.1}));
    world.set_load(cube, {{share * limit, 0, 0}, {0, -share * limit * 0.1, 0}});
    Simulation simulation(std::move(world), {.step = sticky_step});
    run(simulation, 100);
    const double t = simulation.time(), a = (share - 1) * limit / ball_mass;
    const double moved = simulation.world().states()[cube].pose.position.x;
    if (share < 1)
      EXPECT_NEAR(moved, 0, 1e-5);
    else
      EXPECT_NEAR(moved, 0.5 * a * t * (t + sticky_step), 1e-5);
    EXPECT_NEAR(contact_force(simulation, cube).force.z, ball_mass * gravity,
                1e-5 * ball_mass * gravity);
  }
}

// Rolling friction grows with cohesion, too: a ball rests on a slope up to tan α = ρ (w + c) / (R
// w) with w = m g cos α.
TEST(Cohesion, ball_rests_on_a_steeper_slope) {
  const double rolling = 0.01, angle = 0.3, weight = ball_mass * gravity * std::cos(angle);
  const double needed = std::tan(angle) * ball_radius * weight / rolling - weight;
  for (const double share : {0.99, 1.01}) {
    World world = cohesive_world({.name = "default",
                                  .friction = 1,
                                  .stiffness = rigid_stiffness,
                                  .rolling = rolling,
                                  .cohesion = {.force = share * needed}});
    world.gravity = {gravity * std::sin(angle), 0, -gravity * std::cos(angle)};
    world.add(fixed_body("slope").with(make_half_space({0, 0, 1})));
    world.add(body("ball").with(make_sphere(ball_radius)).mass(ball_mass).at({0, 0, ball_radius}));
    Simulation simulation(std::move(world), {.step = sticky_step});
    run(simulation, 200);
    const double moved = simulation.world().states()[1].pose.position.x;
    if (share > 1)
      EXPECT_NEAR(moved, 0, 1e-9);
    else
      EXPECT_GT(moved, 1e-3);
    // Forces and moments together balance the weight of a ball at rest.
    const Wrench force = contact_force(simulation, 1);
    if (share > 1) expect_near(force.torque, {}, 1e-7 * ball_mass * gravity * ball_radius);
  }
}

/// Throws a ball at the ceiling again, after it came off.
bool sticks_again(bool heals) {
  Simulation simulation = hanging_ball(
      {.name = "default", .cohesion = {.force = 3 * ball_mass * gravity, .heals = heals}});
  run(simulation, 10);
  EXPECT_NEAR(ball_height(simulation), -ball_radius, 1e-5);
  simulation.world().set_load(1, {{0, 0, -2.5 * ball_mass * gravity}, {}});
  run(simulation, 10);
  EXPECT_LT(ball_height(simulation), -ball_radius - 1e-3);
  simulation.world().set_load(1, {});
  simulation.world().state(1).velocity = {0, 0, 1};
  run(simulation, 100);
  return std::abs(ball_height(simulation) + ball_radius) < 1e-5;
}

TEST(Cohesion, broken_contacts_stick_again_only_if_they_heal) {
  EXPECT_TRUE(sticks_again(true));
  EXPECT_FALSE(sticks_again(false));
}

/// Sticky balls and cubes that fall on a floor.
World sticky_heap(bool heals) {
  Random random(7);
  World world = cohesive_world({.name = "default",
                                .friction = 0.5,
                                .restitution = 0.3,
                                .rolling = 0.002,
                                .cohesion = {.force = 5, .range = 0.003, .heals = heals}});
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  for (int k = 0; k < 30; ++k)
    world.add(
        body()
            .with(k % 2 == 0 ? make_sphere(0.1) : make_box({0.08, 0.08, 0.08}))
            .at(Vec3{0.25 * (k % 3), 0.25 * (k / 3 % 3), 0.2 + 0.3 * (k / 9)} + random.vector(0.02))
            .moving(random.vector(1)));
  return world;
}

TEST(Cohesion, restoring_then_stepping_equals_stepping) {
  const StepOptions options{.tolerance = 1e-6};
  Simulation simulation(sticky_heap(false), options);
  run(simulation, 120, false);
  const SimulationState saved = simulation.state();
  EXPECT_FALSE(saved.bonds.empty());
  const auto broken = [](const Bond& bond) { return bond.broken; };
  EXPECT_TRUE(std::ranges::any_of(saved.bonds, broken));
  simulation.next_problem(); // has no effect
  run(simulation, 30, false);
  Simulation fresh(sticky_heap(false), options);
  fresh.restore(saved);
  run(fresh, 30, false);
  EXPECT_EQ(fresh.state(), simulation.state());

  SimulationState without = saved;
  without.bonds.clear();
  Simulation other(sticky_heap(false), options);
  other.restore(without);
  run(other, 30, false);
  EXPECT_NE(other.state(), simulation.state());
  SimulationState strange = saved;
  strange.bonds[0].collider_b = 1000;
  EXPECT_THROW(other.restore(strange), InvalidArgument);
}

// The answer in r̃ = r + c h n is certified as any other: here by the forces on each body.
TEST(Cohesion, forces_of_contacts_and_weight_change_the_momentum) {
  Simulation simulation(sticky_heap(true), {.tolerance = 1e-9});
  run(simulation, 60, false);
  for (int k = 0; k < 60; ++k) {
    std::vector<Vec3> before;
    for (const BodyState& state : simulation.world().states()) before.push_back(state.velocity);
    simulation.step();
    const double step = simulation.options().step;
    const auto forces = contact_forces(simulation);
    for (Index i = 1; i < simulation.world().size(); ++i) {
      const double m = simulation.world().bodies()[i].mass;
      const Vec3 change = m * (simulation.world().states()[i].velocity - before[i]);
      expect_near(change, step * (forces[i].force + m * simulation.world().gravity), 1e-9);
    }
  }
}

TEST(Cohesion, is_not_negative) {
  MaterialTable table;
  EXPECT_THROW(table.add({.name = "a", .cohesion = {.force = -1}}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "a", .cohesion = {.stress = NAN}}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "a", .cohesion = {.range = -1e-9}}), InvalidArgument);
  const Index a = table.add({.name = "a", .cohesion = {.force = 4, .range = 1, .heals = false}});
  const Index b = table.add({.name = "b", .cohesion = {.force = 9, .range = 2}});
  EXPECT_EQ(table.between(a, b).cohesion, (Cohesion{.force = 6, .range = 2, .heals = false}));
  EXPECT_FALSE(table.between(0, b).cohesion.exists());
  table.set_pair({.a = 0, .b = b, .cohesion = {.stress = 7}});
  EXPECT_EQ(table.between(b, 0).cohesion, (Cohesion{.stress = 7}));
}

} // namespace
} // namespace talus
