// Drag, buoyancy, wind and loads against closed forms.

#include "step_test_support.h"
#include "talus/world/time_table.h"

#include <numbers>

namespace talus {
namespace {

/// A body of 2 kg without shape.
BodyBuilder plain_body() {
  return body("thing").mass_properties({2, {}, Mat3::diagonal({0.1, 0.2, 0.3})});
}

TEST(Drag, QuadraticLeadsToTheTerminalVelocity) {
  for (const double h : {1e-3, 0.1, 10.0}) {
    World world;
    world.add(plain_body().resisted_by({.quadratic = 0.5}));
    Simulation simulation(std::move(world), {.step = h});
    run(simulation, steps_for(200, h) + 20);
    EXPECT_NEAR(simulation.world().state(0).velocity.z, -std::sqrt(2 * gravity / 0.5), 1e-9);
  }
}

TEST(Drag, LinearDecaysAsTheImplicitRuleDoes) {
  const double h = 0.01, c = 3;
  World world;
  world.gravity = {};
  world.add(plain_body().moving({4, -1, 2}).resisted_by({.linear = c}));
  Simulation simulation(std::move(world), {.step = h});
  run(simulation, 100);
  const double left = std::pow(1 + h * c / 2, -100);
  expect_near(simulation.world().state(0).velocity, left * Vec3{4, -1, 2}, 1e-13);
  EXPECT_NEAR(left, std::exp(-c / 2), 0.01); // first order in h
}

TEST(Drag, IsStableForAnyStep) {
  for (const double c : {1e3, 1e8, 1e14}) {
    World world;
    world.add(plain_body()
                  .moving({100, 0, 0})
                  .spinning({1, 2, 3})
                  .resisted_by({.linear = c, .quadratic = c, .angular = c}));
    Simulation simulation(std::move(world), {.step = 1.0});
    double last = 1e300;
    for (int k = 0; k < 5; ++k) {
      simulation.step();
      const BodyState& state = simulation.world().state(0);
      const double speed = norm(state.velocity - Vec3{0, 0, -2 * gravity / c});
      EXPECT_LE(speed, last);
      last = speed + 1e-12;
      EXPECT_LE(norm(state.angular_velocity), 4);
    }
  }
}

/// However large the drag, the floor bears the weight: drag counts at the velocity at the step's
/// end, which is zero.
TEST(Drag, DoesNotCarryWhatLiesOnTheFloor) {
  World world = world_with_floor(0.5);
  world.add(body("ball")
                .with(make_sphere(0.1))
                .mass(3)
                .at({0, 0, 0.1})
                .resisted_by({.linear = 1e6, .quadratic = 1e6}));
  Simulation simulation(std::move(world), rigid({.step = fine_step}));
  run(simulation, 10);
  ASSERT_EQ(simulation.contacts().size(), 1U);
  EXPECT_NEAR(simulation.contact_impulses()[0].z, 3 * gravity * fine_step, 1e-8);
}

TEST(Drag, AngularSlowsEachAxisByItsMoment) {
  const double h = 0.02, c = 0.05;
  for (int axis = 0; axis < 3; ++axis) {
    World world;
    Vec3 spin;
    spin[axis] = 5;
    world.add(plain_body().spinning(spin).resisted_by({.angular = c}));
    Simulation simulation(std::move(world), {.step = h});
    run(simulation, 50);
    const double moment = 0.1 * (axis + 1);
    EXPECT_NEAR(norm(simulation.world().state(0).angular_velocity),
                5 * std::pow(1 + h * c / moment, -50), 1e-12);
  }
}

TEST(Wind, CarriesBodiesAlong) {
  World world;
  world.gravity = {};
  world.set_wind([](const Vec3& place, double time) {
    return Vec3{2, time > 50 ? 1.0 : 0.0, 0.1 * (5 - place.z)};
  });
  world.add(plain_body().resisted_by({.linear = 1, .quadratic = 2}));
  Simulation simulation(std::move(world), {.step = 0.1});
  run(simulation, 2000);
  expect_near(simulation.world().state(0).velocity, {2, 1, 0}, 1e-6);
  EXPECT_NEAR(simulation.world().state(0).pose.position.z, 5, 1e-5);
}

World pool(double drag_coefficient = 0) {
  World world;
  world.add(Fluid{.name = "water", .density = 1000, .coefficient = drag_coefficient, .level = 0});
  return world;
}

/// The depth d at which a ball of the relative density s floats: d² (3 r - d) = 4 s r³.
TEST(Buoyancy, BallsFloatAtTheDepthOfArchimedes) {
  for (const double density : {200.0, 500.0, 900.0}) {
    World world = pool();
    const double r = 0.1;
    double depth = r;
    for (int k = 0; k < 100; ++k)
      depth -= (depth * depth * (3 * r - depth) - 4 * density / 1000 * r * r * r) /
               (6 * r * depth - 3 * depth * depth);
    world.add(body("ball").with(make_sphere(r)).density(density).at({0, 0, r - depth}));
    Simulation simulation(std::move(world), {.step = fine_step});
    run(simulation, 240);
    EXPECT_NEAR(simulation.world().state(0).pose.position.z, r - depth, 1e-12);
  }
}

TEST(Buoyancy, ABoxFloatsAndOscillatesAtItsFrequency) {
  World world = pool();
  const double side = 0.4, height = 0.2, share = 0.6, h = 1e-3;
  const double rest = height / 2 - share * height, amplitude = 0.01;
  world.add(body("box")
                .with(make_box({side / 2, side / 2, height / 2}))
                .density(600)
                .at({0, 0, rest + amplitude}));
  Simulation simulation(std::move(world), {.step = h});
  // m z̈ = -ρ g A z: ω² = g / (share · height), and half a period later it is at the other end.
  const double omega = std::sqrt(gravity / (share * height));
  run(simulation, steps_for(std::numbers::pi / omega, h));
  EXPECT_NEAR(simulation.world().state(0).pose.position.z, rest - amplitude, 1e-4);
  run(simulation, steps_for(2 * std::numbers::pi / omega, h));
  EXPECT_NEAR(simulation.world().state(0).pose.position.z, rest - amplitude, 2e-4);
}

/// The metacentre of a floating box lies width² / (12 draught) above the centre of buoyancy. The
/// sign of its height over the centre of mass decides whether the box rights itself.
TEST(Buoyancy, FlatBoxesRightThemselvesAndTallOnesFallOver) {
  for (const double height : {0.1, 0.3}) {
    World world = pool(0.5);
    const double width = 0.2, draught = 0.5 * height;
    const double metacentre = width * width / (12 * draught) - (height - draught) / 2;
    const double tilt = 0.02;
    world.add(body("box")
                  .with(make_box({0.3, width / 2, height / 2}))
                  .density(500)
                  .turned(axis_angle({1, 0, 0}, tilt)));
    Simulation simulation(std::move(world), {.step = fine_step});
    run(simulation, 240);
    const Quaternion& q = simulation.world().state(0).pose.rotation;
    const double angle = 2 * std::atan2(std::abs(q.x), std::abs(q.w));
    if (metacentre > 0)
      EXPECT_LT(angle, tilt) << height;
    else
      EXPECT_GT(angle, 10 * tilt) << height;
  }
}

TEST(Buoyancy, StokesVelocityOfASinkingBall) {
  World world;
  const double r = 1e-3, viscosity = 1.0;
  world.add(Fluid{.density = 1000, .viscosity = viscosity, .coefficient = 0});
  world.add(body("bead").with(make_sphere(r)).density(2500));
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 100);
  EXPECT_NEAR(simulation.world().state(0).velocity.z, -2.0 / 9 * 1500 * gravity * r * r / viscosity,
              1e-14);
}

TEST(Buoyancy, FollowsALevelThatMoves) {
  World world;
  Fluid tide{.density = 1000, .coefficient = 1, .flow = {}};
  tide.viscosity = 50;
  tide.level_at = [](double time) { return std::min(time, 2.0) * 0.1; };
  world.add(tide);
  world.add(body("cork").with(make_box({0.1, 0.1, 0.1})).density(500));
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 240 * 8);
  EXPECT_NEAR(simulation.world().state(0).pose.position.z, 0.2, 1e-4);
}

TEST(Loads, ATableGivesItsIntegralAsMomentum) {
  World world;
  world.gravity = {};
  world.add(plain_body());
  const TimeTable<double> force = {{0, 0}, {0.5, 10}, {1, 10}, {2, 0}};
  world.add(PointLoad{.body = 0, .point = {}, .force = [force](double t) {
                        return Vec3{value_at(force, t), 0, 0};
                      }});
  const double h = 1e-3;
  Simulation simulation(std::move(world), {.step = h});
  run(simulation, 2500);
  // Rectangles with equal ends on a table whose kinks are at steps are the trapezoidal rule.
  EXPECT_NEAR(2 * simulation.world().state(0).velocity.x, 2.5 + 5 + 5, 1e-9);
}

TEST(Loads, FollowAPointOfTheBody) {
  World world;
  world.gravity = {};
  const Quaternion turn = axis_angle({0, 0, 1}, std::numbers::pi / 2);
  world.add(body("bar").with(make_box({0.5, 0.1, 0.1})).mass(3).turned(turn));
  world.add(PointLoad{0, {0.5, 0, 0}, [](double) { return Vec3{0, 6, 0}; }, true});
  Simulation simulation(std::move(world), {.step = 1e-3});
  simulation.step();
  // y of the bar is -x of the world; the arm is y of the world: the torque is about z.
  const BodyState& state = simulation.world().state(0);
  expect_near(state.velocity, {-6.0 / 3 * 1e-3, 0, 0}, 1e-15);
  EXPECT_NEAR(state.angular_velocity.z, 3.0 / (3 * (0.25 + 0.01) / 3) * 1e-3, 1e-12);
}

TEST(Surroundings, RefuseWhatMakesNoSense) {
  World world;
  world.add(plain_body());
  EXPECT_THROW(world.add(Fluid{.density = -1}), InvalidArgument);
  EXPECT_THROW(world.add(Fluid{.normal = {}}), InvalidArgument);
  EXPECT_THROW(world.add(PointLoad{.body = 4}), InvalidArgument);
  EXPECT_THROW(world.add(PointLoad{.body = 0}), InvalidArgument);
  EXPECT_THROW(world.set_drag(0, {.linear = -1}), InvalidArgument);
  EXPECT_THROW(world.add(body("b").mass(1).resisted_by({.area = -2})), InvalidArgument);
  world.set_wind([](const Vec3&, double) { return Vec3{NAN, 0, 0}; });
  world.set_drag(0, {.linear = 1});
  Simulation simulation(std::move(world));
  EXPECT_THROW(simulation.step(), NonFiniteState);
}

} // namespace
} // namespace talus
