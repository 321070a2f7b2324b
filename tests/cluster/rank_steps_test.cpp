// Simulations over ranks that are threads: every run has the same bits.

#include "cluster/rank_runs.h"

namespace talus {
namespace {

using namespace test;

void expect_same_bits_for_all_ranks(const World& world, int steps,
                                    const std::string& solver = "auto") {
  RankRun run{
      .steps = steps, .options = small_cells(), .step = {.solver = solver, .tolerance = 1e-4}};
  const Outcome one = simulate(world, run);
  Index contacts = 0;
  for (const StepReport& report : one.reports) {
    EXPECT_TRUE(report.converged()) << solver << ": " << report.message;
    contacts = std::max(contacts, report.contacts);
  }
  EXPECT_GT(contacts, 20);
  for (const int ranks : {2, 3, 4, 8})
    for (const int threads : {1, 2}) {
      run.ranks = ranks;
      run.threads = threads;
      const Outcome many = simulate(world, run);
      EXPECT_LT(many.most_own, world.size() - 1) << "nothing was divided";
      expect_same_bits(many, one,
                       std::to_string(ranks) + " ranks, " + std::to_string(threads) + " threads");
    }
}

TEST(RankSteps, FallingPileHasTheSameBits) {
  expect_same_bits_for_all_ranks(falling_pile(60), 12);
}

TEST(RankSteps, RotatingDrumHasTheSameBits) {
  expect_same_bits_for_all_ranks(rotating_drum(60), 12);
}

TEST(RankSteps, HourglassHasTheSameBits) {
  expect_same_bits_for_all_ranks(hourglass(60), 12);
}

TEST(RankSteps, DrivenMechanismOnABedHasTheSameBits) {
  expect_same_bits_for_all_ranks(stirred_bed(60), 8);
}

TEST(RankSteps, SweepsHaveTheSameBits) {
  expect_same_bits_for_all_ranks(falling_pile(60), 12, "ansgs");
  expect_same_bits_for_all_ranks(falling_pile(60), 12, "nncg");
  expect_same_bits_for_all_ranks(rotating_drum(60), 12, "nsgs");
}

/// The arm and its post are on all ranks, and several cells push them in one colour. Rows of joints
/// are solved together: one by one they would take thousands of sweeps.
TEST(RankSteps, SweepsOfADrivenMechanismHaveTheSameBits) {
  for (const char* solver : {"ansgs", "nsgs"}) {
    RankRun run{.steps = 4,
                .options = small_cells(),
                .step = {.solver = solver, .tolerance = 1e-4, .max_products = 1000}};
    const World world = stirred_bed(60);
    const Outcome one = simulate(world, run);
    EXPECT_GT(one.reports.back().contacts, 20);
    for (const StepReport& report : one.reports)
      EXPECT_TRUE(report.converged()) << solver << ": " << report.message;
    for (const int ranks : {2, 3, 8}) {
      run.ranks = ranks;
      run.threads = 1 + ranks % 2;
      expect_same_bits(simulate(world, run), one, std::to_string(ranks) + " ranks");
    }
  }
}

class CutAnywhere : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Solvers, CutAnywhere, testing::Values("auto", "ansgs"));

TEST_P(CutAnywhere, HasTheSameBits) {
  const World world = falling_pile(40, 4, 6); // fast: bodies cross ranks
  RankRun run{
      .steps = 10, .options = small_cells(), .step = {.solver = GetParam(), .tolerance = 1e-4}};
  const Outcome one = simulate(world, run);
  std::vector<CellCode> codes;
  const CellGrid grid{2.5 * 0.2};
  for (const BodyState& state : world.states()) codes.push_back(grid.cell_of(state.pose.position));
  std::mt19937 random(5);
  for (int trial = 0; trial < 8; ++trial) {
    run.ranks = 2 + static_cast<int>(random() % 4);
    run.options.cuts.clear();
    for (int k = 1; k < run.ranks; ++k) run.options.cuts.push_back(codes[random() % codes.size()]);
    std::ranges::sort(run.options.cuts); // equal ones make ranks without bodies
    expect_same_bits(simulate(world, run), one, "trial " + std::to_string(trial));
  }
}

TEST(RankSteps, BalancingChangesNothing) {
  const World world = falling_pile(40);
  RankRun run{.ranks = 3, .steps = 12, .options = small_cells()};
  const Outcome rarely = simulate(world, run);
  run.options.balance_every = 1;
  expect_same_bits(simulate(world, run), rarely, "balanced in every step");
}

TEST(RankSteps, ManyRanksAndFewBodies) {
  const World two = falling_pile(2), none = [] {
    World world;
    world.add(fixed_body().with(make_half_space({0, 0, 1})));
    return world;
  }();
  RankRun run{.steps = 10};
  const Outcome of_two = simulate(two, run), of_none = simulate(none, run);
  run.ranks = 8;
  const Outcome many = simulate(two, run);
  EXPECT_EQ(many.least_own, 0);
  expect_same_bits(many, of_two, "two bodies");
  expect_same_bits(simulate(none, run), of_none, "none");
}

TEST(RankSteps, GoOnFromAStateOnAnyNumberOfRanks) {
  const World world = falling_pile(40);
  RankRun run{.ranks = 2, .steps = 20, .options = small_cells()};
  const Outcome whole = simulate(world, run);
  run.ranks = 3;
  run.steps = 9;
  const Outcome first = simulate(world, run);
  EXPECT_FALSE(first.state.warm_start.contacts.empty());
  for (const int ranks : {1, 3, 8}) {
    run.ranks = ranks;
    run.steps = 11;
    run.from = &first.state;
    const Outcome rest = simulate(world, run);
    EXPECT_TRUE(rest.state == whole.state) << ranks;
    EXPECT_EQ(rest.hashes.back(), whole.hashes.back()) << ranks;
  }
}

/// One process adds in another order, but solves the same steps to the same tolerance.
TEST(RankSteps, AgreeWithOneProcessWithinTheTolerance) {
  for (const World& world : {falling_pile(40), rotating_drum(40), stirred_bed(40)}) {
    const StepOptions options{.solver = "coulomb-apgd", .tolerance = 1e-8};
    Simulation alone(world, options);
    for (int k = 0; k < 15; ++k) alone.step();
    const Outcome ranks = simulate(world, {.ranks = 3, .steps = 15, .step = options});
    EXPECT_EQ(ranks.reports.back().contacts, alone.report().contacts);
    for (Index i = 0; i < world.size(); ++i) {
      const Vec3 a = ranks.state.bodies[i].pose.position,
                 b = alone.world().states()[i].pose.position;
      EXPECT_LT(norm(a - b), 1e-6) << i;
    }
    EXPECT_NEAR(ranks.reports.back().kinetic_energy, alone.report().kinetic_energy,
                1e-5 * alone.report().kinetic_energy);
  }
}

std::string refusal_of(const World& world, const StepOptions& options) {
  try {
    Ranks one;
    const RankSimulation simulation(world, options, one);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(RankSteps, RefuseByNameWhatDoesNotWork) {
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  const World plain = falling_pile(3);
  EXPECT_EQ(refusal_of(plain, {}), "");
  expect(refusal_of(plain, {.solver = "newton"}), "solver newton");
  expect(refusal_of(plain, {.time_limit = 1}), "time limit");
  World pushed = plain;
  pushed.add(PointLoad{.body = 1, .force = [](double) { return Vec3{}; }});
  EXPECT_EQ(refusal_of(pushed, {}), "");
  pushed.add([](const World&, double, std::span<Wrench>) {});
  expect(refusal_of(pushed, {}), "force functions");
}

TEST(RankSteps, AStepThatFailsIsAsIfItHadNotBegun) {
  World world = falling_pile(20);
  world.add(kinematic_body("door").with(make_sphere(0.01)).at({9, 9, 9}).following([](double time) {
    return Transform{{9, 9, time > 0.02 ? std::nan("") : 9.0}, {}};
  }));
  std::vector<std::string> messages(3);
  run_ranks(3, [&](Ranks& ranks) {
    RankSimulation simulation(world, {.step = 0.01}, ranks, small_cells());
    simulation.step();
    const std::uint64_t before = simulation.hash();
    try {
      simulation.step();
      simulation.step();
    } catch (const RankFailed& failure) {
      messages[ranks.rank()] = failure.what();
    }
    EXPECT_EQ(simulation.steps() == 1, simulation.hash() == before);
  });
  for (const std::string& message : messages)
    EXPECT_NE(message.find("door"), std::string::npos) << message;
}

} // namespace
} // namespace talus
