// What worlds can hold besides plain contacts: over ranks with the same bits, and as in one
// process.

#include "cluster/rank_runs.h"
#include "talus/step/forces.h"

namespace talus {
namespace {

using namespace test;

/// A heap whose balls start close to each other, so that laws of contact act at once.
World close_heap(const Material& material, int count = 60) {
  World world;
  const Index m = world.add(material);
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})).of(m));
  std::mt19937 random(11);
  const auto jitter = [&] { return 0.002 * static_cast<double>(random() % 1000) / 1000; };
  for (int k = 0; k < count; ++k) {
    const Vec3 place{0.1 * (k % 5) + jitter(), 0.1 * (k / 5 % 4) + jitter(),
                     0.05 + 0.099 * (k / 20)};
    const Vec3 velocity{k % 3 == 0 ? 0.5 : -0.2, 0.1 * (k % 2), -0.3};
    const ShapePtr shape = k % 4 == 0 ? make_box({0.045, 0.04, 0.045}) : make_sphere(0.05);
    world.add(body().with(shape).of(m).at(place).moving(velocity));
  }
  return world;
}

struct LawCase {
  const char* name;
  World (*world)();
};

World rolling_heap() {
  return close_heap({.name = "sand", .friction = 0.5, .rolling = 0.004, .spinning = 0.002});
}
World hertz_heap() {
  return close_heap({.name = "glass", .friction = 0.4, .young = 1e7, .poisson = 0.2});
}
World sticky_heap() {
  return close_heap(
      {.name = "clay", .friction = 0.5, .cohesion = {.force = 2, .range = 0.003, .heals = false}});
}
/// Half in water that flows; some bodies have drag of their own.
World flooded_heap() {
  World world = close_heap({.name = "wood", .friction = 0.4});
  world.add(Fluid{.name = "water",
                  .density = 400,
                  .viscosity = 0.1,
                  .level = 0.12,
                  .flow = [](const Vec3&, double) {
                    return Vec3{0.5, 0, 0};
                  }});
  world.set_wind([](const Vec3&, double time) { return Vec3{0, time, 0}; });
  for (Index i = 1; i < world.size(); i += 7) world.set_drag(i, {.linear = 0.3, .angular = 0.01});
  return world;
}
/// A door on a bearing, which balls push open, and a gate and a ball that are taken away.
World gated_heap() {
  World world = close_heap({.name = "steel", .friction = 0.4});
  const Index door = world.add(body("door").with(make_box({0.02, 0.3, 0.15})).at({0.56, 0.2, 0.2}));
  world.add(revolute("pin")
                .between(ground, door)
                .at({0.56, 0.5, 0.2})
                .along({0, 0, 1})
                .borne_by({.friction = 0.3, .radius = 0.02}));
  world.add(
      fixed_body("gate").with(make_box({0.02, 0.3, 0.15})).at({-0.1, 0.2, 0.15}).removed_at(0.03));
  world.add(body("marked").with(make_sphere(0.05)).at({0.2, 0.2, 0.5}).removed_at(0.02));
  return world;
}

class RankLaws : public testing::TestWithParam<LawCase> {};
INSTANTIATE_TEST_SUITE_P(Worlds, RankLaws,
                         testing::Values(LawCase{"rolling", rolling_heap},
                                         LawCase{"hertz", hertz_heap},
                                         LawCase{"cohesion", sticky_heap},
                                         LawCase{"fluids", flooded_heap},
                                         LawCase{"bearings", gated_heap}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(RankLaws, HaveTheSameBits) {
  const World world = GetParam().world();
  RankRun run{.steps = 10, .options = small_cells(), .step = {.tolerance = 1e-4}};
  const Outcome one = simulate(world, run);
  for (const StepReport& report : one.reports) EXPECT_TRUE(report.converged()) << report.message;
  EXPECT_GT(one.reports.back().contacts, 20);
  for (const int ranks : {3, 8}) {
    run.ranks = ranks;
    run.threads = 1 + ranks % 2;
    const Outcome many = simulate(world, run);
    EXPECT_LT(many.most_own, world.size() - 1) << "nothing was divided";
    expect_same_bits(many, one, std::to_string(ranks) + " ranks");
  }
}

TEST_P(RankLaws, GoOnFromAState) {
  const World world = GetParam().world();
  RankRun run{.ranks = 2, .steps = 12, .options = small_cells(), .step = {.tolerance = 1e-4}};
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

TEST_P(RankLaws, AgreeWithOneProcess) {
  const World world = GetParam().world();
  const StepOptions options{.solver = "ansgs", .tolerance = 1e-10, .max_products = 0};
  Simulation alone(world, options);
  for (int k = 0; k < 8; ++k) ASSERT_TRUE(alone.step().converged()) << alone.report().message;
  const Outcome ranks =
      simulate(world, {.ranks = 3, .steps = 8, .options = small_cells(), .step = options});
  EXPECT_EQ(ranks.reports.back().contacts, alone.report().contacts);
  const StepReport &a = ranks.reports.back(), &b = alone.report();
  for (Index i = 0; i < world.size(); ++i)
    EXPECT_LT(norm(ranks.state.bodies[i].pose.position - alone.world().states()[i].pose.position),
              1e-6)
        << i;
  EXPECT_NEAR(a.kinetic_energy, b.kinetic_energy, 1e-5 * b.kinetic_energy);
  EXPECT_NEAR(a.elastic_energy, b.elastic_energy, 1e-5 * (1 + std::abs(b.elastic_energy)));
  EXPECT_EQ(ranks.state.bonds.size(), alone.state().bonds.size());
  EXPECT_EQ(ranks.state.removed, alone.state().removed);
}

/// Forces of contacts and joints that go to the files.
TEST(RankForces, AreThoseOfOneProcess) {
  const World world = gated_heap();
  const StepOptions options{.solver = "ansgs", .tolerance = 1e-10, .max_products = 0};
  Simulation alone(world, options), viewer(world, options);
  for (int k = 0; k < 8; ++k) alone.step();
  run_ranks(3, [&](Ranks& ranks) {
    RankSimulation simulation(world, options, ranks, small_cells());
    for (int k = 0; k < 8; ++k) simulation.step();
    const SimulationState state = simulation.gather_state();
    RankSimulation::Forces forces = simulation.gather_forces();
    if (ranks.rank() == 0)
      viewer.adopt(state, simulation.report(),
                   {forces.contacts, forces.impulses, forces.moments, forces.joints.rows,
                    forces.joints.multipliers});
  });
  ASSERT_EQ(viewer.contacts().size(), alone.contacts().size());
  const ForceSums a = force_sums(viewer), b = force_sums(alone);
  EXPECT_LT(norm(a.support - b.support), 1e-3 * norm(b.support));
  EXPECT_NEAR(a.largest_joint, b.largest_joint, 1e-3 * b.largest_joint);
  EXPECT_GT(b.largest_joint, 1);
  const Wrench pin = joint_force(viewer, 0), expected = joint_force(alone, 0);
  EXPECT_LT(norm(pin.force - expected.force), 1e-3 * norm(expected.force));
}

} // namespace
} // namespace talus
