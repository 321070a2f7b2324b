// Steps that are hard or impossible to solve take no more work than they are allowed.

#include "io/scene_text.h"
#include "talus/solve/cost_model.h"
#include "talus/step/simulation.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::scene_from;

/// A wall that a plate pushes over.
const std::string pushed_wall = R"(materials: {default: {friction: 0.6}}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: plate, motion: kinematic, shape: {type: box, size: [0.5, 0.1, 0.2]}, position: [0, -0.17, 0.3], velocity: [0, 0.5, 0]}
generators:
  - {type: wall, name: block, brick: [0.3, 0.2, 0.12], bricks: 4, courses: 5, density: 2200}
)";

/// A press drives a wedge between walls, until no motion satisfies all contacts.
const std::string jammed_wedge = R"(contact: rigid
materials: {default: {friction: 0.4}}
bodies:
  - {name: left, motion: fixed, shape: {type: box, size: [0.2, 1, 1]}, position: [-0.35, 0, 0.5], orientation: {euler: [0, 10, 0]}}
  - {name: right, motion: fixed, shape: {type: box, size: [0.2, 1, 1]}, position: [0.35, 0, 0.5], orientation: {euler: [0, -10, 0]}}
  - {name: wedge, shape: {type: convex_hull, points: [[-0.1, -0.2, -0.2], [0.1, -0.2, -0.2], [-0.2, -0.2, 0.3], [0.2, -0.2, 0.3], [-0.1, 0.2, -0.2], [0.1, 0.2, -0.2], [-0.2, 0.2, 0.3], [0.2, 0.2, 0.3]]}, position: [0, 0, 0.75]}
  - {name: press, motion: kinematic, shape: {type: box, size: [0.6, 0.6, 0.1]}, position: [0, 0, 1.2], velocity: [0, 0, -0.5]}
)";

/// A motor drives a slider against a stop.
const std::string locked_linkage = R"(materials: {default: {friction: 0.5}}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: crank, shape: {type: box, size: [0.3, 0.04, 0.04]}, position: [0.15, 0, 0.5]}
  - {name: rod, shape: {type: box, size: [0.6, 0.04, 0.04]}, position: [0.6, 0.1, 0.5]}
  - {name: slider, shape: {type: box, size: [0.1, 0.1, 0.1]}, position: [0.9, 0.05, 0.5]}
  - {name: stop, motion: fixed, shape: {type: box, size: [0.1, 0.06, 0.4]}, position: [0.78, 0.03, 0.5]}
joints:
  - {name: shaft, type: revolute, between: [ground, crank], at: [0, 0, 0.5], axis: [0, 1, 0], motor: {speed: 6, max_effort: 500}}
  - {name: pin, type: revolute, between: [crank, rod], at: [0.3, 0.05, 0.5], axis: [0, 1, 0]}
  - {name: wrist, type: revolute, between: [rod, slider], at: [0.9, 0.05, 0.5], axis: [0, 1, 0]}
  - {name: rail, type: prismatic, between: [ground, slider], at: [0.9, 0.05, 0.5], axis: [1, 0, 0]}
)";

/// A heavy ball strikes a tower of boxes.
const std::string struck_tower = R"(materials: {default: {friction: 0.5}}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: ball, mass: 800, shape: {type: sphere, radius: 0.2}, position: [-0.6, 0.02, 0.75], velocity: [8, 0, 0]}
generators:
  - {type: stack, name: box, shape: {type: box, size: [0.3, 0.3, 0.15]}, count: 10, position: [0, 0, 0.075], offset: [0, 0, 0.15]}
)";

/// Runs the scene; every step must keep the limit up to a few factorisations.
RunSummary run(const std::string& text, int steps, long max_products) {
  Scene scene = scene_from(text);
  scene.options.max_products = max_products;
  Simulation simulation(std::move(scene.world), scene.options);
  RunSummary summary;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    summary.include(report);
    const bool known = report.converged() || report.status == Status::product_limit ||
                       report.status == Status::infeasible;
    EXPECT_TRUE(known) << "step " << report.step << ": " << to_string(report.status);
    EXPECT_TRUE(report.converged() || report.error > scene.options.tolerance);
    EXPECT_LE(report.work, max_products + 4 * (4 + report.contacts)) << "step " << report.step;
  }
  return summary;
}

TEST(HardSteps, APushedWallKeepsTheLimit) {
  const RunSummary summary = run(pushed_wall, 24, 500);
  EXPECT_GT(summary.limited_steps, 0);
  EXPECT_EQ(summary.limited_steps, summary.unconverged_steps);
  EXPECT_LT(summary.error_max, 1);
  EXPECT_GE(summary.work_max, 500);
}

TEST(HardSteps, AJammedWedgeIsInfeasibleAndKeepsTheLimit) {
  const RunSummary summary = run(jammed_wedge, 120, 1000);
  EXPECT_GT(summary.infeasible_steps, 0);
}

TEST(HardSteps, ALinkageThatLocksUpIsSolved) {
  const RunSummary summary = run(locked_linkage, 120, 5000);
  EXPECT_EQ(summary.unconverged_steps, 0);
  EXPECT_GT(summary.contacts_max, 0);
}

TEST(HardSteps, AnImpactOnATowerKeepsTheLimit) {
  EXPECT_GT(run(struck_tower, 60, 200).limited_steps, 0);
  EXPECT_EQ(run(struck_tower, 60, 5000).unconverged_steps, 0);
}

/// The limit counts products, not seconds: two runs are the same bit for bit.
TEST(HardSteps, LimitedStepsAreRepeatable) {
  const auto last_states = [] {
    Scene scene = scene_from(pushed_wall);
    scene.options.max_products = 500;
    Simulation simulation(std::move(scene.world), scene.options);
    for (int k = 0; k < 20; ++k) simulation.step();
    return simulation.solution();
  };
  EXPECT_EQ(last_states(), last_states());
}

} // namespace
} // namespace talus
