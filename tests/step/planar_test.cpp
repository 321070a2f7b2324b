// Worlds confined to a plane.

#include "step/step_test_support.h"
#include "talus/step/measures.h"

namespace talus {
namespace {

TEST(Planar, bodies_stay_in_the_plane) {
  Random random(1);
  World world = world_with_floor(0.5);
  world.confine_to_plane({0, 1, 0});
  for (int k = 0; k < 20; ++k) {
    const Vec3 at{0.7 * (k % 4) + random(-0.1, 0.1), 0, 0.6 + 0.9 * (k / 4)};
    const ShapePtr shape = k % 2 == 0 ? make_box({0.3, 0.5, 0.25}) : make_sphere(0.3);
    world.add(body()
                  .with(shape)
                  .at(at)
                  .turned(axis_angle({0, 1, 0}, random(-1, 1)))
                  .moving(random.vector(1))
                  .spinning(random.vector(1)));
  }
  Simulation simulation(std::move(world), {.tolerance = 1e-6});
  run(simulation, 200, false);
  EXPECT_GT(simulation.report().contacts, 20);
  for (Index i = 1; i < simulation.world().size(); ++i) {
    const BodyState& state = simulation.world().state(i);
    EXPECT_EQ(state.pose.position.y, 0);
    EXPECT_EQ(state.velocity.y, 0);
    EXPECT_EQ(state.angular_velocity.x, 0);
    EXPECT_EQ(state.angular_velocity.z, 0);
    EXPECT_NEAR(rotate(state.pose.rotation, {0, 1, 0}).y, 1, 1e-12);
  }
}

TEST(Planar, a_disc_rolls_like_a_cylinder) {
  // v = v0 / (1 + I / (m r²)) = 2/3 v0 once a cylinder rolls.
  World world = world_with_floor(0.2);
  world.confine_to_plane({0, 1, 0});
  const Index disc = world.add(body()
                                   .with(make_cylinder(0.5, 0.2))
                                   .at({0, 0, 0.5})
                                   .turned(axis_angle({1, 0, 0}, std::acos(0.0)))
                                   .moving({2, 0, 0}));
  Simulation simulation(std::move(world), {.step = 0.0025});
  run(simulation, 400);
  EXPECT_NEAR(simulation.world().state(disc).velocity.x, 4.0 / 3, 1e-5);
}

TEST(Planar, a_contact_outside_the_plane_pushes_within_it) {
  // A ball rests on a slope whose normal leaves the plane: it slides down as on the plane's cut.
  World world;
  world.materials.replace(0, {.name = "default", .friction = 0});
  world.confine_to_plane({0, 1, 0});
  const Vec3 normal = normalized(Vec3{0.3, 0.4, 1});
  world.add(fixed_body().with(make_half_space(normal)));
  const Index ball = world.add(body().with(make_sphere(0.5)).at({0, 0, 0.5 / normal.z}));
  Simulation simulation(std::move(world), rigid({.step = 0.01}));
  const RunSummary summary = run(simulation, 100);
  EXPECT_LT(summary.penetration_max, 1e-9);
  const double slope = std::atan2(0.3, 1.0);
  EXPECT_NEAR(norm(simulation.world().state(ball).velocity), gravity * std::sin(slope), 1e-7);
}

TEST(Planar, a_floor_in_the_plane_is_not_felt) {
  World world = world_with_floor(0.5);
  world.confine_to_plane({0, 0, 1});
  const Index puck =
      world.add(body().with(make_box({0.5, 0.5, 0.5})).at({0, 0, 0.5}).moving({1, 0, 0}));
  Simulation simulation(std::move(world), {});
  run(simulation, 24);
  EXPECT_EQ(simulation.report().contacts, 0);
  EXPECT_NEAR(simulation.world().state(puck).pose.position.x, 0.1, 1e-12);
}

TEST(Planar, joints_lose_their_idle_rows) {
  World world;
  world.confine_to_plane({0, 1, 0});
  const Index arm = world.add(body().with(make_box({0.5, 0.1, 0.1})).at({0.5, 0, 0}));
  world.add(revolute().between(ground, arm).at({0, 0, 0}).along({0, 1, 0}));
  Simulation simulation(std::move(world), {.step = 1e-3});
  const double energy = potential_energy(simulation.world());
  run(simulation, 1000);
  EXPECT_EQ(simulation.report().joint_rows, 2);
  EXPECT_NEAR(simulation.report().kinetic_energy + simulation.report().potential_energy, energy,
              0.02 * 1000 * 0.04 * gravity);
}

} // namespace
} // namespace talus
