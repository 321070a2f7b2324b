// Rolling and spinning friction in simulations, against closed forms.

#include "step/step_test_support.h"
#include "talus/core/error.h"

namespace talus {
namespace {

/// Everything has these coefficients.
World world_with(double friction, double rolling, double spinning) {
  World world;
  world.materials.replace(
      0, {.name = "default", .friction = friction, .rolling = rolling, .spinning = spinning});
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  return world;
}

StepOptions exact(double h) {
  StepOptions options;
  options.step = h;
  options.tolerance = 1e-10;
  options.relative_compliance = 0;
  return options;
}

// A ball that rolls without slipping is braked by a = (5/7) g ρ/R: about the contact point its
// moment of inertia is (7/5) m R², and the moment is ρ m g. It stops after v₀² / (2 a). In steps
// of length h the velocity is v₀ - k a h after k steps, and bodies move with the velocity at the
// step's end, so that the ball covers Σ h (v₀ - k a h) = h n v₀ - a h² n (n + 1) / 2 with
// n = ⌊v₀ / (a h)⌋, about h v₀ / 2 less.
TEST(Rolling, ball_stops_where_the_closed_form_says) {
  for (const double radius : {0.5, 0.02}) {
    const double length = 0.02 * radius, speed = std::sqrt(radius), h = 0.002;
    World world = world_with(0.5, length, 0);
    const Index ball = world.add(body("ball")
                                     .with(make_sphere(radius))
                                     .at({0, 0, radius})
                                     .moving({speed, 0, 0})
                                     .spinning({0, speed / radius, 0}));
    Simulation simulation(std::move(world), exact(h));
    const double a = 5.0 / 7 * gravity * length / radius;
    const double n = std::floor(speed / (a * h));
    const double expected = h * n * speed - 0.5 * a * h * h * n * (n + 1);
    run(simulation, static_cast<long>(n / 2));
    EXPECT_NEAR(simulation.world().state(ball).velocity.x, speed - std::floor(n / 2) * a * h,
                1e-7 * speed);
    run(simulation, static_cast<long>(n) + 20);
    const BodyState& state = simulation.world().state(ball);
    EXPECT_NEAR(state.pose.position.x, expected, 1e-6 * expected) << radius;
    EXPECT_NEAR(expected, speed * speed / (2 * a), 0.6 * h * speed);
    EXPECT_LE(norm(state.velocity), 1e-9 * speed);
    EXPECT_NEAR(state.pose.position.z, radius, 1e-9);
  }
}

/// A ball on a slope of the given angle, at rest.
Simulation ball_on_slope(double angle, double friction, double rolling, double h) {
  World world = world_with(friction, rolling, 0);
  world.gravity = {gravity * std::sin(angle), 0, -gravity * std::cos(angle)};
  world.add(body("ball").with(make_sphere(0.5)).at({0, 0, 0.5}));
  return Simulation(std::move(world), exact(h));
}

// It holds as long as tan(angle) < ρ/R, and then does not creep at all.
TEST(Rolling, ball_holds_on_a_slope_below_the_angle_of_rolling) {
  const double limit = std::atan(0.05 / 0.5);
  for (const double share : {0.5, 0.99}) {
    Simulation simulation = ball_on_slope(share * limit, 0.5, 0.05, 0.01);
    run(simulation, 1);
    const Vec3 start = simulation.world().states()[1].pose.position;
    run(simulation, 1000);
    EXPECT_LE(norm(simulation.world().states()[1].pose.position - start), 1e-12) << share;
  }
}

// Above it the ball rolls with (5/7) g (sin α - (ρ/R) cos α).
TEST(Rolling, ball_rolls_down_a_steeper_slope) {
  const double angle = 2 * std::atan(0.05 / 0.5), h = 0.01;
  Simulation simulation = ball_on_slope(angle, 0.5, 0.05, h);
  run(simulation, 100);
  const double a = 5.0 / 7 * gravity * (std::sin(angle) - 0.1 * std::cos(angle));
  EXPECT_NEAR(simulation.world().states()[1].velocity.x, 100 * h * a, 1e-8);
}

// A ball that spins about the vertical is braked by (5/2) g ρ_s / R².
TEST(Rolling, spinning_ball_stops) {
  const double radius = 0.5, length = 0.01, h = 0.005, spin = 2;
  World world = world_with(0.5, 0, length);
  const Index ball =
      world.add(body("ball").with(make_sphere(radius)).at({0, 0, radius}).spinning({0, 0, spin}));
  Simulation simulation(std::move(world), exact(h));
  const double braking = 2.5 * gravity * length / (radius * radius);
  const long half = std::lround(0.5 * spin / (braking * h));
  run(simulation, half);
  EXPECT_NEAR(simulation.world().state(ball).angular_velocity.z, spin - half * h * braking, 1e-7);
  run(simulation, half + 20);
  EXPECT_NEAR(simulation.world().state(ball).angular_velocity.z, 0, 1e-9);
}

// Of two materials the geometric mean counts, of a pair its own lengths.
TEST(Rolling, materials_combine) {
  MaterialTable table;
  const Index rubber = table.add({.name = "rubber", .rolling = 0.04, .spinning = 0.01});
  const Index steel = table.add({.name = "steel", .rolling = 0.01});
  EXPECT_DOUBLE_EQ(table.between(rubber, steel).rolling, 0.02);
  EXPECT_DOUBLE_EQ(table.between(rubber, steel).spinning, 0);
  EXPECT_DOUBLE_EQ(table.between(rubber, 0).rolling, 0);
  table.rolling_rule = CombineRule::maximum;
  EXPECT_DOUBLE_EQ(table.between(rubber, 0).rolling, 0.04);
  table.set_pair({.a = rubber, .b = steel, .rolling = 0.3, .spinning = 0.2});
  EXPECT_DOUBLE_EQ(table.between(steel, rubber).rolling, 0.3);
  EXPECT_DOUBLE_EQ(table.between(steel, rubber).spinning, 0.2);
  EXPECT_TRUE(table.resists_rolling());
  EXPECT_FALSE(MaterialTable().resists_rolling());
  EXPECT_THROW(table.add({.name = "bad", .rolling = -1}), InvalidArgument);
  EXPECT_THROW(table.add({.name = "bad", .spinning = NAN}), InvalidArgument);
}

/// Balls and boxes that fall on each other.
World rolling_heap(unsigned seed) {
  Random random(seed);
  World world = world_with(0.4, 0.01, 0.005);
  for (int k = 0; k < 40; ++k) {
    const Vec3 at{0.6 * (k % 3 - 1), 0.6 * (k / 3 % 3 - 1), 0.4 + 0.6 * (k / 9)};
    const ShapePtr shape = k % 2 == 0 ? make_sphere(random(0.15, 0.25))
                                      : make_box(Vec3{0.2, 0.2, 0.2} + random.vector(0.05));
    world.add(body().with(shape).at(at + random.vector(0.05)).turned(random.rotation()));
  }
  return world;
}

TEST(Rolling, restoring_then_stepping_equals_stepping) {
  StepOptions options;
  options.tolerance = 1e-6;
  Simulation simulation(rolling_heap(3), options);
  run(simulation, 80);
  const SimulationState saved = simulation.state();
  EXPECT_FALSE(saved.warm_start.contacts.empty());
  EXPECT_EQ(saved.warm_start.moments.size(), saved.warm_start.contacts.size());
  run(simulation, 20);
  Simulation fresh(rolling_heap(3), options);
  fresh.restore(saved);
  run(fresh, 20);
  EXPECT_EQ(fresh.state(), simulation.state());
  SimulationState without = saved;
  without.warm_start.moments.clear();
  Simulation other(rolling_heap(3), options);
  other.restore(without);
  run(other, 20);
  EXPECT_NE(other.state(), simulation.state()) << "moments are part of the warm start";
}

// Friction takes energy away and never gives any.
TEST(Rolling, heap_never_gains_energy) {
  StepOptions options;
  options.tolerance = 1e-8;
  Simulation simulation(rolling_heap(5), options);
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 150; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(report.converged()) << report.message;
    const double energy = report.kinetic_energy + report.potential_energy;
    EXPECT_LE(energy, before + 1e-3) << "step " << k;
    before = energy;
  }
}

TEST(Rolling, needs_round_cones) {
  World world = world_with(0.5, 0.01, 0);
  world.add(body("ball").with(make_sphere(0.5)).at({0, 0, 0.5}));
  StepOptions options;
  options.friction = parse_friction_set("pyramid");
  Simulation simulation(std::move(world), options);
  try {
    simulation.step();
    ADD_FAILURE() << "a pyramid was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("need the friction set cone, not pyramid"),
              std::string::npos)
        << error.what();
  }
}

} // namespace
} // namespace talus
