#pragma once
// Worlds, and runs of them over ranks that are threads.

#include "cluster/thread_ranks.h"
#include "talus/cluster/rank_simulation.h"
#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace talus::test {

/// Balls and boxes of different sizes over a floor, some of them flying sideways.
inline World falling_pile(int count, double size_ratio = 1.5, double speed = 1) {
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
inline World rotating_drum(int count) {
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
inline World stirred_bed(int count) {
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

/// Balls that fall through the neck of a funnel of plates.
inline World hourglass(int count) {
  World world;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  BodyBuilder funnel = fixed_body("funnel");
  constexpr int plates = 8;
  for (int k = 0; k < plates; ++k) {
    const double angle = 2 * std::numbers::pi * k / plates, tilt = -0.9;
    const Quaternion turn{std::cos(angle / 2), 0, 0, std::sin(angle / 2)},
        slope{std::cos(tilt / 2), 0, std::sin(tilt / 2), 0};
    funnel.with(make_box({0.3, 0.3, 0.01}), {rotate(turn, {0.32, 0, 0.75}), turn * slope});
  }
  world.add(funnel);
  for (int k = 0; k < count; ++k)
    world.add(body()
                  .with(make_sphere(0.05))
                  .at({0.102 * (k % 3) - 0.1 + 0.001 * (k % 7), 0.102 * (k / 3 % 3) - 0.1,
                       0.5 + 0.102 * (k / 9)})
                  .moving({0, 0, -1}));
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

inline Outcome simulate(const World& world, const RankRun& run) {
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

inline void expect_same_bits(const Outcome& a, const Outcome& b, const std::string& what) {
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
    EXPECT_EQ(x.restitution_scale, y.restitution_scale) << what << ", step " << k;
  }
}

/// Small cells, so that a small world has many.
inline RankOptions small_cells() {
  return {.cell_radii = 2.5};
}

} // namespace talus::test
