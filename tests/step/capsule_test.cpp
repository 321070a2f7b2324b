// Capsules touch others in one point where their axes cross, and along a line where they do not.
// In between, a capsule that tips about its contact would sink far into what it lies on, were there
// no contacts beside the closest points (collide/convex/segments.h).

#include "step/step_test_support.h"
#include "talus/step/overlaps.h"

#include <numbers>

namespace talus {
namespace {

constexpr double capsule_radius = 0.06, capsule_half = 0.3;
constexpr double default_compliance = 0.01; ///< ε.

const Quaternion lying = axis_angle({0, 1, 0}, std::numbers::pi / 2); ///< The axis along x.

double deepest_overlap(const World& world) {
  const auto overlaps = find_overlaps(world, 0);
  return overlaps.empty() ? 0 : overlaps.front().depth;
}

/// What a body of this size that turns by ωh in a step moves away from its tangent.
double arc(double size, double spin) {
  return 0.5 * size * (spin * fine_step) * (spin * fine_step);
}

/// A capsule on top of what is fixed at the origin, turned by an angle from the x-axis, that tips
/// about an axis across its own. Returns how deep it is after a step.
double depth_after_tipping(World world, double height, double angle, double spin) {
  const Vec3 axis{std::cos(angle), std::sin(angle), 0},
      across{-std::sin(angle), std::cos(angle), 0};
  const Index tipping =
      world.add(body()
                    .with(make_capsule(capsule_radius, capsule_half))
                    .mass(1)
                    .placed({{0, 0, height}, axis_angle({0, 0, 1}, angle) * lying}));
  EXPECT_NEAR(std::abs(dot(rotate(world.pose(tipping).rotation, {0, 0, 1}), axis)), 1, 1e-12);
  world.state(tipping).angular_velocity = spin * across;
  Simulation simulation(std::move(world), {.step = fine_step, .tolerance = 1e-8, .threads = 1});
  run(simulation, 1);
  return deepest_overlap(simulation.world());
}

/// By c² d / 8 with c = 1/2, and what the step leaves out.
double allowed_depth(double distance, double spin) {
  const double speed = spin * (capsule_half + capsule_radius);
  return distance / 32 + arc(capsule_half + capsule_radius, spin) +
         default_compliance * fine_step * speed;
}

TEST(Capsules, sink_little_into_each_other_when_they_tip) {
  for (const double angle : {0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.2, std::numbers::pi / 2})
    for (const double spin : {5.0, 20.0}) {
      World world;
      world.add(fixed_body().with(make_capsule(capsule_radius, capsule_half)).placed({{}, lying}));
      EXPECT_LE(depth_after_tipping(std::move(world), 2 * capsule_radius, angle, spin),
                allowed_depth(2 * capsule_radius, spin))
          << angle;
    }
}

TEST(Capsules, sink_little_into_the_edges_of_boxes_and_hulls) {
  constexpr double side = 0.5; // half of it
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back({k & 1 ? side : -side, k & 2 ? side : -side, k & 4 ? side : -side});
  // An edge on top, along x.
  const Quaternion on_edge = axis_angle({1, 0, 0}, std::numbers::pi / 4);
  const double top = std::sqrt(2.0) * side;
  for (const ShapePtr& shape : {make_box({side, side, side}), make_convex_hull(corners)})
    for (const double angle : {0.0, 0.05, 0.1, 0.2, 0.4, 0.8, std::numbers::pi / 2}) {
      World world;
      world.add(fixed_body().with(shape).placed({{}, on_edge}));
      EXPECT_LE(depth_after_tipping(std::move(world), top + capsule_radius, angle, 20),
                allowed_depth(capsule_radius, 20))
          << angle;
    }
}

TEST(Capsules, end_on_yield_as_balls_do) {
  World world;
  world.add(fixed_body().with(make_capsule(capsule_radius, capsule_half)));
  const double height = 2 * capsule_half + 2 * capsule_radius;
  const Index upper = world.add(body()
                                    .with(make_capsule(capsule_radius, capsule_half))
                                    .mass(1)
                                    .at({0, 0, height})
                                    .without_rotation());
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 200);
  const double yield = default_compliance * gravity * fine_step * fine_step;
  EXPECT_NEAR(simulation.world().pose(upper).position.z, height - yield, 1e-4 * yield);
}

TEST(Capsules, lie_on_each_other_without_creeping) {
  World world = world_with_floor(0.5);
  world.materials.replace(0, {.name = "default", .friction = 0.5});
  // Three side by side between two walls, a fourth along the furrow between two of them.
  for (int k = 0; k < 3; ++k)
    world.add(body()
                  .with(make_capsule(capsule_radius, capsule_half))
                  .mass(1)
                  .placed({{0, 2 * capsule_radius * k, capsule_radius}, lying}));
  world.add(fixed_body().with(make_half_space({0, 1, 0}, -capsule_radius)));
  world.add(fixed_body().with(make_half_space({0, -1, 0}, -5 * capsule_radius)));
  const Index top = world.add(
      body()
          .with(make_capsule(capsule_radius, capsule_half))
          .mass(1)
          .placed({{0.02, capsule_radius, capsule_radius + std::sqrt(3.0) * capsule_radius},
                   axis_angle({0, 0, 1}, 1e-4) * lying}));
  Simulation simulation(std::move(world), {.step = fine_step});
  run(simulation, 300);
  const Vec3 early = simulation.world().pose(top).position;
  run(simulation, 1000);
  expect_near(simulation.world().pose(top).position, early, 1e-7, "it creeps");
  EXPECT_LE(deepest_overlap(simulation.world()), 20e-6);
}

TEST(Capsules, in_a_falling_heap_sink_in_by_no_more_than_the_step_leaves_out) {
  World world = world_with_floor(0.5);
  world.materials.replace(0, {.name = "default", .friction = 0.5});
  constexpr int side = 3, layers = 6;
  constexpr double spacing = 0.28, half = 0.05, size = capsule_radius + half;
  const double width = spacing * side;
  world.add(fixed_body().with(make_half_space({1, 0, 0}, 0)));
  world.add(fixed_body().with(make_half_space({-1, 0, 0}, -width)));
  world.add(fixed_body().with(make_half_space({0, 1, 0}, 0)));
  world.add(fixed_body().with(make_half_space({0, -1, 0}, -width)));
  Random random(3);
  for (int k = 0; k < side * side * layers; ++k) {
    const Vec3 cell{0.5 + k % side, 0.5 + k / side % side, 0.5 + k / (side * side)};
    world.add(body()
                  .with(make_capsule(capsule_radius, half))
                  .mass(6.28)
                  .placed({spacing * cell + random.vector(0.01), random.rotation()}));
  }
  Simulation simulation(std::move(world), {.step = fine_step, .tolerance = 1e-3});
  for (int k = 0; k < 240; ++k) {
    double speed = 0, spin = 0;
    simulation.step();
    for (const BodyState& state : simulation.world().states()) {
      speed = std::max(speed, norm(state.velocity) + size * norm(state.angular_velocity));
      spin = std::max(spin, norm(state.angular_velocity));
    }
    // Two bodies move; a deep overlap is undone within a step or two.
    const double allowed =
        2 * (default_compliance * fine_step * speed + arc(size, spin)) + 2 * capsule_radius / 32;
    ASSERT_LE(deepest_overlap(simulation.world()), allowed + 1e-4) << "step " << k;
  }
}

} // namespace
} // namespace talus
