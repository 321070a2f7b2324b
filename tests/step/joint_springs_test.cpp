// Springs, dampers, dry friction, servos and armature in joints, against closed forms.

#include "step/step_test_support.h"
#include "talus/core/error.h"
#include "talus/world/time_table.h"

#include <complex>
#include <numbers>

namespace talus {
namespace {

/// A block of the mass on a rail along x, without gravity.
struct Rail {
  World world;
  Index block = -1;

  explicit Rail(double mass) {
    world.gravity = {};
    block = world.add(body("block").with(make_box({0.1, 0.1, 0.1})).mass(mass));
  }
  JointBuilder joint() const {
    return prismatic("rail").between(ground, block).at({0, 0, 0}).along({1, 0, 0});
  }
};

double position(const Simulation& simulation) {
  return simulation.world().joint_coordinates()[0];
}
double velocity(const Simulation& simulation) {
  return joint_velocity(simulation.world(), simulation.world().joint(0));
}

/// Implicit Euler on an oscillator: x + i v/ω is divided by 1 + i ω h in every step. The frequency
/// is atan(ω h)/h ≈ ω, and the amplitude falls by √(1 + ω² h²) per step.
TEST(JointSprings, oscillate_as_implicit_euler_does_at_every_stiffness) {
  const double mass = 2, h = 0.01, start = 0.1;
  for (const double stiffness_ratio : {1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6, 1e8}) {
    const double k = stiffness_ratio * mass / (h * h), omega = std::sqrt(k / mass);
    Rail rail(mass);
    rail.world.add(rail.joint().sprung(k, 0, -start));
    Simulation simulation(std::move(rail.world), {.step = h});
    std::complex<double> z = start;
    for (int step = 1; step <= 300; ++step) {
      ASSERT_TRUE(simulation.step().converged()) << simulation.report().message;
      z /= std::complex<double>(1, omega * h);
      ASSERT_NEAR(position(simulation) + start, z.real(), 1e-11) << stiffness_ratio << ' ' << step;
    }
    const double energy = simulation.report().elastic_energy;
    EXPECT_NEAR(energy, 0.5 * k * z.real() * z.real(), 1e-9 * k * start * start);
  }
}

TEST(JointSprings, swing_with_the_frequency_of_the_spring) {
  const double mass = 3, k = 75, h = 1e-3, pi = std::numbers::pi;
  Rail rail(mass);
  rail.world.add(rail.joint().sprung(k, 0, 0.1));
  Simulation simulation(std::move(rail.world), {.step = h});
  std::vector<double> crossings;
  double last = -0.1;
  while (crossings.size() < 4) {
    simulation.step();
    const double x = position(simulation) - 0.1;
    if (last < 0 && x >= 0) crossings.push_back(simulation.time() - h * x / (x - last));
    last = x;
    ASSERT_LT(simulation.time(), 10);
  }
  const double period = (crossings.back() - crossings.front()) / 3;
  EXPECT_NEAR(period, 2 * pi * h / std::atan(h * std::sqrt(k / mass)), 1e-7);
  EXPECT_NEAR(period, 2 * pi * std::sqrt(mass / k), 2e-5);
}

TEST(JointSprings, dampers_let_the_velocity_decay) {
  const double mass = 2, h = 0.01;
  for (const double c : {1e-3, 5.0, 1e6}) {
    Rail rail(mass);
    rail.world.state(rail.block).velocity = {1, 0, 0};
    rail.world.add(rail.joint().sprung(0, c));
    Simulation simulation(std::move(rail.world), {.step = h});
    double expected = 1;
    for (int step = 0; step < 50; ++step) {
      simulation.step();
      expected /= 1 + h * c / mass;
      ASSERT_NEAR(velocity(simulation), expected, 1e-12) << c;
    }
  }
}

/// Weight over stiffness, whatever the step.
TEST(JointSprings, static_elongation_is_exact) {
  const double mass = 5;
  for (const double h : {1e-3, 1e-2, 0.1})
    for (const double k : {1e2, 1e5, 1e9}) {
      const double sag = mass * gravity / k;
      World world;
      const Index weight = world.add(body().with(make_sphere(0.1)).mass(mass).at({0, 0, -sag}));
      world.add(prismatic().between(ground, weight).at({0, 0, 0}).along({0, 0, 1}).sprung(k));
      // The joint was made with the weight hanging, which is its position 0.
      world.set_spring(0, JointSpring{k, 0, sag});
      Simulation simulation(std::move(world), {.step = h});
      for (int step = 0; step < 100; ++step) simulation.step();
      EXPECT_NEAR(position(simulation), 0, 1e-12 * sag + 1e-16) << h << ' ' << k;
      EXPECT_NEAR(simulation.world().state(weight).velocity.z, 0, 1e-12);
    }
}

TEST(JointSprings, free_spring_between_two_bodies_beats_about_its_length) {
  const double m1 = 1, m2 = 3, k = 400, length = 0.5, pull = 0.1, h = 2e-3;
  World world;
  world.gravity = {};
  const Index a = world.add(body().with(make_sphere(0.01)).mass(m1).moving({0, 0.3, 0}));
  const Index b = world.add(
      body().with(make_sphere(0.01)).mass(m2).moving({0, 0.3, 0}).at({length + pull, 0, 0}));
  world.add(
      spring("s", k).between(a, b).at({0, 0, 0}).second_at({length + pull, 0, 0}).length(length));
  EXPECT_TRUE(world.joint(0).bodies_collide);
  Simulation simulation(std::move(world), {.step = h});
  const double omega = std::sqrt(k * (m1 + m2) / (m1 * m2));
  std::complex<double> z = pull;
  for (int step = 0; step < 500; ++step) {
    ASSERT_TRUE(simulation.step().converged());
    z /= std::complex<double>(1, omega * h);
    const Vec3 apart =
        simulation.world().state(b).pose.position - simulation.world().state(a).pose.position;
    ASSERT_NEAR(norm(apart), length + z.real(), 1e-10);
  }
  expect_near(simulation.report().momentum, {0, 0.3 * (m1 + m2), 0}, 1e-12, "momentum");
}

TEST(JointSprings, distance_joint_with_a_spring_hangs_by_weight_over_stiffness) {
  World world;
  const Index bob = world.add(body().with(make_sphere(0.05)).mass(2).at({0, 0, -1}));
  world.add(
      distance_joint().between(ground, bob).at({0, 0, 0}).second_at({0, 0, -1}).sprung(1e3, 1e2));
  Simulation simulation(std::move(world), {.step = 0.01});
  run(simulation, 1000);
  EXPECT_NEAR(simulation.world().state(bob).pose.position.z, -1 - 2 * gravity / 1e3, 1e-10);
}

TEST(JointSprings, rotations_of_spherical_and_universal_joints_are_held) {
  for (const JointKind kind : {JointKind::spherical, JointKind::universal}) {
    World world;
    world.gravity = {};
    const Index b = world.add(body().with(make_box({0.1, 0.1, 0.3})).mass(1));
    JointBuilder builder = joint(kind).between(ground, b).at({0, 0, 0}).along({0, 0, 1});
    world.add(builder.second_axis({1, 0, 0}).sprung(50, 5));
    // About x of b and z of a, both of which a universal joint leaves free.
    world.set_load(b, {{}, {4, 0, 0}});
    Simulation simulation(std::move(world), {.step = 0.01});
    run(simulation, 2000);
    const Vec3 angle = logarithmic_map(simulation.world().state(b).pose.rotation);
    expect_near(angle, {4.0 / 50, 0, 0}, 1e-9, to_string(kind).data());
  }
}

TEST(JointSprings, universal_angles_are_those_about_the_two_shafts) {
  World world;
  const Index b = world.add(body().with(make_box({0.1, 0.1, 0.3})));
  world.add(
      universal().between(ground, b).at({0, 0, 0}).along({0, 0, 1}).second_axis({1, 0, 0}).sprung(
          2));
  world.state(b).pose.rotation = axis_angle({0, 0, 1}, 0.7) * axis_angle({1, 0, 0}, -0.4);
  Simulation simulation(std::move(world), {.step = 1e-9});
  simulation.step();
  EXPECT_NEAR(simulation.report().elastic_energy, 0.5 * 2 * (0.7 * 0.7 + 0.4 * 0.4), 1e-6);
}

TEST(JointFriction, sticks_up_to_its_effort_and_slips_beyond) {
  const double mass = 2, friction = 10, h = 1e-3;
  for (const double share : {-0.999, 0.5, 0.999, 1.001, 1.5, -2.0}) {
    Rail rail(mass);
    rail.world.add(rail.joint().rubbing(friction).pushed_by(share * friction));
    Simulation simulation(std::move(rail.world), {.step = h});
    run(simulation, 100);
    const double excess = share > 1 ? share - 1 : share < -1 ? share + 1 : 0;
    EXPECT_NEAR(velocity(simulation), 100 * h * excess * friction / mass, 1e-9) << share;
  }
}

TEST(JointFriction, stops_a_moving_joint_in_its_time) {
  Rail rail(2);
  rail.world.state(rail.block).velocity = {1, 0, 0};
  rail.world.add(rail.joint().rubbing(4));
  Simulation simulation(std::move(rail.world), {.step = 1e-3});
  run(simulation, 250);
  EXPECT_NEAR(velocity(simulation), 1 - 0.25 * 4 / 2, 1e-9);
  run(simulation, 400);
  EXPECT_NEAR(velocity(simulation), 0, 1e-12);
}

TEST(JointServo, position_servo_is_a_spring_to_its_target) {
  const double mass = 2, k = 300, c = 20, h = 5e-3, target = 0.2;
  Rail rail(mass);
  rail.world.add(rail.joint().driven(
      {.mode = MotorMode::position, .target = target, .stiffness = k, .damping = c}));
  Simulation simulation(std::move(rail.world), {.step = h});
  double x = 0, v = 0;
  for (int step = 0; step < 200; ++step) {
    ASSERT_TRUE(simulation.step().converged());
    v = (v - h * k * (x - target) / mass) / (1 + h * c / mass + h * h * k / mass);
    x += h * v;
    ASSERT_NEAR(position(simulation), x, 1e-8);
  }
}

TEST(JointServo, is_limited) {
  Rail rail(2);
  rail.world.add(rail.joint().driven(
      {.mode = MotorMode::position, .target = 5, .max_effort = 3, .stiffness = 1e6}));
  Simulation simulation(std::move(rail.world), {.step = 1e-2});
  run(simulation, 50);
  EXPECT_NEAR(velocity(simulation), 0.5 * 3 / 2, 1e-7);
}

/// T = T₀ (1 - ω/ω₀) on an inertia: ω = ω₀ (1 - (1 + h T₀/(ω₀ I))⁻ⁿ) in implicit Euler.
TEST(JointServo, motor_follows_its_torque_speed_curve) {
  const double stall = 2, free_speed = 30, h = 1e-2;
  World world;
  world.gravity = {};
  const Index disc = world.add(body().with(make_cylinder(0.2, 0.05)).mass(3));
  world.add(revolute()
                .between(ground, disc)
                .at({0, 0, 0})
                .along({0, 0, 1})
                .driven_on_curve(stall, free_speed));
  const double inertia = 0.5 * 3 * 0.2 * 0.2;
  Simulation simulation(std::move(world), {.step = h});
  double decay = 1;
  for (int step = 0; step < 200; ++step) {
    simulation.step();
    decay /= 1 + h * stall / (free_speed * inertia);
    ASSERT_NEAR(velocity(simulation), free_speed * (1 - decay), 1e-6);
  }
}

TEST(JointLimits, that_are_soft_give_way_by_effort_over_stiffness) {
  Rail rail(2);
  rail.world.add(rail.joint().limited(-1, 0.05, 2000, 200).pushed_by(50.0));
  Simulation simulation(std::move(rail.world), {.step = 1e-2});
  run(simulation, 400);
  EXPECT_NEAR(position(simulation), 0.05 + 50.0 / 2000, 1e-7);
}

TEST(JointLimits, that_are_soft_do_not_act_before_they_are_reached) {
  Rail rail(2);
  rail.world.state(rail.block).velocity = {1, 0, 0};
  rail.world.add(rail.joint().limited(-1, 0.5, 2000, 1e5));
  Simulation simulation(std::move(rail.world), {.step = 1e-2});
  run(simulation, 49);
  EXPECT_NEAR(velocity(simulation), 1, 1e-9);
  run(simulation, 5);
  EXPECT_LT(velocity(simulation), 0.5);
}

/// An armature J adds to the inertia about the axis.
TEST(JointArmature, adds_to_the_inertia) {
  const double torque = 3, armature = 0.7, h = 1e-2;
  World world;
  world.gravity = {};
  const Index disc = world.add(body().with(make_cylinder(0.2, 0.05)).mass(3));
  world.add(revolute()
                .between(ground, disc)
                .at({0, 0, 0})
                .along({0, 0, 1})
                .with_armature(armature)
                .pushed_by(torque));
  const double inertia = 0.5 * 3 * 0.2 * 0.2;
  Simulation simulation(std::move(world), {.step = h});
  run(simulation, 100);
  EXPECT_NEAR(velocity(simulation), 100 * h * torque / (inertia + armature), 1e-9);
}

TEST(JointBushing, gives_way_by_load_over_stiffness_in_all_six_directions) {
  World world;
  world.gravity = {};
  const Index block = world.add(body().with(make_box({0.1, 0.1, 0.1})).mass(2));
  const Bushing values{{1e3, 2e3, 4e3}, {50, 50, 50}, {30, 40, 50}, {2, 2, 2}};
  world.add(bushing("mount", values).between(ground, block).at({0, 0, 0}));
  const Vec3 force{3, -4, 5};
  world.set_load(block, {force, {}});
  Simulation simulation(std::move(world), {.step = 0.01});
  run(simulation, 3000);
  const Transform moved = simulation.world().state(block).pose;
  // The axes of the frame: z along z, x and y some two others.
  const Quaternion axes = simulation.world().joint(0).frame_a.rotation;
  const Vec3 local = rotate_back(axes, force);
  const Vec3 shift = rotate_back(axes, moved.position);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(shift[k], local[k] / values.stiffness[k], 1e-8) << k;
  simulation.world().set_load(block, {{}, rotate(axes, {0, 2, 0})});
  run(simulation, 3000);
  const Vec3 angle =
      rotate_back(axes, logarithmic_map(simulation.world().state(block).pose.rotation));
  expect_near(angle, {0, 2.0 / 40, 0}, 1e-7, "angle");
}

TEST(JointBushing, vibrates_with_its_frequency) {
  const double mass = 2, k = 800, h = 1e-3;
  World world;
  world.gravity = {};
  const Index block = world.add(body().with(make_box({0.1, 0.1, 0.1})).mass(mass));
  world.add(bushing("mount", {{k, k, k}, {}, {9, 9, 9}, {}}).between(ground, block).at({0, 0, 0}));
  world.state(block).pose.position = {0.01, 0, 0};
  Simulation simulation(std::move(world), {.step = h});
  std::complex<double> z = 0.01;
  for (int step = 0; step < 500; ++step) {
    simulation.step();
    z /= std::complex<double>(1, std::sqrt(k / mass) * h);
    ASSERT_NEAR(simulation.world().state(block).pose.position.x, z.real(), 1e-11);
  }
}

TEST(TimeTables, are_linear_between_their_points) {
  const TimeTable<double> table = {{1, 10}, {2, 20}, {4, 0}};
  EXPECT_EQ(value_at(table, 0), 10);
  EXPECT_EQ(value_at(table, 1.5), 15);
  EXPECT_EQ(value_at(table, 2), 20);
  EXPECT_EQ(value_at(table, 3), 10);
  EXPECT_EQ(value_at(table, 9), 0);
  EXPECT_EQ(value_at(TimeTable<double>{}, 3), 0);
  EXPECT_EQ(value_at(TimeTable<Vec3>{{0, {1, 2, 3}}, {1, {3, 2, 1}}}, 0.5), (Vec3{2, 2, 2}));
  EXPECT_THROW(following({}), InvalidArgument);
  EXPECT_THROW(following({{1, 0}, {1, 2}}), InvalidArgument);
  EXPECT_THROW(following({{1, NAN}}), InvalidArgument);
}

TEST(TimeTables, drive_motors_and_efforts) {
  Rail rail(2);
  rail.world.add(rail.joint().pushed_by(following({{0, 0}, {1, 8}, {2, 8}})));
  Simulation simulation(std::move(rail.world), {.step = 1e-3});
  run(simulation, 1500);
  // The impulse of the ramp is 4 N s, less half a step of its end; then half a second of 8 N.
  EXPECT_NEAR(velocity(simulation), (4 + 4) / 2.0, 3e-3);
}

TEST(JointSprings, are_refused_where_they_make_no_sense) {
  World world;
  const Index b = world.add(body().with(make_sphere(1)));
  const auto refused = [&](const JointBuilder& builder) {
    JointBuilder complete = builder;
    EXPECT_THROW(world.add(complete.between(ground, b)), InvalidArgument);
  };
  refused(revolute().sprung(-1));
  refused(revolute().sprung(NAN));
  refused(welded().sprung(1));
  refused(spherical().sprung(1, 0, 0.5));
  refused(joint(JointKind::spring));
  refused(revolute().bushed({{1, 1, 1}, {}, {}, {}}));
  refused(revolute().rubbing(-1));
  refused(spherical().rubbing(1));
  refused(spherical().with_armature(1));
  refused(revolute().with_armature(-1));
  refused(revolute().limited(0, 1, 0));
  refused(revolute().driven({.mode = MotorMode::velocity, .stiffness = 1}));
  refused(spherical().pushed_by(1.0));
  EXPECT_TRUE(world.joints().empty());
}

/// Everything that acts in joints, beside contacts: a restored simulation repeats it.
TEST(JointSprings, go_on_bit_for_bit) {
  World world = world_with_floor(0.5);
  const Index a = world.add(body().with(make_box({0.2, 0.2, 0.2})).at({0, 0, 0.2}));
  const Index b = world.add(body().with(make_box({0.1, 0.1, 0.1})).at({0, 0, 0.6}));
  const Index c = world.add(body().with(make_sphere(0.1)).at({0.5, 0, 0.1}));
  world.add(revolute()
                .between(a, b)
                .at({0, 0, 0.5})
                .along({0, 1, 0})
                .sprung(30, 0.1, 0.2)
                .rubbing(0.1)
                .with_armature(0.01)
                .limited(-0.1, 0.1, 100, 1)
                .pushed_by(0.3));
  world.add(
      spring("s", 200, 1).between(a, c).at({0.2, 0, 0.2}).second_at({0.5, 0, 0.1}).length(0.2));
  world.add(bushing("m", {{1e3, 1e3, 1e3}, {9, 9, 9}, {9, 9, 9}, {1, 1, 1}})
                .between(b, c)
                .at({0.3, 0, 0.5}));
  const World copy = world;
  Simulation simulation(std::move(world), {.step = 5e-3});
  run(simulation, 20, false);
  Simulation restored(copy, {.step = 5e-3});
  restored.restore(simulation.state());
  run(simulation, 20, false);
  run(restored, 20, false);
  EXPECT_TRUE(restored.state() == simulation.state());
}

} // namespace
} // namespace talus
