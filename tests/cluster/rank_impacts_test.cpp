// Steps with extra solves over ranks: rebounds, friction whose bounds come from the frictionless
// solution, and loads at points. The same bits for all ranks, and what one process does.

#include "cluster/rank_runs.h"
#include "talus/step/measures.h"

#include <functional>

namespace talus {
namespace {

using namespace test;

/// Boxes and balls that tumble in a room without gravity, near each other: some in clusters that
/// strike as one, some alone. A door on a hinge is on all ranks.
World tumbling_crowd(int count, double restitution) {
  World world;
  world.gravity = {};
  const Index m =
      world.add(Material{.name = "bouncy", .friction = 0.8, .restitution = restitution});
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vec3 inwards{}, at{};
      inwards[axis] = -side;
      at[axis] = side * 0.62;
      world.add(fixed_body().with(make_half_space(inwards)).of(m).at(at));
    }
  const Index door = world.add(body("door").with(make_box({0.3, 0.02, 0.3})).of(m).at({0, 0.5, 0}));
  world.add(revolute("pin").between(ground, door).at({-0.3, 0.5, 0}).along({0, 0, 1}));
  std::mt19937 random(4);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() % 10000) / 10000;
  };
  for (int k = 0; k < count; ++k) {
    const Vec3 place{-0.42 + 0.21 * (k % 5), -0.42 + 0.21 * (k / 5 % 4), -0.42 + 0.21 * (k / 20)};
    const ShapePtr shape = k % 3 == 0 ? make_sphere(0.08) : make_box({0.09, 0.07, 0.05});
    const Vec3 spin{uniform(-20, 20), uniform(-20, 20), uniform(-20, 20)};
    world.add(body()
                  .with(shape)
                  .of(m)
                  .at(place)
                  .moving({uniform(-3, 3), uniform(-3, 3), uniform(-3, 3)})
                  .spinning(spin));
  }
  return world;
}

World crowd() {
  return tumbling_crowd(60, 0.9);
}
World pile() {
  return falling_pile(60);
}
/// Balls that are pushed at points, one of them by a force that turns with it.
World pushed_pile() {
  World world = falling_pile(60);
  for (const Index k : {5, 20, 33})
    world.add(PointLoad{.body = k,
                        .point = {0, 0.02, 0.03},
                        .force =
                            [](double time) {
                              return Vec3{400 * time, 3, 0};
                            },
                        .turns_with_body = k == 20});
  return world;
}

struct ExtraCase {
  const char* name;
  World (*world)();
  StepOptions step;
  bool scales = false; ///< Whether rebounds would create energy.
};

StepOptions with(FrictionKind kind) {
  return {.friction = {kind}, .tolerance = 1e-4};
}

class RankExtras : public testing::TestWithParam<ExtraCase> {};
INSTANTIATE_TEST_SUITE_P(
    Worlds, RankExtras,
    testing::Values(
        ExtraCase{"newton", crowd, {.tolerance = 1e-4}, true},
        ExtraCase{"poisson", crowd, {.tolerance = 1e-4, .impact_law = ImpactLaw::poisson}, true},
        ExtraCase{"box", pile, with(FrictionKind::box)},
        ExtraCase{"prism", pile, with(FrictionKind::prism)},
        ExtraCase{"cylinder", pile, with(FrictionKind::cylinder)},
        ExtraCase{"loads", pushed_pile, {.tolerance = 1e-4}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(RankExtras, HaveTheSameBits) {
  const World world = GetParam().world();
  RankRun run{.steps = 14, .options = small_cells(), .step = GetParam().step};
  const Outcome one = simulate(world, run);
  Index contacts = 0;
  double scale = 1;
  for (const StepReport& report : one.reports) {
    EXPECT_TRUE(report.converged()) << report.message;
    contacts = std::max(contacts, report.contacts);
    scale = std::min(scale, report.restitution_scale);
  }
  EXPECT_GT(contacts, 20);
  EXPECT_EQ(scale < 1, GetParam().scales);
  for (const int ranks : {2, 3, 8})
    for (const int threads : {1, 2}) {
      run.ranks = ranks;
      run.threads = threads;
      const Outcome many = simulate(world, run);
      EXPECT_LT(many.most_own, world.size() - 1) << "nothing was divided";
      expect_same_bits(many, one, std::to_string(ranks) + " ranks");
    }
}

TEST_P(RankExtras, GoOnFromAState) {
  const World world = GetParam().world();
  RankRun run{.ranks = 2, .steps = 12, .options = small_cells(), .step = GetParam().step};
  const Outcome whole = simulate(world, run);
  run.ranks = 3;
  run.steps = 7;
  const Outcome first = simulate(world, run);
  run.ranks = 1;
  run.steps = 5;
  run.from = &first.state;
  const Outcome rest = simulate(world, run);
  EXPECT_TRUE(rest.state == whole.state);
  EXPECT_EQ(rest.hashes.back(), whole.hashes.back());
}

TEST_P(RankExtras, AgreeWithOneProcess) {
  const World world = GetParam().world();
  StepOptions options = GetParam().step;
  options.solver = "apgd";
  options.law = Law::associated;
  options.tolerance = 1e-10;
  options.max_products = 0;
  Simulation alone(world, options);
  for (int k = 0; k < 11; ++k) ASSERT_TRUE(alone.step().converged()) << alone.report().message;
  const Outcome ranks =
      simulate(world, {.ranks = 3, .steps = 11, .options = small_cells(), .step = options});
  EXPECT_GT(alone.report().contacts, 5);
  EXPECT_EQ(ranks.reports.back().contacts, alone.report().contacts);
  for (Index i = 0; i < world.size(); ++i)
    EXPECT_LT(norm(ranks.state.bodies[i].pose.position - alone.world().states()[i].pose.position),
              1e-4)
        << i;
  EXPECT_NEAR(ranks.reports.back().kinetic_energy, alone.report().kinetic_energy,
              1e-3 * alone.report().kinetic_energy);
}

/// Rebounds with much friction would create energy; over ranks they do not either, and some are
/// scaled down.
TEST(RankImpacts, NeverCreateEnergy) {
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson}) {
    const World world = tumbling_crowd(60, 1);
    const StepOptions options{
        .tolerance = 1e-6, .relative_compliance = 0, .max_recovery_speed = 0, .impact_law = law};
    const Outcome outcome =
        simulate(world, {.ranks = 4, .steps = 30, .options = small_cells(), .step = options});
    double energy = kinetic_energy(world), least_scale = 1;
    for (const StepReport& report : outcome.reports) {
      EXPECT_LT(report.kinetic_energy, energy * (1 + 1e-6)) << "step " << report.step;
      energy = report.kinetic_energy;
      least_scale = std::min(least_scale, report.restitution_scale);
    }
    EXPECT_GT(energy, 0.2 * kinetic_energy(world));
    EXPECT_LT(least_scale, 1);
  }
}

} // namespace
} // namespace talus
