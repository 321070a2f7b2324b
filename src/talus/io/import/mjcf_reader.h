#pragma once
// MJCF, the format of MuJoCo (mujoco.readthedocs.io/en/stable/XMLreference.html): the part that
// models of robots use. docs/howto/import.md lists it.

#include "talus/io/import/model_files.h"
#include "talus/io/import/robot_model.h"

namespace talus::robot {

/// `keyframe` is the name of the one to start from, or empty. Throws FileError with file and line.
/// What is not read is named in the warnings.
RobotModel read_mjcf(const ModelFiles& files, const std::string& keyframe, Warnings& warnings);

} // namespace talus::robot
