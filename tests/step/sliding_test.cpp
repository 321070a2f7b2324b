// A body on a plane against the closed forms of dry friction (mazhar2014's validation cases).

#include "step/step_test_support.h"

#include <numbers>

namespace talus {
namespace {

struct Slide {
  double distance = 0, stop_time = 0, lift = 0, sideways = 0, turn = 0;
};

/// A unit cube on the floor, pushed off with speed 2 in the direction `angle`, until it rests.
Slide slide_box(double angle, double h, Law law = Law::coulomb, double friction = 0.3) {
  World world = world_with_floor(friction);
  const Vec3 along{std::cos(angle), std::sin(angle), 0};
  const Index box =
      world.add(body("box").with(make_box({0.5, 0.5, 0.5})).at({0, 0, 0.5}).moving(2.0 * along));
  Simulation simulation(std::move(world), {.step = h, .law = law, .tolerance = 1e-10});
  Slide slide;
  for (long k = 0; k < steps_for(1.2, h); ++k) {
    EXPECT_TRUE(simulation.step().converged()) << simulation.report().message;
    const BodyState& state = simulation.world().state(box);
    slide.lift = std::max(slide.lift, std::abs(state.pose.position.z - 0.5));
    if (norm(state.velocity) > 1e-9) slide.stop_time = simulation.time();
  }
  const BodyState& state = simulation.world().state(box);
  slide.distance = dot(state.pose.position, along);
  slide.sideways = norm(state.pose.position - slide.distance * along - Vec3{0, 0, 0.5});
  slide.turn = norm(logarithmic_map(state.pose.rotation));
  return slide;
}

TEST(Sliding, a_ball_without_weight_that_met_the_floor_goes_on_along_it) {
  World world = world_with_floor(0.3);
  world.gravity = {};
  const Index ball =
      world.add(body("ball").with(make_sphere(0.1)).at({0, 0, 0.13}).moving({5, 0, -2}));
  Simulation simulation(std::move(world), {.step = 1.0 / 200});
  // Errors relative to what rounding leaves to do cannot be small; the steps must end all the same.
  run(simulation, 20, false);
  const Vec3 velocity = simulation.world().state(ball).velocity;
  EXPECT_NEAR(velocity.z, 0, 1e-12);
  EXPECT_NEAR(velocity.x, 5 - 0.3 * 2,
              1e-9); // the impulse of the floor was 2 m, friction 0.3 of it
}

TEST(Sliding, box_stops_after_v2_over_2_mu_g) {
  const double exact = 4 / (2 * 0.3 * gravity);
  double error[2];
  for (const int k : {0, 1}) {
    const double h = k == 0 ? 0.0025 : 0.00125;
    const Slide slide = slide_box(0, h);
    error[k] = std::abs(slide.distance - exact);
    // The discrete solution lags the parabola by v0 h / 2, and by up to a step at the end.
    EXPECT_LT(error[k], 2 * h);
    EXPECT_NEAR(slide.stop_time, 2 / (0.3 * gravity), 1.01 * h);
    EXPECT_LT(slide.lift, 1e-6);
  }
  EXPECT_LT(error[1], 0.75 * error[0]);
}

TEST(Sliding, is_the_same_in_every_direction) {
  double shortest = 1e9, longest = 0;
  for (int k = 0; k < 12; ++k) {
    const Slide slide = slide_box(2 * std::numbers::pi * k / 12 + 0.05, 0.0025);
    shortest = std::min(shortest, slide.distance);
    longest = std::max(longest, slide.distance);
    EXPECT_LT(slide.lift, 1e-6);
    EXPECT_LT(slide.sideways, 1e-6);
    EXPECT_LT(slide.turn, 1e-6);
  }
  EXPECT_LT((longest - shortest) / longest, 1e-4);
}

TEST(Sliding, associated_law_lifts_the_box_and_coulomb_does_not) {
  // The associated law wants u_n + Φ/h ≥ μ |u_t|: a box set down at 2 m/s jumps off with 0.6 m/s
  // and flies to the height u_n² / (2 g) before it comes back.
  const double h = 0.0025;
  const double lift = slide_box(0.3, h, Law::associated).lift;
  const double jump = 0.3 * 2;
  EXPECT_NEAR(lift, jump * jump / (2 * gravity), 0.2 * jump * jump / (2 * gravity));
  EXPECT_LT(slide_box(0.3, h, Law::coulomb).lift, 1e-6);
}

TEST(Sliding, ball_slides_then_rolls) {
  World world = world_with_floor(0.2);
  const Index ball = world.add(body("ball").with(make_sphere(1)).at({0, 0, 1}).moving({2, 0, 0}));
  const double h = 0.0025;
  Simulation simulation(std::move(world), {.step = h});
  double rolling_since = -1;
  for (long k = 0; k < steps_for(0.6, h); ++k) {
    EXPECT_TRUE(simulation.step().converged());
    const BodyState& state = simulation.world().state(ball);
    const double slip = state.velocity.x - state.angular_velocity.y;
    if (rolling_since < 0 && std::abs(slip) < 1e-6) rolling_since = simulation.time();
  }
  EXPECT_NEAR(rolling_since, 2 * 2 / (7 * 0.2 * gravity), h);
  const BodyState& state = simulation.world().state(ball);
  EXPECT_NEAR(state.velocity.x, 5.0 / 7 * 2, 1e-6);
  EXPECT_NEAR(state.angular_velocity.y, 5.0 / 7 * 2, 1e-6);
  EXPECT_NEAR(state.pose.position.z, 1, 1e-9);
}

/// A unit cube on a plane inclined by `angle` about y, sloping down towards +x.
World incline(double angle, double friction, double speed = 0) {
  World world;
  world.materials.replace(0, {.name = "default", .friction = friction});
  const Quaternion tilt = axis_angle({0, 1, 0}, angle);
  world.add(fixed_body("plane").with(make_half_space(rotate(tilt, {0, 0, 1}))));
  world.add(body("box")
                .with(make_box({0.5, 0.5, 0.5}))
                .placed({rotate(tilt, {0, 0, 0.5}), tilt})
                .moving(rotate(tilt, {speed, 0, 0})));
  return world;
}

TEST(Sliding, box_sticks_on_a_gentle_incline_without_creep) {
  // 25° is below atan(0.6) = 31°, and so is 30.9°.
  for (const double degrees : {25.0, 30.9}) {
    Simulation simulation(incline(degrees * std::numbers::pi / 180, 0.6), {.step = 1.0 / 240});
    const Transform start = simulation.world().pose(1);
    run(simulation, steps_for(10, 1.0 / 240));
    EXPECT_LT(norm(simulation.world().pose(1).position - start.position), 1e-6);
  }
}

TEST(Sliding, box_slides_down_a_steep_incline) {
  const double angle = std::numbers::pi / 4, mu = 0.2, h = 0.0025;
  Simulation simulation(incline(angle, mu), {.step = h});
  run(simulation, 400);
  const double acceleration = gravity * (std::sin(angle) - mu * std::cos(angle));
  const double n = 400;
  EXPECT_NEAR(norm(simulation.world().state(1).velocity), n * h * acceleration, 1e-6);
  EXPECT_NEAR(norm(simulation.world().state(1).pose.position) /
                  std::hypot(h * h * n * (n + 1) / 2 * acceleration, 0.5),
              1, 1e-6);
}

TEST(Sliding, box_comes_to_rest_on_a_gentle_incline) {
  const double angle = 25 * std::numbers::pi / 180, mu = 0.6, h = 0.0025;
  Simulation simulation(incline(angle, mu, 2), {.step = h});
  const Vec3 start = simulation.world().pose(1).position;
  run(simulation, 1000);
  const double braking = gravity * (mu * std::cos(angle) - std::sin(angle));
  EXPECT_NEAR(norm(simulation.world().pose(1).position - start), 4 / (2 * braking), 2 * h);
  EXPECT_LT(norm(simulation.world().state(1).velocity), 1e-8);
}

TEST(Sliding, a_conveyor_carries_what_lies_on_it) {
  World world;
  world.materials.replace(0, {.name = "default", .friction = 0.5});
  world.add(kinematic_body("belt").with(make_box({50, 1, 0.1})).at({0, 0, -0.1}).moving({1, 0, 0}));
  const Index box = world.add(body("box").with(make_box({0.2, 0.2, 0.2})).at({0, 0, 0.2}));
  const double h = 1.0 / 240;
  Simulation simulation(std::move(world), {.step = h});
  run(simulation, 240);
  EXPECT_NEAR(simulation.world().state(box).velocity.x, 1, 1e-8);
  // It slips for v / (μ g) and loses half of that way.
  EXPECT_NEAR(simulation.world().state(box).pose.position.x, 1 - 1 / (2 * 0.5 * gravity), 2 * h);
}

} // namespace
} // namespace talus
