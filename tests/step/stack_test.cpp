// Things that must stand still.

#include "step/step_test_support.h"

namespace talus {
namespace {

/// Unit cubes on top of each other, of the masses given.
World tower(const std::vector<double>& masses) {
  World world = world_with_floor(0.5);
  for (std::size_t k = 0; k < masses.size(); ++k) {
    world.add(body().with(make_box({0.5, 0.5, 0.5})).mass(masses[k]).at({0, 0, 0.5 + 1.0 * k}));
  }
  return world;
}

double largest_drift(const World& world, const std::vector<Vec3>& start) {
  double drift = 0;
  for (Index i = 0; i < world.size(); ++i) {
    drift = std::max(drift, norm(world.pose(i).position - start[i]));
  }
  return drift;
}

std::vector<Vec3> places(const World& world) {
  std::vector<Vec3> result;
  for (Index i = 0; i < world.size(); ++i) result.push_back(world.pose(i).position);
  return result;
}

TEST(Stack, forty_boxes_stand) {
  Simulation simulation(tower(std::vector<double>(40, 1.0)), {.step = fine_step});
  const auto start = places(simulation.world());
  const RunSummary summary = run(simulation, steps_for(10, fine_step));
  EXPECT_EQ(summary.contacts_max, 160);
  EXPECT_LT(largest_drift(simulation.world(), start), 1e-4);
  EXPECT_LT(summary.penetration_max, 1e-5);
}

TEST(Stack, a_rough_tolerance_does_not_set_a_tower_rocking) {
  Simulation simulation(tower(std::vector<double>(10, 1.0)),
                        {.step = fine_step, .tolerance = 1e-3, .allowed_penetration = 0});
  const auto start = places(simulation.world());
  run(simulation, steps_for(2, fine_step));
  EXPECT_LT(largest_drift(simulation.world(), start), 2e-6);
}

TEST(Stack, thousand_to_one_column_stands) {
  Simulation simulation(tower({1, 1, 1, 1, 1000}), {.step = fine_step});
  const auto start = places(simulation.world());
  const RunSummary summary = run(simulation, steps_for(10, fine_step));
  EXPECT_LT(summary.penetration_max, 1e-5);
  EXPECT_LT(largest_drift(simulation.world(), start), 1e-5);
}

TEST(Stack, heavy_slab_on_light_spheres_keeps_its_place) {
  World world = world_with_floor(0.5);
  const double r = 0.1;
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) {
      world.add(body().with(make_sphere(r)).mass(6.28).at({0.25 * i - 1.125, 0.25 * j - 1.125, r}));
    }
  }
  world.add(body("slab").with(make_box({1.3, 1.3, 0.2})).mass(16000).at({0, 0, 2 * r + 0.2}));
  Simulation simulation(std::move(world), {.step = fine_step});
  const auto start = places(simulation.world());
  const RunSummary summary = run(simulation, steps_for(10, fine_step));
  EXPECT_EQ(summary.contacts_max, 200);
  EXPECT_LT(largest_drift(simulation.world(), start), 1e-5);
}

} // namespace
} // namespace talus
