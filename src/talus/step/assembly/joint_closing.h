#pragma once
// Joints that hold at the end of a step, and bearings that rub as they are loaded: what a step does
// about its joints once it is solved (joint_drift.h, bearings.h). A step over ranks
// (cluster/rank_simulation.h) does the same as one of a single process: all ranks have all rows
// and their bodies, and so decide alike.

#include "talus/core/stop_test.h"
#include "talus/solve/solver.h"
#include "talus/step/assembly/joint_drift.h"
#include "talus/step/assembly/spatial_order.h"

#include <functional>

namespace talus {

/// Beyond this tolerance what a solve leaves open hides what close_joints() looks for.
inline constexpr double roughest_closing_tolerance = 1e-5;

/// A solved step, and how it is solved again.
struct JointedStep {
  const World& world;            ///< At the start of the step.
  std::span<const double> radii; ///< Bounding radii of its bodies.
  double step = 0;               ///< Its length, s.
  long max_products = 0;         ///< Of all solves together; 0: no limit.
  std::span<JointRow> rows;
  JointDrift& drift;
  ContactProblem& problem;
  SolveResult& result;
  /// Solves the problem from `result`, to whose iterations and work it adds its own. May throw.
  std::function<void()> solve_again;
  /// Those of `result`, six per body in the world's order.
  std::function<ConstSpan()> velocities;
};

/// Solves again until joints hold at the end of the step.
void close_joints(const JointedStep& jointed);

/// Solves again until the friction of bearings is that of their loads.
void settle_bearings(const JointedStep& jointed);

/// Velocities with which poses move instead of `velocities`, such that joints hold that an answer
/// of this tolerance leaves open; nothing where they hold. Body i of the world is body
/// order.rank(i) of the problem. A stop that is met leaves poses as they are.
Vector velocities_of_poses(const JointedStep& jointed, double tolerance, ConstSpan velocities,
                           const SpatialOrder& order, const StopTest& stop);

} // namespace talus
