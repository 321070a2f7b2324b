// Bodies that overlap: how they are found, and how gently they part.

#include "step/step_test_support.h"
#include "talus/step/envelope.h"
#include "talus/step/measures.h"
#include "talus/step/overlaps.h"

#include <limits>
#include <numbers>

namespace talus {
namespace {

/// Two cubes of half width a on a floor, one in the other by half of it.
World overlapping_boxes(double a) {
  World world = world_with_floor(0.5);
  for (const double x : {-0.75, 0.75})
    world.add(body(x < 0 ? "left" : "right").with(make_box({a, a, a})).at({x * a, 0, a}));
  return world;
}

TEST(Overlap, bodies_of_every_size_part_gently) {
  for (const double a : {0.0005, 0.01, 0.5, 50.0}) {
    World world = overlapping_boxes(a);
    const double mass = world.bodies()[1].mass, radius = std::numbers::sqrt3 * a;
    // Some multiple of what falling by half a radius gives each of them.
    const double bound = 2 * mass * std::max(gravity * radius, radius * radius / 4);
    Simulation simulation(std::move(world), rigid({}));
    double largest = 0;
    for (int k = 0; k < 480; ++k) largest = std::max(largest, simulation.step().kinetic_energy);
    EXPECT_GT(largest, 0) << a;
    EXPECT_LE(largest, bound) << a;
    EXPECT_TRUE(find_overlaps(simulation.world()).empty()) << a;
  }
}

TEST(Overlap, balls_part_gently) {
  World world;
  world.gravity = {};
  for (const double x : {-0.1, 0.1}) world.add(body().with(make_sphere(0.5)).at({x, 0, 0}));
  const double mass = world.bodies()[0].mass;
  Simulation simulation(std::move(world), rigid({}));
  const double speed = automatic_recovery_speed(0, std::numbers::sqrt3 * 0.5);
  EXPECT_NEAR(simulation.step().kinetic_energy, mass * speed * speed / 4, 1e-6 * mass);
}

TEST(Overlap, an_unlimited_speed_undoes_all_at_once) {
  Simulation simulation(
      overlapping_boxes(0.5),
      {.allowed_penetration = 0, .max_recovery_speed = std::numeric_limits<double>::infinity()});
  simulation.step();
  EXPECT_TRUE(find_overlaps(simulation.world(), 1e-6).empty());
}

TEST(Overlap, small_penetrations_are_undone_in_one_step) {
  // A share of the radius that steps of 1/240 s leave in ordinary piles, at most.
  for (const double a : {0.0005, 0.05, 0.5, 50.0}) {
    World world = world_with_floor(0.5);
    world.add(body("grain").with(make_sphere(1e-3 * a)).at({10 * a, 0, 1e-3 * a}));
    const Index box = world.add(body("box").with(make_box({a, a, a})).at({0, 0, 0.998 * a}));
    Simulation simulation(std::move(world), rigid({.allowed_penetration = 0}));
    simulation.step();
    EXPECT_NEAR(simulation.world().state(box).pose.position.z, a, 1e-6 * a) << a;
  }
}

TEST(Overlap, speed_of_recovery_follows_gravity_and_size) {
  EXPECT_DOUBLE_EQ(automatic_recovery_speed(9.81, 0.1), std::sqrt(0.981));
  EXPECT_DOUBLE_EQ(automatic_recovery_speed(0, 0.1), 0.05);
  EXPECT_DOUBLE_EQ(automatic_recovery_speed(9.81, 100), 50);
}

TEST(Overlap, pairs_are_found_deepest_first) {
  World world = world_with_floor(0.5);
  const Index a = world.add(body("a").with(make_sphere(0.5)).at({0, 0, 0.5}));
  const Index b = world.add(body("b").with(make_sphere(0.5)).at({0.8, 0, 0.5}));
  const Index c = world.add(body("c").with(make_sphere(0.5)).at({1.5, 0, 0.4}));
  const std::vector<Overlap> found = find_overlaps(world);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(std::pair(found[0].body_a, found[0].body_b), std::pair(b, c));
  EXPECT_NEAR(found[0].depth, 1 - std::hypot(0.7, 0.1), 1e-12);
  EXPECT_EQ(std::pair(found[1].body_a, found[1].body_b), std::pair(a, b));
  EXPECT_NEAR(found[1].depth, 0.2, 1e-12);
  EXPECT_EQ(std::pair(found[2].body_a, found[2].body_b), std::pair(Index{0}, c));
  EXPECT_NEAR(found[2].depth, 0.1, 1e-12);
  EXPECT_EQ(find_overlaps(world, 0.2).size(), 2u);
}

TEST(Overlap, boxes_with_many_contacts_are_one_pair) {
  const std::vector<Overlap> found = find_overlaps(overlapping_boxes(0.5));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].depth, 0.25, 1e-9);
}

TEST(Overlap, bodies_that_touch_or_cannot_are_none) {
  World world = world_with_floor(0.5);
  world.add(body("touching").with(make_box({0.5, 0.5, 0.5})).at({0, 0, 0.5 - 1e-6}));
  world.add(fixed_body("wall").with(make_box({0.5, 0.5, 0.5})).at({5, 0, 0}));
  const Index a = world.add(body("a").with(make_sphere(0.2)).at({-3, 0, 2}));
  const Index b = world.add(body("b").with(make_sphere(0.2)).at({-3, 0, 2.1}));
  world.add(spherical().between(a, b).at({-3, 0, 2.05}));
  EXPECT_TRUE(find_overlaps(world).empty());
  EXPECT_THROW(find_overlaps(world, -1), InvalidArgument);
  EXPECT_THROW(find_overlaps(world, std::numeric_limits<double>::quiet_NaN()), InvalidArgument);
}

} // namespace
} // namespace talus
