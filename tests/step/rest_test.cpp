// Penetrations that count as touching, and the piles that rest because of them.

#include "step/step_test_support.h"

namespace talus {
namespace {

/// Where a ball of radius 0.1 is after a step that began so deep in the floor, against touching it.
double height_after(double penetration, double allowed) {
  World world = world_with_floor(0.5);
  const Index ball = world.add(body().with(make_sphere(0.1)).mass(1).at({0, 0, 0.1 - penetration}));
  Simulation simulation(std::move(world), {.step = fine_step, .allowed_penetration = allowed});
  simulation.step();
  return simulation.world().state(ball).pose.position.z - 0.1;
}

TEST(Rest, allowed_penetrations_stay_and_deeper_ones_go_back_to_half_of_them) {
  EXPECT_NEAR(height_after(0.9e-3, 1e-3), -0.9e-3, 1e-9);
  EXPECT_NEAR(height_after(1.1e-3, 1e-3), -0.5e-3, 1e-9);
  EXPECT_NEAR(height_after(0, 1e-3), 0, 1e-9);
  EXPECT_NEAR(height_after(1.1e-3, 0), 0, 1e-9);
}

TEST(Rest, a_ball_above_the_floor_comes_down_to_it_whatever_is_allowed) {
  EXPECT_NEAR(height_after(-1e-5, 1e-3), 0, 1e-9);
}

TEST(Rest, the_automatic_penetration_is_a_share_of_the_smallest_body) {
  // The radius of the box about the ball: √3 · 0.1.
  const double allowed = 1e-5 * std::sqrt(3.0) * 0.1;
  EXPECT_NEAR(height_after(0.9 * allowed, -1), -0.9 * allowed, 1e-10);
  EXPECT_NEAR(height_after(1.1 * allowed, -1), -0.5 * allowed, 1e-10);
}

/// A row of balls on the floor between two walls, too long for its box by a hair: nothing that
/// rigid balls can do undoes the overlaps.
World jammed_row(double excess) {
  constexpr double radius = 0.1;
  constexpr int balls = 5;
  World world = world_with_floor(0.5);
  world.add(fixed_body("left").with(make_half_space({1, 0, 0})));
  world.add(fixed_body("right").with(make_half_space({-1, 0, 0}, excess - 2 * radius * balls)));
  const ShapePtr ball = make_sphere(radius);
  const double pitch = 2 * radius - excess / balls;
  for (int k = 0; k < balls; ++k) {
    world.add(body().with(ball).mass(6).at({(k + 0.5) * pitch, 0, radius}));
  }
  return world;
}

TEST(Rest, a_row_that_is_too_long_for_its_box_by_a_hair_lies_still) {
  Simulation simulation(jammed_row(2e-6), {.step = fine_step});
  run(simulation, 100);
  EXPECT_LT(simulation.report().kinetic_energy, 1e-15);
  EXPECT_LE(simulation.report().iterations, 1);
}

TEST(Rest, undoing_all_of_its_penetrations_is_a_problem_without_answer) {
  Simulation simulation(jammed_row(2e-6),
                        {.step = fine_step, .max_iterations = 1000, .allowed_penetration = 0});
  EXPECT_FALSE(simulation.step().converged());
}

} // namespace
} // namespace talus
