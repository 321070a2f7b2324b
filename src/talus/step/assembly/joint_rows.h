#pragma once
// Joints as rows of the contact problem: Gᵀ v + g/h = 0, or ≥ 0 at limits, or bounded at motors.

#include "talus/problem/contact_problem.h"
#include "talus/world/world.h"

#include <vector>

namespace talus {

/// One row with its bodies. `b` is the constant added to Gᵀ v (m/s or rad/s); the multiplier
/// stays within [lower, upper] (N s or N m s).
struct JointRow {
  Index joint = 0, row = 0; ///< `row` names the part of the joint and is stable.
  BodyPair bodies = {};
  RigidRow jacobian = {};
  double b = 0, lower = 0, upper = 0;
  double error = 0; ///< Violation: |g|, or how far a limit is passed.
};

/// Replaces `rows` with those of all joints, sorted by (joint, row). `coordinates` are the
/// continuous joint coordinates. Rows that no admissible motion can feel are included; the problem
/// drops them.
void collect_joint_rows(const World& world, std::span<const double> coordinates, double time,
                        double h, std::vector<JointRow>& rows);

} // namespace talus
