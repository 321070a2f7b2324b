#pragma once
// Joints between two bodies, or between a body and the ground (body -1, the world frame).
//
// A joint compares two frames, one fixed to each body; they coincide when the joint is made in its
// reference position. Its axis is z of the frame on a. What each kind forbids of frame b relative
// to frame a:
//
//     spherical       displacement                                        3 rows
//     revolute        displacement; tilting of z                          5
//     prismatic       displacement along x, y; every rotation             5
//     cylindrical     displacement along x, y; tilting of z               4
//     universal       displacement; x of b leaving the plane ⊥ z of a     4
//     fixed           displacement and rotation                           6
//     distance        change of the distance between the origins          1
//     point_on_plane  displacement along z                                1
//     gear            see `Gear`                                          1
//
// The coordinate of a revolute or cylindrical joint is the angle of b about z, counted beyond ±π;
// that of a prismatic one its displacement along z in metres. Limits and motors act on it.

#include "talus/core/transform.h"
#include "talus/core/types.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace talus {

/// The body index that stands for the immovable world frame in joints.
inline constexpr Index ground = -1;

enum class JointKind {
  spherical,
  revolute,
  prismatic,
  cylindrical,
  universal,
  fixed,
  distance,
  point_on_plane,
  gear
};
std::string_view to_string(JointKind kind);
/// Throws InvalidArgument that lists the known names.
JointKind joint_kind_from(std::string_view name);
/// True for revolute, cylindrical (an angle) and prismatic (a length).
bool has_coordinate(JointKind kind);

/// lower ≤ coordinate ≤ upper; either may be infinite.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

enum class MotorMode { velocity, position };

/// Drives the coordinate q. Velocity: q̇ = target. Position: q̇ = (target - q) / time_constant, where
/// a time constant below the step is raised to it: the target is then met at the end of the step.
/// In both cases only as far as `max_effort` (N, or N m) allows.
struct JointMotor {
  MotorMode mode = MotorMode::velocity;
  double target = 0;
  /// If set, replaces `target` by its value at the end of each step. A pure function of time.
  std::function<double(double time)> target_at = {};
  double max_effort = std::numeric_limits<double>::infinity();
  double time_constant = 0;
};

/// Couples the coordinates of two earlier joints: first + ratio · second stays constant. Two wheels
/// that mesh outside have ratio = teeth of the second / teeth of the first; a rack has the pinion's
/// radius. One side of each coupled joint must be the ground or a fixed
/// body.
struct Gear {
  Index first = -1, second = -1; ///< Joints with a coordinate.
  double ratio = 1;
  double offset = 0; ///< The constant; set when the gear is added.
};

struct Joint {
  std::string name;
  JointKind kind = JointKind::spherical;
  Index body_a = ground, body_b = ground;
  Transform frame_a, frame_b; ///< From the joint frame to the body frame of a and of b.
  double distance = 0;        ///< Of a distance joint, > 0.
  std::optional<JointLimits> limits;
  std::optional<JointMotor> motor;
  Gear gear;
  bool bodies_collide = false; ///< Whether the two bodies may touch each other.
};

} // namespace talus
