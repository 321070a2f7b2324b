#pragma once
// Friction of bearings (Bearing, world/joint.h): a row of dry friction whose bound is
//
//     h (friction + µ R N),     N = |(F_x, F_y)|, the force of the joint across its axis,
//
// (without R for prismatic joints). N depends on the answer, so a step is solved again with the
// bounds that follow from its last answer until they no longer change. It begins with those of the
// last step; where the load does not depend on the friction, two solves are enough.

#include "talus/step/assembly/joint_rows.h"
#include "talus/world/world.h"

#include <span>

namespace talus {

/// Whether the rows have bearings.
bool has_bearings(const World& world, std::span<const JointRow> rows);

/// Sets the bounds of bearings in `rows` and in the problem from the multipliers at the end of x,
/// as far as `share` of the way from the bounds that there are. Returns the largest change,
/// relative to the largest bound of a bearing.
double bound_bearings(const World& world, ConstSpan x, double h, double share,
                      std::span<JointRow> rows, ContactProblem& problem);

} // namespace talus
