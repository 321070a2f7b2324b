// Mechanisms in motion.

#include "step/step_test_support.h"
#include "talus/step/measures.h"

#include <numbers>

namespace talus {
namespace {

constexpr double pi = std::numbers::pi;

/// A rod of the length, from `from` along `along`, without gravity's help: a capsule-free box.
BodyBuilder rod(const Vec3& from, const Vec3& to, double mass = 1) {
  const Vec3 along = to - from;
  return body()
      .with(make_box({0.02, 0.02, norm(along) / 2}))
      .mass(mass)
      .at(0.5 * (from + to))
      .turned(rotation_between({0, 0, 1}, normalized(along)));
}

TEST(Joint, pendulum_swings_with_its_period) {
  // A point-like bob on a massless arm, small swings: T = 2π √(l/g) (1 + θ²/16).
  World world;
  const double length = 1, amplitude = 0.1, h = 1e-3;
  const Vec3 at{length * std::sin(amplitude), 0, -length * std::cos(amplitude)};
  const Index bob = world.add(body().with(make_sphere(1e-3)).mass(1).at(at));
  world.add(revolute().between(ground, bob).at({0, 0, 0}).along({0, 1, 0}));
  Simulation simulation(std::move(world), {.step = h});
  std::vector<double> crossings;
  double last = at.x;
  while (crossings.size() < 5) {
    ASSERT_TRUE(simulation.step().converged()) << simulation.report().message;
    const double x = simulation.world().state(bob).pose.position.x;
    if (last > 0 && x <= 0) crossings.push_back(simulation.time() - h * x / (x - last));
    last = x;
    ASSERT_LT(simulation.time(), 20);
  }
  const double period = (crossings.back() - crossings.front()) / 4;
  EXPECT_NEAR(period, 2 * pi * std::sqrt(length / gravity) * (1 + amplitude * amplitude / 16),
              2e-3);
}

TEST(Joint, drift_of_a_double_pendulum_stays_bounded) {
  World world;
  const Index upper = world.add(rod({0, 0, 0}, {1, 0, 0}));
  const Index lower = world.add(rod({1, 0, 0}, {2, 0, 0}));
  world.add(revolute().between(ground, upper).at({0, 0, 0}).along({0, 1, 0}));
  world.add(spherical().between(upper, lower).at({1, 0, 0}));
  Simulation simulation(std::move(world), {.step = 1e-3});
  double early = 0, late = 0;
  const long steps = 100000;
  for (long k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    ASSERT_TRUE(report.converged()) << k << ": " << report.message << " " << report.error;
    double& drift = k < steps / 2 ? early : late;
    drift = std::max(drift, report.max_joint_error);
  }
  EXPECT_LT(late, 1e-6);
  EXPECT_LT(late, 1.5 * early);
}

/// What is left of the relative motion of two free bodies after a while.
TEST(Joint, each_kind_holds_what_it_should) {
  const JointKind joint_kinds[] = {
      JointKind::spherical, JointKind::revolute, JointKind::prismatic, JointKind::cylindrical,
      JointKind::universal, JointKind::fixed,    JointKind::distance,  JointKind::point_on_plane};
  Random random(7);
  for (const JointKind kind : joint_kinds) {
    World world;
    world.gravity = {};
    const Index a = world.add(body().with(make_box({0.3, 0.2, 0.1})).spinning({0.3, 0.2, -0.4}));
    const Index b = world.add(body().with(make_box({0.1, 0.2, 0.3})).at({1, 0.3, 0.2}));
    JointBuilder builder = joint(kind).between(a, b).at({0.5, 0.1, 0}).along(random.vector(1));
    builder.second_axis(random.vector(1)).second_at({0.5, 0.1, 0});
    if (kind == JointKind::distance) builder.second_at({0.8, 0.3, 0.2});
    world.add(builder);
    world.set_load(b, {{0.1, 0.2, -0.1}, {0.05, 0, 0.1}});
    Simulation simulation(std::move(world), {.step = 2e-3});
    const RunSummary summary = run(simulation, 1000);
    EXPECT_LT(summary.joint_error_max, 1e-6) << to_string(kind);
  }
}

TEST(Joint, keeps_momentum) {
  World world;
  world.gravity = {};
  const Index a = world.add(rod({0, 0, 0}, {1, 0, 0}).spinning({0, 1, 2}));
  const Index b = world.add(rod({1, 0, 0}, {1, 1, 0}).moving({0, 0, 1}));
  const Index c = world.add(rod({1, 1, 0}, {1, 1, 1}).moving({1, 0, 0}));
  world.add(spherical().between(a, b).at({1, 0, 0}));
  world.add(universal().between(b, c).at({1, 1, 0}).along({0, 1, 0}).second_axis({1, 0, 0}));
  Simulation simulation(std::move(world), {.step = 1e-3});
  const Vec3 p = momentum(simulation.world()), l = angular_momentum(simulation.world());
  run(simulation, 1000);
  expect_near(simulation.report().momentum, p, 1e-9, "momentum");
  // The spin part of the angular momentum turns with the bodies to first order.
  expect_near(simulation.report().angular_momentum, l, 1e-2, "angular momentum");
}

/// Crank of length r turning at constant speed, connecting rod l, slider along x: a closed loop
/// whose four joints have 5 redundant rows in space.
TEST(Joint, slider_crank_follows_its_closed_form) {
  World world;
  const double r = 0.3, l = 1.0, speed = 2 * pi, h = 1e-3;
  const Index crank = world.add(rod({0, 0, 0}, {r, 0, 0}));
  const Index link = world.add(rod({r, 0, 0}, {r + l, 0, 0}));
  const Index slider =
      world.add(body("slider").with(make_box({0.1, 0.05, 0.05})).at({r + l, 0, 0}));
  const Index drive = world.add(
      revolute("drive").between(ground, crank).at({0, 0, 0}).along({0, 0, 1}).driven_at(speed));
  world.add(revolute().between(crank, link).at({r, 0, 0}).along({0, 0, 1}));
  world.add(revolute().between(link, slider).at({r + l, 0, 0}).along({0, 0, 1}));
  world.add(prismatic().between(ground, slider).at({r + l, 0, 0}).along({1, 0, 0}));
  Simulation simulation(std::move(world), {.step = h});
  double worst = 0;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(simulation.step().converged())
        << k << ": " << simulation.report().message << ' ' << simulation.report().error;
    const double angle = simulation.world().joint_coordinates()[drive];
    EXPECT_NEAR(angle, speed * simulation.time(), 1e-6);
    const double x = r * std::cos(angle) + std::sqrt(l * l - std::pow(r * std::sin(angle), 2));
    worst = std::max(worst, std::abs(simulation.world().state(slider).pose.position.x - x));
  }
  EXPECT_LT(worst, 5e-5);
  EXPECT_LT(simulation.report().max_joint_error, 1e-6);
}

TEST(Joint, welding_twice_changes_nothing) {
  // Two identical welds: every row is redundant.
  Vec3 ends[2];
  for (const int welds : {1, 2}) {
    World world;
    const Index a = world.add(rod({0, 0, 0}, {1, 0, 0}));
    const Index b = world.add(rod({1, 0, 0}, {1, 1, 0}));
    world.add(revolute().between(ground, a).at({0, 0, 0}).along({0, 1, 0}));
    for (int k = 0; k < welds; ++k) world.add(welded().between(a, b).at({1, 0, 0}));
    Simulation simulation(std::move(world), {.step = 1e-3, .tolerance = 1e-10});
    run(simulation, 500);
    ends[welds - 1] = simulation.world().state(b).pose.position;
  }
  expect_near(ends[0], ends[1], 1e-6);
}

TEST(Joint, limits_stop_the_coordinate) {
  World world;
  const Index arm = world.add(rod({0, 0, 0}, {1, 0, 0}));
  // Turning about -y lifts the arm; gravity turns it by +π/2 towards hanging.
  const Index hinge =
      world.add(revolute().between(ground, arm).at({0, 0, 0}).along({0, 1, 0}).limited(-0.5, 0.7));
  const Index weight = world.add(body().with(make_sphere(0.1)).at({5, 0, 0}).without_rotation());
  const Index rail = world.add(
      prismatic().between(ground, weight).at({5, 0, 0}).along({0, 0, 1}).limited(-0.4, 9));
  Simulation simulation(std::move(world), {.step = 1.0 / 240});
  const RunSummary summary = run(simulation, 480);
  EXPECT_NEAR(simulation.world().joint_coordinates()[hinge], 0.7, 1e-6);
  EXPECT_NEAR(simulation.world().joint_coordinates()[rail], -0.4, 1e-8);
  EXPECT_LT(summary.joint_error_max, 1e-3);
}

TEST(Joint, a_motor_without_a_finite_target_or_with_a_negative_strength_is_named) {
  JointMotor aimless, weak;
  aimless.target_at = [](double time) { return 1 / (time - time); };
  weak.max_effort_at = [](double time) { return -time; };
  for (const JointMotor& motor : {aimless, weak}) {
    World world;
    const Index wheel = world.add(body().with(make_sphere(0.1)).density(1000));
    world.add(revolute("axle").between(ground, wheel).along({0, 0, 1}).driven(motor));
    Simulation simulation(std::move(world));
    try {
      simulation.step();
      ADD_FAILURE() << "the step was made";
    } catch (const NonFiniteState& error) {
      EXPECT_NE(std::string(error.what()).find("axle"), std::string::npos) << error.what();
    }
  }
}

TEST(Joint, motors_reach_speed_and_position_within_their_strength) {
  World world;
  world.gravity = {};
  const double h = 0.01;
  const auto wheel = [&](double y) {
    return world.add(body().with(make_cylinder(1, 0.1)).mass(2).at({0, y, 0}));
  };
  const Index a = wheel(0), b = wheel(5), c = wheel(10), d = wheel(15), e = wheel(20);
  const auto axle = [&](Index body, double y) {
    return revolute().between(ground, body).at({0, y, 0}).along({0, 0, 1});
  };
  const Index strong = world.add(axle(a, 0).driven_at(3));
  const Index weak = world.add(axle(b, 5).driven_at(3, 0.5));
  world.add(axle(e, 20).driven_at(-3, 0.5));
  const Index placed = world.add(axle(c, 10).driven_to(8, 1e9, 0.1));
  JointMotor program{.mode = MotorMode::position};
  program.target_at = [](double t) { return std::sin(t); };
  const Index programmed = world.add(axle(d, 15).driven(program));
  Simulation simulation(std::move(world), {.step = h});
  simulation.step();
  EXPECT_NEAR(simulation.world().state(a).angular_velocity.z, 3, 1e-9);
  // Moment of inertia 1 kg m²: half a N m gives half a rad/s².
  EXPECT_NEAR(simulation.world().state(b).angular_velocity.z, 0.5 * h, 1e-9);
  EXPECT_NEAR(simulation.world().state(e).angular_velocity.z, -0.5 * h, 1e-9);
  run(simulation, 199);
  EXPECT_NEAR(simulation.world().state(b).angular_velocity.z, 1, 1e-8);
  EXPECT_NEAR(simulation.world().joint_coordinates()[weak], 0.5 * h * h * 200 * 201 / 2, 1e-8);
  EXPECT_NEAR(simulation.world().joint_coordinates()[strong], 6, 1e-8);
  EXPECT_NEAR(simulation.world().joint_coordinates()[placed], 8, 1e-6);
  EXPECT_NEAR(simulation.world().joint_coordinates()[programmed], std::sin(2.0), 1e-9);
  run(simulation, 600);
  EXPECT_NEAR(simulation.world().state(b).angular_velocity.z, 3, 1e-9);
}

TEST(Joint, gears_and_racks_couple_coordinates) {
  World world;
  world.gravity = {};
  const Index small = world.add(body().with(make_cylinder(0.5, 0.1)).mass(1).at({0, 0, 0}));
  const Index large = world.add(body().with(make_cylinder(1, 0.1)).mass(4).at({1.5, 0, 0}));
  const Index rack = world.add(body().with(make_box({2, 0.1, 0.1})).mass(1).at({1.5, 1.1, 0}));
  const Index first = world.add(revolute().between(ground, small).at({0, 0, 0}).along({0, 0, 1}));
  const Index second =
      world.add(revolute().between(large, ground).at({1.5, 0, 0}).along({0, 0, 1}));
  const Index slide = world.add(prismatic().between(ground, rack).at({1.5, 1, 0}).along({1, 0, 0}));
  world.add(gear().coupling(first, second, -2)); // `second` counts the large wheel backwards.
  world.add(gear().coupling(slide, second, -1));
  world.set_load(small, {{}, {0, 0, 1}});
  Simulation simulation(std::move(world), {.step = 0.01});
  run(simulation, 100);
  const auto q = simulation.world().joint_coordinates();
  EXPECT_NEAR(q[first], 2 * q[second], 1e-8);
  EXPECT_NEAR(q[slide], q[second], 1e-8);
  // Inertia at the small wheel: I₁ + I₂/4 + m (r₂/2)² = 0.125 + 0.5 + 0.25.
  EXPECT_NEAR(simulation.world().state(small).angular_velocity.z, 1 / 0.875, 1e-7);
  EXPECT_NEAR(simulation.world().state(large).angular_velocity.z, -0.5 / 0.875, 1e-7);
  EXPECT_THROW(simulation.world().add(gear().coupling(first, 99, 1)), InvalidArgument);
}

TEST(Joint, joined_bodies_may_overlap) {
  World world = world_with_floor(0.5);
  const Index a = world.add(body().with(make_sphere(0.5)).at({0, 0, 5}));
  const Index b = world.add(body().with(make_sphere(0.5)).at({0.2, 0, 5}));
  world.add(welded().between(a, b).at({0, 0, 5}));
  Simulation simulation(std::move(world), {.step = 0.01});
  const StepReport& report = simulation.step();
  EXPECT_EQ(report.contacts, 0);
  EXPECT_NEAR(simulation.world().state(a).velocity.z, -0.01 * gravity, 1e-10);
}

TEST(Joint, a_hanging_chain_carries_its_weight) {
  World world;
  const int links = 10;
  Index above = ground;
  for (int k = 0; k < links; ++k) {
    const Index link = world.add(rod({0, 0, -0.2 * k}, {0, 0, -0.2 * (k + 1)}, 0.5));
    world.add(spherical().between(above, link).at({0, 0, -0.2 * k}));
    above = link;
  }
  Simulation simulation(std::move(world), {.step = 1.0 / 240});
  run(simulation, 100);
  expect_near(simulation.world().state(links - 1).pose.position, {0, 0, -0.2 * (links - 0.5)},
              1e-7);
  // The topmost joint carries everything.
  const double weight = 0.5 * links * gravity / 240;
  const auto& rows = simulation.state().warm_start.rows;
  EXPECT_NEAR(std::hypot(rows[0].value, rows[1].value, rows[2].value), weight, 1e-6 * weight);
}

} // namespace
} // namespace talus
