#include "step/step_test_support.h"
#include "talus/step/measures.h"

namespace talus {
namespace {

/// Bodies on a jittered lattice that fly towards the middle, without gravity.
template <class AddShape>
World imploding_cloud(unsigned seed, AddShape&& shape) {
  Random random(seed);
  World world;
  world.gravity = {};
  world.materials.replace(0, {.name = "default", .friction = 0.4});
  for (int k = 0; k < 27; ++k) {
    const Vec3 place = Vec3{1.0 * (k % 3 - 1), 1.0 * (k / 3 % 3 - 1), 1.0 * (k / 9 - 1)};
    const Vec3 at = 1.2 * place + random.vector(0.1);
    world.add(body()
                  .with(shape(random))
                  .density(random(100, 2000))
                  .at(at)
                  .turned(random.rotation())
                  .moving(-1.5 * at + random.vector(0.5))
                  .spinning(random.vector(2)));
  }
  return world;
}

TEST(Impact, spheres_keep_momentum_and_lose_energy) {
  Simulation simulation(imploding_cloud(1, [](Random& r) { return make_sphere(r(0.2, 0.4)); }),
                        rigid({.step = 1.0 / 240, .tolerance = 1e-10}));
  const Vec3 p = momentum(simulation.world()), l = angular_momentum(simulation.world());
  double energy = kinetic_energy(simulation.world());
  const double start = energy;
  Index contacts = 0;
  for (int k = 0; k < 240; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(report.converged()) << report.message;
    EXPECT_LE(report.kinetic_energy, energy * (1 + 1e-12));
    energy = report.kinetic_energy;
    contacts = std::max(contacts, report.contacts);
    expect_near(report.momentum, p, 1e-11 * 1000, "momentum");
    expect_near(report.angular_momentum, l, 1e-11 * 1000, "angular momentum");
  }
  EXPECT_GT(contacts, 10);
  EXPECT_LT(energy, 0.6 * start);
}

TEST(Impact, boxes_keep_momentum_and_lose_energy) {
  Simulation simulation(
      imploding_cloud(2,
                      [](Random& r) {
                        return make_box({r(0.15, 0.3), r(0.15, 0.3), r(0.15, 0.3)});
                      }),
      rigid({.step = 1.0 / 240}));
  const Vec3 p = momentum(simulation.world());
  double energy = kinetic_energy(simulation.world());
  const double start = energy;
  for (int k = 0; k < 120; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(report.converged()) << report.message;
    // Undoing the penetration of turning faces, which linearised gaps do not foresee, may give back
    // a little.
    EXPECT_LE(report.kinetic_energy, energy * (1 + 1e-3));
    energy = report.kinetic_energy;
    expect_near(report.momentum, p, 1e-11 * 1000, "momentum");
  }
  EXPECT_LT(energy, 0.9 * start);
}

TEST(Impact, inelastic_ball_lands_and_stays) {
  World world = world_with_floor(0.5);
  const Index ball = world.add(body().with(make_sphere(0.5)).at({0, 0, 3}));
  // An error of the solve leaves a share of the landing speed of 7 m/s, which sinks in for a step:
  // at most 1e-9 · 7 m/s · 1/240 s = 3e-11 m.
  Simulation simulation(std::move(world), rigid({.tolerance = 1e-9}));
  RunSummary summary = run(simulation, 480);
  EXPECT_NEAR(simulation.world().state(ball).pose.position.z, 0.5, 1e-10);
  EXPECT_LT(norm(simulation.world().state(ball).velocity), 1e-9);
  EXPECT_LT(summary.penetration_max, 1e-10);
  EXPECT_EQ(summary.outran_envelope, 0);
}

TEST(Impact, restitution_returns_its_share_of_the_speed) {
  World world = world_with_floor(0.0);
  world.materials.replace(0, {.name = "default", .friction = 0, .restitution = 0.6});
  const Index ball = world.add(body().with(make_sphere(0.5)).at({0, 0, 1.5}));
  Simulation simulation(std::move(world), rigid({}));
  double down = 0, up = 0;
  for (int k = 0; k < 240 && up == 0; ++k) {
    down = -simulation.world().state(ball).velocity.z;
    simulation.step();
    up = std::max(0.0, simulation.world().state(ball).velocity.z);
  }
  EXPECT_NEAR(down, std::sqrt(2 * gravity * 1), 2 * gravity / 240);
  EXPECT_NEAR(up, 0.6 * down, 1e-7);
  run(simulation, 1200);
  EXPECT_NEAR(simulation.world().state(ball).pose.position.z, 0.5, 1e-9);
}

/// A ball that touches the floor and comes down at `speed`, and what it leaves with.
double rebound(double speed, const StepOptions& options) {
  World world = world_with_floor(0.0);
  world.materials.replace(0, {.name = "default", .friction = 0, .restitution = 0.5});
  const Index ball =
      world.add(body().with(make_sphere(0.5)).at({0, 0, 0.5}).moving({0, 0, -speed}));
  Simulation simulation(std::move(world), rigid(options));
  simulation.step();
  return simulation.world().state(ball).velocity.z;
}

TEST(Impact, slow_ones_do_not_rebound) {
  const double least = 2 * gravity / 240; // what the threshold is unless told
  EXPECT_NEAR(rebound(0.9 * least, {}), 0, 1e-9);
  EXPECT_NEAR(rebound(1.1 * least, {}), 0.55 * least, 1e-9);
  EXPECT_NEAR(rebound(0.9 * least, {.restitution_threshold = 0}), 0.45 * least, 1e-9);
  EXPECT_NEAR(rebound(1.1, {.restitution_threshold = 1.2}), 0, 1e-9);
  EXPECT_NEAR(rebound(1.1, {.restitution = false}), 0, 1e-9);
}

TEST(Impact, elastic_balls_swap_their_velocities) {
  World world;
  world.gravity = {};
  world.materials.replace(0, {.name = "default", .friction = 0, .restitution = 1});
  const Index a = world.add(body().with(make_sphere(0.5)).moving({2, 0, 0}));
  const Index b = world.add(body().with(make_sphere(0.5)).at({3, 0, 0}).moving({-1, 0, 0}));
  Simulation simulation(std::move(world), rigid({}));
  run(simulation, 480);
  expect_near(simulation.world().state(a).velocity, {-1, 0, 0}, 1e-7);
  expect_near(simulation.world().state(b).velocity, {2, 0, 0}, 1e-7);
}

TEST(Impact, fast_bodies_do_not_tunnel) {
  // 100 m/s is 0.4 m per step; the wall is 2 cm thick.
  World world;
  world.gravity = {};
  world.add(fixed_body("wall").with(make_box({0.01, 1, 1})));
  const Index ball =
      world.add(body().with(make_sphere(0.05)).at({-5.03, 0, 0}).moving({100, 0, 0}));
  Simulation simulation(std::move(world), rigid({}));
  const RunSummary summary = run(simulation, 48);
  EXPECT_LT(simulation.world().state(ball).pose.position.x, 0);
  EXPECT_EQ(summary.outran_envelope, 0);
}

TEST(Impact, every_friction_set_slows_a_ball_that_strikes_obliquely) {
  // A fast slide all through: friction takes mu times the normal impulse, which stops the fall and
  // carries the weight.
  for (const char* set : {"cone", "pyramid", "box", "prism:8", "cylinder"}) {
    World world = world_with_floor(0.3);
    const Index ball =
        world.add(body().with(make_sphere(0.1)).density(1000).at({0, 0, 0.13}).moving({5, 0, -2}));
    StepOptions options;
    options.step = 1.0 / 200;
    options.friction = parse_friction_set(set);
    Simulation simulation(std::move(world), rigid(options));
    run(simulation, 10);
    const Vec3 after = simulation.world().state(ball).velocity;
    expect_near(after, {5 - 0.3 * (2 + gravity * 10 * options.step), 0, 0}, 1e-6, set);
  }
}

TEST(Impact, an_envelope_that_is_too_small_is_reported) {
  World world;
  world.gravity = {};
  world.add(body().with(make_sphere(0.05)).moving({100, 0, 0}));
  Simulation simulation(std::move(world), rigid({.envelope = 0.01}));
  EXPECT_EQ(simulation.step().outran_envelope, 1);
}

TEST(Impact, recovery_speed_is_bounded_when_asked) {
  const auto height_after_one_step = [](double max_speed) {
    World world = world_with_floor(0.5);
    const Index box = world.add(body().with(make_box({0.5, 0.5, 0.5})).at({0, 0, 0.4}));
    StepOptions options;
    options.step = 0.01;
    options.allowed_penetration = 0;
    options.max_recovery_speed = max_speed;
    Simulation simulation(std::move(world), rigid(options));
    EXPECT_NEAR(simulation.step().max_penetration, 0.1, 1e-12);
    return simulation.world().state(box).pose.position.z;
  };
  EXPECT_NEAR(height_after_one_step(std::numeric_limits<double>::infinity()), 0.5, 1e-9);
  EXPECT_NEAR(height_after_one_step(0.5), 0.405, 1e-9);
  EXPECT_NEAR(height_after_one_step(0), 0.4, 1e-9);
}

} // namespace
} // namespace talus
