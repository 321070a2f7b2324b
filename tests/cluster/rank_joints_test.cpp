// Joints over ranks: those that a rough solve leaves open are closed, as in one process, by all
// ranks alike.

#include "cluster/rank_scenes.h"

#include <fmt/format.h>

namespace talus {
namespace {

using namespace test;

/// A fast crank that drives a slider through balls, and a heavy swing. The bound is that of
/// allowed_joint_error(): 1e-6 of the size of the smaller body, here of the crank.
constexpr const char* machine = R"(step: 1/240
solver: {name: nsgs, tolerance: TOLERANCE}
bodies:
- {name: floor, motion: fixed, shape: {type: half_space}}
- {name: crank, mass: 1, shape: {type: box, size: [0.4, 0.05, 0.05]}, position: [0.2, 0, 0.5]}
- {name: rod, mass: 1, shape: {type: box, size: [1, 0.05, 0.05]}, position: [0.9, 0, 0.5]}
- {name: slider, mass: 2, shape: {type: box, size: [0.2, 0.6, 0.9]}, position: [1.4, 0, 0.5]}
- {name: swing, mass: 9, shape: {type: sphere, radius: 0.3}, position: [2.4, 0, 1.6], velocity: [2, 1, 0]}
joints:
- {name: main, type: revolute, between: [ground, crank], at: [0, 0, 0.5], axis: [0, 1, 0], motor: {speed: 20}}
- {name: pin, type: revolute, between: [crank, rod], at: [0.4, 0, 0.5], axis: [0, 1, 0]}
- {name: wrist, type: spherical, between: [rod, slider], at: [1.4, 0, 0.5]}
- {name: guide, type: prismatic, between: [ground, slider], at: [1.4, 0, 0.5], axis: [1, 0, 0]}
- {name: rope, type: distance, between: [ground, swing], at: [2.4, 0, 3], second_at: [2.4, 0, 1.6]}
generators:
- {type: grid, shape: {type: sphere, radius: 0.05}, counts: [9, 6, 2], spacing: [0.101, 0.101, 0.1],
   position: [1.6, -0.25, 0.05], jitter: 0.001}
)";

SceneSource machine_source(const std::string& tolerance) {
  std::string text = machine;
  text.replace(text.find("TOLERANCE"), 9, tolerance);
  return {"machine.yaml", text, {}, {}};
}

double worst_joint(const std::vector<StepReport>& reports) {
  double worst = 0;
  for (const StepReport& report : reports) worst = std::max(worst, report.max_joint_error);
  return worst;
}

std::vector<StepReport> reports_of_one_process(const SceneSource& source, int steps) {
  Scene scene = build_scene(source);
  Simulation simulation(std::move(scene.world), scene.options);
  std::vector<StepReport> reports;
  for (int k = 0; k < steps; ++k) reports.push_back(simulation.step());
  return reports;
}

TEST(RankJoints, HoldAtRoughTolerancesAsInOneProcess) {
  constexpr int steps = 50;
  constexpr double bound = 1e-6; // m and rad, of bodies smaller than a metre
  const SceneSource source = machine_source("1e-3");
  const Scene scene = build_scene(source);
  RankRun run{.steps = steps, .options = small_cells(), .step = scene.options};
  const Outcome one = simulate(scene.world, run);
  EXPECT_GT(one.reports.back().contacts, 100);
  EXPECT_LE(worst_joint(one.reports), bound);
  const std::vector<StepReport> alone = reports_of_one_process(source, steps);
  EXPECT_LE(worst_joint(alone), bound);
  EXPECT_NEAR(one.reports.back().kinetic_energy, alone.back().kinetic_energy,
              0.05 * alone.back().kinetic_energy);
  for (const int ranks : {2, 4})
    for (const int threads : {1, 2}) {
      run.ranks = ranks;
      run.threads = threads;
      expect_same_bits(simulate(scene.world, run), one,
                       fmt::format("{} ranks, {} threads", ranks, threads));
    }
}

/// Where solves are exact there is nothing to move, and the bound is kept by solving again.
TEST(RankJoints, HoldAtFineTolerances) {
  const SceneSource source = machine_source("1e-8");
  const Scene scene = build_scene(source);
  RankRun run{.ranks = 2, .steps = 8, .options = small_cells(), .step = scene.options};
  const Outcome many = simulate(scene.world, run);
  EXPECT_LE(worst_joint(many.reports), 1e-6);
  const std::vector<StepReport> alone = reports_of_one_process(source, run.steps);
  EXPECT_NEAR(many.reports.back().kinetic_energy, alone.back().kinetic_energy,
              1e-5 * alone.back().kinetic_energy);
}

} // namespace
} // namespace talus
