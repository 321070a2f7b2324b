#pragma once
// Joints as rows of the contact problem: Gᵀ v + g/h = 0, or ≥ 0 at limits, or bounded at motors.

#include "talus/problem/contact_problem.h"
#include "talus/world/world.h"

#include <vector>

namespace talus {

/// Names of rows within a joint. They are stable: checkpoints keep them.
namespace RowName {
enum : Index {
  displacement = 0, ///< Along x, y, z: 0 to 2.
  rotation = 3,     ///< 3 to 5.
  lower_limit = 6,
  upper_limit = 7,
  drive = 8,
  mesh = 9,
  spring = 10, ///< 10 to 12.
  dry_friction = 13,
  rotor = 14
};
} // namespace RowName

/// One row with its bodies. `b` is the constant added to Gᵀ v (m/s or rad/s); the multiplier
/// stays within [lower, upper] (N s or N m s).
struct JointRow {
  Index joint = 0, row = 0; ///< `row` names the part of the joint and is stable.
  BodyPair bodies = {};
  RigidRow jacobian = {};
  double b = 0, lower = 0, upper = 0;
  double error = 0;      ///< Violation: |g|, or how far a limit is passed.
  double compliance = 0; ///< E of elastic rows (elastic_joints.h).
};

/// Replaces `rows` with those of all joints, sorted by (joint, row). `coordinates` are the
/// continuous joint coordinates. Rows that no admissible motion can feel are included; the problem
/// drops them.
void collect_joint_rows(const World& world, std::span<const double> coordinates, double time,
                        double h, std::vector<JointRow>& rows);

/// Whether the row is an equation between positions that holds a joint together, or that of a gear:
/// g(q) = 0.
inline bool holds_joint(const JointRow& row) {
  return (row.row < RowName::lower_limit || row.row == RowName::mesh) && row.compliance == 0;
}

/// Whether the row is that of a spring or damper along a line: of a distance joint, a free spring,
/// a slide, or a displacement of a bushing.
bool is_spring_along_line(const World& world, const JointRow& row);

/// Whether a motor decides the motion whatever friction does. Such joints have no row of friction:
/// it would repeat the motor's.
bool overcomes_friction(const Joint& joint);

/// Adds the efforts that users gave for joints (Joint::effort) at `time` to the bodies' wrenches.
void add_joint_efforts(const World& world, double time, std::span<Wrench> wrenches);

} // namespace talus
