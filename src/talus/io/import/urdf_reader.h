#pragma once
// URDF (wiki.ros.org/urdf/XML): links with inertia and shapes, joints with limits, damping,
// friction and mimicry. docs/howto/import.md lists what is read.

#include "talus/io/import/model_files.h"
#include "talus/io/import/robot_model.h"

namespace talus::robot {

/// Throws FileError with file and line. What is not read is named in the warnings.
RobotModel read_urdf(const ModelFiles& files, Warnings& warnings);

/// Turns about the fixed x, then y, then z axes (rad).
Quaternion roll_pitch_yaw(const Vec3& angles);

/// The convex hull of a mesh file, as a shape.
ShapeDescription hull_of(const TriangleMesh& mesh);

} // namespace talus::robot
