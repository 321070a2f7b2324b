#pragma once
// From a robot to the description of a world: bodies at their starting poses, joints, exclusions.

#include "talus/io/import.h"
#include "talus/io/import/robot_model.h"

namespace talus::robot {

/// Throws FileError at the place of what cannot be a body or joint, InvalidArgument for options.
ImportedModel world_of(RobotModel model, const ImportOptions& options, Warnings warnings);

/// Coordinates at the start: those of the options and couplings, within the limits.
void set_start(RobotModel& model, const ImportOptions& options, Warnings& warnings);

/// Which links share a body. A link without mass shares that of a link it is welded to.
struct Bodies {
  std::vector<int> carrier;    ///< The link whose body it is part of; -1: the ground.
  std::vector<int> cluster;    ///< Links welded together have the same number.
  std::vector<bool> is_static; ///< Welded to the world.
  std::vector<int> welds;      ///< Carriers that a fixed joint holds to their parent's carrier.
};
Bodies assign_bodies(const RobotModel& model, bool merge_fixed);

/// Poses and velocities of the links at the start, in the world.
struct LinkStates {
  std::vector<Transform> poses;
  std::vector<Vec3> spins, drifts; ///< ω, and the velocity of the point at the world's origin.
  /// Of each link the frames before each of its joints, and after the last one.
  std::vector<std::vector<Transform>> stages;
  std::vector<std::vector<Vec3>> stage_spins, stage_drifts; ///< After each joint.
};
LinkStates link_states(const RobotModel& model, const Transform& at);

/// Pairs of bodies (numbers of their carriers) that may not touch, beyond those that joints join.
std::vector<std::pair<int, int>> contact_filter(const RobotModel& model, const Bodies& bodies);

} // namespace talus::robot
