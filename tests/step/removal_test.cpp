// Bodies that are taken away while a simulation goes on.

#include "step_test_support.h"

#include <algorithm>

namespace talus {
namespace {

/// Three boxes on each other, on a floor.
World stack_of_three() {
  World world = world_with_floor(0.5);
  for (int i = 0; i < 3; ++i)
    world.add(
        body("box " + std::to_string(i)).with(make_box({0.1, 0.1, 0.1})).at({0, 0, 0.1 + 0.2 * i}));
  return world;
}

TEST(Removal, LetsFallWhatLayOnTheBody) {
  Simulation simulation(stack_of_three(), rigid({.step = fine_step}));
  run(simulation, 20);
  simulation.world().remove_body(2);
  run(simulation, 240);
  const World& world = simulation.world();
  EXPECT_NEAR(world.state(3).pose.position.z, 0.3, 1e-4);
  EXPECT_NEAR(world.state(2).pose.position.z, 0.3, 1e-4) << "it stays where it was";
  EXPECT_EQ(world.find_body("box 2"), 3);
  EXPECT_TRUE(world.body(2).removed);
  EXPECT_EQ(world.removed_bodies(), std::vector<Index>{2});
  for (const ContactPoint& contact : simulation.contacts())
    EXPECT_TRUE(contact.body_a != 2 && contact.body_b != 2);
}

TEST(Removal, KeepsTheImpulsesOfTheOthers) {
  Simulation simulation(stack_of_three(), rigid({.step = fine_step}));
  run(simulation, 20);
  simulation.world().remove_body(3);
  simulation.step();
  // The contacts of the lowest boxes are found again in the cache.
  const auto state = simulation.state();
  EXPECT_EQ(state.warm_start.contacts.size(), 8U);
  EXPECT_LT(simulation.report().error, 1e-8);
}

TEST(Removal, TakesJointsAndGearsAlong) {
  World world;
  const Index a = world.add(body("a").with(make_sphere(0.1)).at({1, 0, 0}));
  const Index b = world.add(body("b").with(make_sphere(0.1)).at({2, 0, 0}));
  const Index c = world.add(body("c").with(make_sphere(0.1)).at({3, 0, 0}));
  const Index first = world.add(revolute("first").between(ground, a).at({1, 0, 0}).driven_at(1));
  const Index second = world.add(revolute("second").between(ground, b).at({2, 0, 0}));
  const Index third = world.add(revolute("third").between(ground, c).at({3, 0, 0}));
  const Index gears = world.add(gear("gears").coupling(first, second, 2));
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 10);
  EXPECT_NEAR(simulation.world().state(b).angular_velocity.z, -0.5, 1e-9);
  simulation.world().remove_body(a);
  EXPECT_TRUE(simulation.world().joint(first).removed);
  EXPECT_TRUE(simulation.world().joint(gears).removed);
  EXPECT_FALSE(simulation.world().joint(second).removed);
  run(simulation, 10);
  EXPECT_EQ(simulation.report().joint_rows, 10);
  EXPECT_NEAR(simulation.world().state(b).angular_velocity.z, -0.5, 1e-9);
  EXPECT_NEAR(simulation.world().state(c).pose.position.z, 0, 1e-9);
  EXPECT_EQ(simulation.world().find_joint("third"), third);
}

TEST(Removal, HappensAtItsTime) {
  World world;
  world.add(body("ball").with(make_sphere(0.1)).removed_at(0.1));
  Simulation simulation(std::move(world), {.step = 0.01});
  run(simulation, 10);
  EXPECT_FALSE(simulation.world().body(0).removed);
  const double z = simulation.world().state(0).pose.position.z;
  run(simulation, 5);
  EXPECT_TRUE(simulation.world().body(0).removed);
  EXPECT_EQ(simulation.world().state(0).pose.position.z, z);
  EXPECT_EQ(simulation.report().kinetic_energy, 0);
}

TEST(Removal, IsPartOfTheState) {
  Simulation simulation(stack_of_three(), {.step = fine_step});
  run(simulation, 10);
  const SimulationState before = simulation.state();
  simulation.world().remove_body(2);
  run(simulation, 5);
  const SimulationState middle = simulation.state();
  run(simulation, 30);
  const SimulationState end = simulation.state();

  Simulation other(stack_of_three(), {.step = fine_step});
  other.restore(middle);
  EXPECT_EQ(other.state(), middle);
  run(other, 30);
  EXPECT_EQ(other.state(), end);

  // Back to the time before.
  other.restore(before);
  EXPECT_FALSE(other.world().body(2).removed);
  EXPECT_EQ(other.world().body(2).kind, BodyKind::dynamic);
  EXPECT_EQ(other.state(), before);

  SimulationState wrong = before;
  wrong.removed = {9};
  EXPECT_THROW(other.restore(wrong), InvalidArgument);
  EXPECT_THROW(other.world().remove_body(7), InvalidArgument);
}

} // namespace
} // namespace talus
