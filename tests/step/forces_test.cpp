// What one can read after a step.

#include "step/step_test_support.h"
#include "talus/step/forces.h"

#include <numbers>

namespace talus {
namespace {

/// A plate pushes a block over the floor at constant speed: it pushes with friction's force µ m g.
TEST(Forces, plate_that_pushes_a_block_feels_friction) {
  const double mu = 0.4, mass = 3;
  World world = world_with_floor(mu);
  world.materials.add({.name = "smooth", .friction = 0});
  world.materials.set_pair({0, 1, 0.0, 0.0});
  const Index block =
      world.add(body("block").with(make_box({0.1, 0.1, 0.1})).mass(mass).at({0, 0, 0.1}));
  const Index plate = world.add(kinematic_body("plate")
                                    .with(make_box({0.02, 0.3, 0.05}))
                                    .of(1)
                                    .at({-0.12, 0, 0.1})
                                    .moving({0.2, 0, 0}));
  Simulation simulation(std::move(world), {.step = 1e-3});
  run(simulation, 200);
  const double weight = mass * gravity;
  expect_near(contact_force(simulation, plate, block).force, {-mu * weight, 0, 0}, 1e-5 * weight);
  expect_near(contact_force(simulation, plate).force, {-mu * weight, 0, 0}, 1e-5 * weight);
  expect_near(contact_force(simulation, block, plate).force, {mu * weight, 0, 0}, 1e-5 * weight);
  expect_near(contact_force(simulation, block, 0).force, {-mu * weight, 0, weight}, 1e-5 * weight);
  expect_near(contact_force(simulation, block).force, {0, 0, weight}, 1e-5 * weight);
  expect_near(contact_force(simulation, block).torque, {}, 1e-5 * weight);
  EXPECT_EQ(contact_force(simulation, plate, 0).force, Vec3{});
  const std::vector<Wrench> all = contact_forces(simulation);
  for (Index i = 0; i < 3; ++i) {
    expect_near(all[i].force, contact_force(simulation, i).force, 1e-12);
    expect_near(all[i].torque, contact_force(simulation, i).torque, 1e-12);
  }
}

TEST(Forces, scales_read_the_weight_of_a_pile) {
  World world;
  const Index tray = world.add(fixed_body("tray").with(make_box({0.5, 0.5, 0.1})).at({0, 0, -0.1}));
  const Index stack = world.add(body().with(make_box({0.2, 0.2, 0.1})).mass(2).at({0, 0, 0.1}));
  world.add(body().with(make_box({0.1, 0.1, 0.1})).mass(1).at({-0.09, 0, 0.3}));
  world.add(body().with(make_box({0.08, 0.1, 0.1})).mass(4).at({0.1, 0, 0.3}));
  world.add(body().with(make_box({0.15, 0.1, 0.05})).mass(0.5).at({0, 0, 0.45}));
  Simulation simulation(std::move(world), {.step = 2e-3});
  run(simulation, 100);
  expect_near(contact_force(simulation, tray).force, {0, 0, -7.5 * gravity}, 1e-4);
  expect_near(contact_force(simulation, tray, stack).force, {0, 0, -7.5 * gravity}, 1e-4);
  // The pile's weight acts at its common centre of mass, 0.1 above the tray's own centre.
  const double moment = gravity * (1 * -0.09 + 4 * 0.1);
  EXPECT_NEAR(contact_force(simulation, tray).torque.y, moment, 1e-4);
}

/// A bob on a light rod: the pull is m g cos θ + m L ω² along the rod, nothing across it.
TEST(Forces, pendulum_pulls_at_its_joint_as_it_should) {
  const double length = 1.5, mass = 2, h = 1e-4;
  World world;
  const Index bob = world.add(body().with(make_sphere(1e-3)).mass(mass).at({length, 0, 0}));
  world.add(revolute("pivot").between(ground, bob).at({0, 0, 0}).along({0, 1, 0}));
  Simulation simulation(std::move(world), {.step = h});
  run(simulation, 4000);
  const BodyState& state = simulation.world().state(bob);
  const Vec3 outward = normalized(state.pose.position);
  const double speed = norm(state.velocity);
  const double pull = mass * (gravity * -outward.z + speed * speed / length);
  // Frame a is the world turned so that z is the axis; the joint's force acts on the bob.
  const Quaternion axes = simulation.world().joint(0).frame_a.rotation;
  const Wrench reaction = joint_force(simulation, 0);
  expect_near(rotate(axes, reaction.force), -pull * outward, 1e-3 * pull, "force");
  expect_near(reaction.torque, {}, 1e-6 * pull, "torque");
  EXPECT_NEAR(joint_velocities(simulation)[0], dot(state.angular_velocity, Vec3{0, 1, 0}), 1e-12);
  EXPECT_EQ(joint_positions(simulation)[0], simulation.world().joint_coordinates()[0]);
}

/// A beam held at its end: force and torque of the support.
TEST(Forces, weld_carries_force_and_torque) {
  World world;
  const Index beam = world.add(body().with(make_box({0.5, 0.05, 0.05})).mass(2).at({0.5, 0, 0}));
  world.add(welded().between(ground, beam).at({0, 0, 0}).along({0, 0, 1}).second_axis({1, 0, 0}));
  Simulation simulation(std::move(world), {.step = 1e-3});
  run(simulation, 5);
  const Wrench support = joint_force(simulation, 0);
  expect_near(support.force, {0, 0, 2 * gravity}, 1e-9);
  expect_near(support.torque, {0, -2 * gravity * 0.5, 0}, 1e-9);
}

TEST(Forces, efforts_are_told_apart) {
  World world;
  world.gravity = {};
  const Index disc = world.add(body().with(make_cylinder(0.2, 0.05)).mass(3));
  world.add(revolute("shaft")
                .between(ground, disc)
                .at({0, 0, 0})
                .along({0, 0, 1})
                .driven_at(5)
                .sprung(7)
                .rubbing(2));
  Simulation simulation(std::move(world), {.step = 1e-3});
  EXPECT_EQ(motor_efforts(simulation)[0], 0);
  run(simulation, 100);
  const JointEfforts efforts = joint_efforts(simulation, 0);
  const double angle = joint_positions(simulation)[0];
  EXPECT_NEAR(angle, 0.5, 1e-9);
  EXPECT_NEAR(efforts.spring, -7 * angle, 1e-6);
  EXPECT_NEAR(efforts.friction, -2, 1e-6);
  EXPECT_NEAR(efforts.motor, 7 * angle + 2, 1e-6);
  EXPECT_EQ(efforts.motor, motor_efforts(simulation)[0]);
  EXPECT_EQ(efforts.limit, 0);
  EXPECT_NEAR(joint_force(simulation, 0).torque.z, 0, 1e-6);
}

} // namespace
} // namespace talus
