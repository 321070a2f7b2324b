// Joints hold at the end of a step (step/assembly/joint_drift.h).

#include "step/step_test_support.h"
#include "talus/step/measures.h"

#include <numbers>

namespace talus {
namespace {

/// What is allowed to be left over, as a part of the size of the smaller body.
constexpr double allowed = 1e-6;

BodyBuilder drift_rod(const Vec3& from, const Vec3& to) {
  const Vec3 along = to - from;
  return body()
      .with(make_box({0.02, 0.02, norm(along) / 2}))
      .mass(1)
      .at(0.5 * (from + to))
      .turned(rotation_between({0, 0, 1}, normalized(along)));
}

TEST(JointDrift, a_rod_that_turns_about_its_end_keeps_pin_and_energy) {
  World world;
  world.gravity = {};
  const double omega = 20, h = 1.0 / 240; // 83 mrad in a step: 1.7 mm off the circle
  const Index rod = world.add(
      drift_rod({0, 0, 0}, {1, 0, 0}).moving({0, 0.5 * omega, 0}).spinning({0, 0, omega}));
  world.add(revolute().between(ground, rod).at({0, 0, 0}).along({0, 0, 1}));
  Simulation simulation(std::move(world), {.step = h});
  ASSERT_TRUE(simulation.step().converged());
  const double energy = simulation.report().kinetic_energy;
  double worst = 0;
  for (int k = 0; k < 2400; ++k) {
    ASSERT_TRUE(simulation.step().converged());
    worst = std::max(worst, simulation.report().max_joint_error);
  }
  EXPECT_LT(worst, allowed);
  EXPECT_NEAR(simulation.report().kinetic_energy, energy, 1e-6 * energy);
}

TEST(JointDrift, what_is_reported_is_what_the_poses_show) {
  World world;
  const Index upper = world.add(drift_rod({0, 0, 0}, {1, 0, 0}));
  const Index lower = world.add(drift_rod({1, 0, 0}, {1, 1, 0}));
  world.add(spherical().between(ground, upper).at({0, 0, 0}));
  world.add(spherical().between(upper, lower).at({1, 0, 0}));
  Simulation simulation(std::move(world), {.step = 0.01});
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(simulation.step().converged());
    double largest = 0;
    for (const Joint& joint : simulation.world().joints()) {
      const auto [a, b] = joint_frames(simulation.world(), joint);
      const Vec3 apart = rotate_back(a.rotation, b.position - a.position);
      for (int i = 0; i < 3; ++i) largest = std::max(largest, std::abs(apart[i]));
    }
    EXPECT_NEAR(simulation.report().max_joint_error, largest, 1e-14);
    EXPECT_LT(largest, allowed);
  }
}

TEST(JointDrift, every_kind_holds_in_fast_motion) {
  const JointKind joint_kinds[] = {
      JointKind::spherical, JointKind::revolute, JointKind::prismatic, JointKind::cylindrical,
      JointKind::universal, JointKind::fixed,    JointKind::distance,  JointKind::point_on_plane};
  Random random(11);
  for (const JointKind kind : joint_kinds) {
    World world;
    world.gravity = {};
    const Index a = world.add(body().with(make_box({0.3, 0.2, 0.1})).spinning({6, 4, -8}));
    const Index b =
        world.add(body().with(make_box({0.1, 0.2, 0.3})).at({1, 0.3, 0.2}).moving({0, 3, -2}));
    JointBuilder builder = joint(kind).between(a, b).at({0.5, 0.1, 0}).along(random.vector(1));
    builder.second_axis(random.vector(1)).second_at({0.5, 0.1, 0});
    if (kind == JointKind::distance) builder.second_at({0.8, 0.3, 0.2});
    world.add(builder);
    Simulation simulation(std::move(world), {.step = 2e-3});
    const RunSummary summary = run(simulation, 500);
    EXPECT_LT(summary.joint_error_max, allowed) << to_string(kind);
  }
}

/// A chain that falls on the floor: impacts change the velocities that the step began with.
TEST(JointDrift, holds_through_impacts) {
  for (const bool eliminate : {true, false}) {
    World world;
    world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
    Index before = ground;
    for (int i = 0; i < 8; ++i) {
      const double x = 0.2 * i;
      const Index link = world.add(drift_rod({x, 0, 0.3}, {x + 0.2, 0, 0.3}));
      if (before != ground)
        world.add(revolute().between(before, link).at({x, 0, 0.3}).along({0, 1, 0}));
      before = link;
    }
    Simulation simulation(std::move(world), {.step = 1.0 / 240, .eliminate_joints = eliminate});
    RunSummary summary;
    for (int k = 0; k < 240; ++k) {
      const StepReport& report = simulation.step();
      summary.include(report);
      // In free flight the rows are met but for rounding, which has no relative error.
      if (report.contacts == 0 && !eliminate) continue;
      EXPECT_TRUE(report.converged()) << eliminate << ' ' << k << ": " << report.message << ' '
                                      << report.error << ' ' << report.work;
    }
    EXPECT_LT(summary.joint_error_max, allowed) << eliminate;
  }
}

/// A chain that falls on the ground turning, solved to 1e-3 only.
TEST(JointDrift, rough_answers_keep_pins) {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  Index before = ground;
  for (int i = 0; i < 8; ++i) {
    const double x = 0.2 * i;
    const Index link = world.add(
        drift_rod({x, 0, 0.3}, {x + 0.2, 0, 0.3}).spinning({0, i % 2 == 0 ? 4.0 : -4.0, 0}));
    if (before != ground)
      world.add(revolute().between(before, link).at({x, 0, 0.3}).along({0, 1, 0}));
    before = link;
  }
  Simulation simulation(std::move(world),
                        {.step = 1.0 / 240, .tolerance = 1e-3, .eliminate_joints = false});
  const RunSummary summary = run(simulation, 240);
  EXPECT_EQ(summary.unconverged_steps, 0);
  EXPECT_GT(summary.contacts_max, 8);
  EXPECT_LT(summary.joint_error_max, allowed);
}

/// A ring of six links in a plane, each joint of which repeats rows of the others.
TEST(JointDrift, closes_loops_with_redundant_rows) {
  World world;
  world.gravity = {0, -9.81, 0};
  const auto corner = [](int i) {
    const double angle = std::numbers::pi / 3 * i;
    return Vec3{std::cos(angle), std::sin(angle), 0};
  };
  std::vector<Index> links;
  for (int i = 0; i < 6; ++i) links.push_back(world.add(drift_rod(corner(i), corner(i + 1))));
  for (int i = 0; i < 6; ++i)
    world.add(revolute().between(links[i], links[(i + 1) % 6]).at(corner(i + 1)).along({0, 0, 1}));
  world.add(revolute().between(ground, links[0]).at(corner(0)).along({0, 0, 1}));
  Simulation simulation(std::move(world), {.step = 2e-3});
  const RunSummary summary = run(simulation, 1000);
  EXPECT_EQ(summary.unconverged_steps, 0);
  EXPECT_LT(summary.joint_error_max, 2 * allowed);
}

/// Elastic impacts that would create energy are made smaller, which leads to other poses.
TEST(JointDrift, holds_where_rebounds_are_scaled) {
  Random random(5);
  int scaled = 0;
  for (int thrown = 0; thrown < 6; ++thrown) {
    World world;
    world.gravity = {};
    world.materials.replace(0, {.name = "default", .friction = 1, .restitution = 1});
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0}) {
        Vec3 inwards{}, at{};
        inwards[axis] = -side;
        at[axis] = 0.8 * side;
        world.add(fixed_body().with(make_half_space(inwards)).at(at));
      }
    const Index a = world.add(body().with(make_box({0.2, 0.1, 0.1})).at({-0.2, 0, 0}));
    const Index b = world.add(body().with(make_box({0.2, 0.1, 0.1})).at({0.2, 0, 0}));
    world.add(spherical().between(a, b).at({0, 0, 0}));
    const Vec3 velocity = random.vector(5);
    for (const Index each : {a, b}) world.state(each).velocity = velocity;
    StepOptions options = rigid();
    options.max_recovery_speed = 0;
    Simulation simulation(std::move(world), options);
    for (int k = 0; k < 240; ++k) {
      const StepReport& report = simulation.step();
      if (!report.converged() || report.restitution_scale == 1) continue;
      ++scaled;
      EXPECT_LT(report.max_joint_error, allowed) << thrown << ' ' << k;
    }
  }
  EXPECT_GT(scaled, 5);
}

/// Joints that no motion can close: the step ends, and the error is told.
TEST(JointDrift, contradicting_joints_end) {
  World world;
  world.gravity = {};
  const Index rod = world.add(drift_rod({0, 0, 0}, {1, 0, 0}));
  world.add(spherical().between(ground, rod).at({0, 0, 0}));
  const Index slider = world.add(body().with(make_box({0.1, 0.1, 0.1})).at({1, 0, 0}));
  world.add(spherical().between(rod, slider).at({1, 0, 0}));
  world.add(prismatic().between(ground, slider).at({1, 0, 0}).along({1, 0, 0}).driven_at(2));
  Simulation simulation(std::move(world), {.step = 0.01, .max_products = 2000});
  for (int k = 0; k < 5; ++k) simulation.step();
  EXPECT_GT(simulation.report().max_joint_error, 1e-3);
}

} // namespace
} // namespace talus
