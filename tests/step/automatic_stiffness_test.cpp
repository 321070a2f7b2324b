// Contacts of automatic stiffness: how far they yield, that they hold without creeping, and that
// they let go of deep overlaps slowly.

#include "step/step_test_support.h"
#include "talus/step/laws/elastic_contacts.h"

namespace talus {
namespace {

constexpr double time_step = 1.0 / 240, compliance = 0.01;
/// By which a contact yields for each weight of the lighter body that it carries.
constexpr double one_body = compliance * gravity * time_step * time_step;

World world_with_automatic_floor(double friction) {
  World world = world_with_floor(friction);
  world.materials.replace(0, {.name = "default", .friction = friction});
  return world;
}

TEST(AutomaticStiffness, a_ball_yields_by_its_own_weight_whatever_its_mass) {
  for (const double mass : {1e-3, 3.0, 1e5}) {
    World world = world_with_automatic_floor(0.5);
    const Index ball = world.add(body().with(make_sphere(0.1)).mass(mass).at({0, 0, 0.1}));
    Simulation simulation(std::move(world), {.step = time_step});
    run(simulation, 200);
    EXPECT_NEAR(simulation.world().pose(ball).position.z, 0.1 - one_body, 1e-4 * one_body);
  }
}

TEST(AutomaticStiffness, vanishes_with_the_square_of_the_step) {
  for (const double step : {1.0 / 60, 1.0 / 1000}) {
    World world = world_with_automatic_floor(0.5);
    const Index ball = world.add(body().with(make_sphere(0.1)).mass(1).at({0, 0, 0.1}));
    Simulation simulation(std::move(world), {.step = step});
    run(simulation, 200);
    const double yield = compliance * gravity * step * step;
    EXPECT_NEAR(simulation.world().pose(ball).position.z, 0.1 - yield, 1e-4 * yield);
  }
}

TEST(AutomaticStiffness, under_a_heavy_body_the_yield_grows_with_the_root_of_the_load) {
  for (const double ratio : {2.0, 20.0, 2000.0}) {
    World world = world_with_automatic_floor(0.5);
    const Index light =
        world.add(body().with(make_sphere(0.1)).mass(1).at({0, 0, 0.1}).without_rotation());
    world.add(body().with(make_sphere(0.1)).mass(ratio).at({0, 0, 0.3}).without_rotation());
    Simulation simulation(std::move(world), {.step = time_step});
    run(simulation, 400);
    const double bodies = 1 + ratio;
    const double yield =
        one_body * (bodies > bodies_carried ? std::sqrt(bodies_carried * bodies) : bodies);
    EXPECT_NEAR(simulation.world().pose(light).position.z, 0.1 - yield, 1e-3 * yield) << ratio;
  }
}

TEST(AutomaticStiffness, a_cube_on_a_slope_never_creeps) {
  World world = world_with_automatic_floor(0.5);
  world.gravity = {gravity * std::sin(0.3), 0, -gravity * std::cos(0.3)};
  const Index cube = world.add(body().with(make_box({0.1, 0.1, 0.1})).mass(2).at({0, 0, 0.1}));
  Simulation simulation(std::move(world), {.step = time_step});
  run(simulation, 500);
  const Vec3 early = simulation.world().pose(cube).position;
  run(simulation, 5000);
  expect_near(simulation.world().pose(cube).position, early, 1e-10, "it creeps");
}

TEST(AutomaticStiffness, bodies_that_overlap_leave_no_faster_than_the_recovery_speed) {
  World world = world_with_automatic_floor(0.5);
  world.gravity = {0, 0, 0};
  const Index ball = world.add(body().with(make_sphere(0.1)).mass(1).at({0, 0, 0.05}));
  Simulation simulation(std::move(world), {.step = time_step, .max_recovery_speed = 0.2});
  run(simulation, 200);
  // The spring of the last step in contact adds its share ε.
  EXPECT_LE(simulation.world().state(ball).velocity.z, 0.2 * (1 + compliance));
  EXPECT_GE(simulation.world().pose(ball).position.z, 0.1);
}

TEST(AutomaticStiffness, restores_bit_by_bit) {
  World world = world_with_automatic_floor(0.4);
  Random random(5);
  for (int k = 0; k < 12; ++k)
    world.add(body()
                  .with(make_box({0.1, 0.08, 0.06}))
                  .mass(random(0.5, 5))
                  .at({random(-0.1, 0.1), random(-0.1, 0.1), 0.15 + 0.2 * k})
                  .turned(random.rotation()));
  Simulation whole(world, {.step = time_step}), first(world, {.step = time_step}),
      second(world, {.step = time_step});
  run(whole, 160, false);
  run(first, 80, false);
  second.restore(first.state());
  run(second, 80, false);
  EXPECT_EQ(whole.state(), second.state());
}

TEST(AutomaticTolerance, depends_on_the_number_of_contacts) {
  StepOptions options;
  EXPECT_EQ(tolerance_of(options, 500), 1e-8);
  EXPECT_EQ(tolerance_of(options, 501), 1e-6);
  EXPECT_EQ(tolerance_of(options, 20'001), 1e-4);
  options.tolerance = 1e-5;
  EXPECT_EQ(tolerance_of(options, 500), 1e-5);
}

} // namespace
} // namespace talus
