// Simulations over ranks that are threads: every run has the same bits.

#include "cluster/thread_ranks.h"
#include "talus/cluster/rank_simulation.h"
#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace talus {
namespace {

using test::run_ranks;

/// Balls and boxes of different sizes over a floor, some of them flying sideways.
World falling_pile(int count, double size_ratio = 1.5, double speed = 1) {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  std::mt19937 random(3);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() % 10000) / 10000;
  };
  const int side = std::max(1, static_cast<int>(std::cbrt(count)));
  for (int k = 0; k < count; ++k) {
    const double r = 0.05 * std::pow(size_ratio, uniform(0, 1));
    const Vec3 place{0.2 * (k % side) + uniform(0, 0.02), 0.2 * (k / side % side),
                     0.11 + 0.2 * (k / side / side)};
    const Vec3 velocity{uniform(-speed, speed), uniform(-speed, speed), -1};
    const ShapePtr shape = k % 4 == 0 ? make_box({r, 0.8 * r, 0.7 * r}) : make_sphere(r);
    world.add(body().with(shape).at(place).moving(velocity));
  }
  return world;
}

/// Balls in a shell of plates that turns as prescribed: a large wall that moves.
World rotating_drum(int count) {
  World world;
  BodyBuilder drum = kinematic_body("drum");
  constexpr int plates = 12;
  for (int k = 0; k < plates; ++k) {
    const double angle = 2 * std::numbers::pi * k / plates;
    const Quaternion turn{std::cos(angle / 2), 0, std::sin(angle / 2), 0};
    drum.with(make_box({0.2, 0.4, 0.02}), {rotate(turn, {0, 0, -0.52}), turn});
  }
  world.add(drum.driven_by([](double) { return Twist{{}, {0, 2, 0}}; }));
  for (int k = 0; k < count; ++k)
    world.add(body()
                  .with(make_sphere(0.05))
                  .at({0.101 * (k % 4) - 0.15, 0.101 * (k / 4 % 5) - 0.2, 0.101 * (k / 20) - 0.4})
                  .moving({0, 0, -1}));
  return world;
}

/// A driven arm that stirs a bed of balls.
World stirred_bed(int count) {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  const Index post = world.add(body("post").with(make_box({0.03, 0.03, 0.2})).at({0, 0, 0.4}));
  const Index arm = world.add(body("arm").with(make_box({0.3, 0.03, 0.03})).at({0.33, 0, 0.15}));
  world.add(joint(JointKind::fixed, "stand").between(ground, post).at({0, 0, 0.4}));
  world.add(revolute("hinge").between(post, arm).at({0, 0, 0.15}).along({0, 0, 1}).driven_at(3));
  for (int k = 0; k < count; ++k)
    world.add(body()
                  .with(make_sphere(0.05))
                  .at({0.1 + 0.11 * (k % 5), 0.1 + 0.11 * (k / 5 % 4), 0.05 + 0.11 * (k / 20)}));
  return world;
}

struct Outcome {
  std::vector<std::uint64_t> hashes; ///< After each step.
  std::vector<StepReport> reports;
  SimulationState state;
  Index most_own = 0, least_own = 0; ///< Bodies of a rank at the end.
};

struct RankRun {
  int ranks = 1, threads = 1, steps = 20;
  RankOptions options = {};
  StepOptions step = {};
  const SimulationState* from = nullptr;
};

Outcome simulate(const World& world, const RankRun& run) {
  Outcome outcome;
  std::vector<Index> own(run.ranks);
  run_ranks(run.ranks, [&](Ranks& ranks) {
    StepOptions options = run.step;
    options.threads = run.threads;
    RankSimulation simulation(world, options, ranks, run.options);
    if (run.from) simulation.restore(*run.from);
    for (int k = 0; k < run.steps; ++k) {
      simulation.step();
      const std::uint64_t hash = simulation.hash();
      if (ranks.rank() != 0) continue;
      outcome.hashes.push_back(hash);
      outcome.reports.push_back(simulation.report());
    }
    own[ranks.rank()] = simulation.own_bodies();
    SimulationState state = simulation.gather_state();
    if (ranks.rank() == 0) outcome.state = std::move(state);
  });
  outcome.most_own = *std::ranges::max_element(own);
  outcome.least_own = *std::ranges::min_element(own);
  return outcome;
}

void expect_same_bits(const Outcome& a, const Outcome& b, const std::string& what) {
  EXPECT_EQ(a.hashes, b.hashes) << what;
  EXPECT_TRUE(a.state == b.state) << what;
  ASSERT_EQ(a.reports.size(), b.reports.size()) << what;
  for (std::size_t k = 0; k < a.reports.size(); ++k) {
    const StepReport &x = a.reports[k], &y = b.reports[k];
    EXPECT_EQ(x.contacts, y.contacts) << what << ", step " << k;
    EXPECT_EQ(x.iterations, y.iterations) << what << ", step " << k;
    EXPECT_EQ(x.error, y.error) << what << ", step " << k;
    EXPECT_EQ(x.violation, y.violation) << what << ", step " << k;
    EXPECT_EQ(x.envelope, y.envelope) << what << ", step " << k;
    EXPECT_EQ(x.max_penetration, y.max_penetration) << what << ", step " << k;
    EXPECT_EQ(x.kinetic_energy, y.kinetic_energy) << what << ", step " << k;
    EXPECT_EQ(x.potential_energy, y.potential_energy) << what << ", step " << k;
    EXPECT_EQ(x.elastic_energy, y.elastic_energy) << what << ", step " << k;
    EXPECT_EQ(x.momentum, y.momentum) << what << ", step " << k;
    EXPECT_EQ(x.angular_momentum, y.angular_momentum) << what << ", step " << k;
    EXPECT_EQ(x.outran_envelope, y.outran_envelope) << what << ", step " << k;
  }
}

/// Small cells, so that a small world has many.
RankOptions small_cells() {
  return {.cell_radii = 2.5};
}

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

TEST(RankSteps, DrivenMechanismOnABedHasTheSameBits) {
  expect_same_bits_for_all_ranks(stirred_bed(60), 8);
}

TEST(RankSteps, SweepsHaveTheSameBits) {
  expect_same_bits_for_all_ranks(falling_pile(60), 12, "ansgs");
  expect_same_bits_for_all_ranks(falling_pile(60), 12, "nncg");
  expect_same_bits_for_all_ranks(rotating_drum(60), 12, "nsgs");
}

/// The arm and its post are on all ranks, and several cells push them in one colour. Sweeps take
/// their time with joints, so that not every step is solved.
TEST(RankSteps, SweepsOfADrivenMechanismHaveTheSameBits) {
  for (const char* solver : {"ansgs", "nsgs"}) {
    RankRun run{.steps = 4,
                .options = small_cells(),
                .step = {.solver = solver, .tolerance = 1e-3, .max_products = 300}};
    const World world = stirred_bed(60);
    const Outcome one = simulate(world, run);
    EXPECT_GT(one.reports.back().contacts, 20);
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
  expect(refusal_of(plain, {.friction = {FrictionKind::box}}), "friction set");
  World elastic = plain;
  elastic.add(Material{.name = "rubber", .restitution = 0.5});
  expect(refusal_of(elastic, {}), "restitution");
  World rolling = plain;
  rolling.add(Material{.name = "sand", .rolling = 0.01});
  expect(refusal_of(rolling, {}), "rolling");
  World pushed = plain;
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
