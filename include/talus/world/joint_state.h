#pragma once
// Joint coordinates and their velocities as something one can set, as for robots:
//
//     set_joint_positions(world, positions);     // one number per joint, NaN: as it is
//     set_joint_velocities(world, velocities);
//
// Setting the coordinate of a joint moves all that hangs on it, the side that is not held by the
// ground, a fixed or a driven body, as one rigid thing; velocities turn with it, so that those of
// all joints stay as they were. Where neither side is held, the second body's moves. Both throw
// InvalidArgument for a value that is not finite, for a joint of a closed loop (its coordinate does
// not determine where things are), and where a gear would not be satisfied any more; the world is
// then as it was. Loops are closed by all joints but gears, springs and bushings. Complexity:
// O(joints) for each joint set.

#include "talus/world/world.h"

namespace talus {

/// Values of joints without a coordinate must be 0 or NaN, which every value may be: unchanged.
void set_joint_positions(World& world, std::span<const double> positions);
void set_joint_velocities(World& world, std::span<const double> velocities);

/// Of one joint.
void set_joint_position(World& world, Index joint, double position);
void set_joint_velocity(World& world, Index joint, double velocity);

} // namespace talus
