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
//     spring          nothing: pulls the two origins together or apart    1, elastic
//     bushing         nothing: resists all motion elastically             6, elastic
//
// The coordinate q of a revolute or cylindrical joint is the angle of b about z, counted beyond ±π;
// that of a prismatic one its displacement along z in metres. Limits, motors, dry friction,
// armature and given efforts act on it. An effort is a force (N) or a torque (N m) on b along z,
// and its opposite on a.
//
// Springs, dampers and servos are implicit: the effort of a step is that of the coordinate and its
// velocity at the step's end, however stiff they are (step/assembly/elastic_joints.h).

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
  gear,
  spring,
  bushing
};
std::string_view to_string(JointKind kind);
/// Throws InvalidArgument that lists the known names.
JointKind joint_kind_from(std::string_view name);
/// True for revolute, cylindrical (an angle) and prismatic (a length).
bool has_coordinate(JointKind kind);

/// A linear spring and damper: effort = -stiffness (q - rest) - damping q̇, in N/m, N s/m, m or
/// N m/rad, N m s/rad, rad. What q is depends on the kind of joint:
///
///     revolute, cylindrical, prismatic   the coordinate
///     spherical                          the rotation vector of b seen from a; rest is 0
///     universal                          the two angles, about z of a and about x of b; rest is 0
///     distance, spring                   the distance beyond `Joint::distance`
///
/// A distance joint with a spring is elastic instead of rigid, the same as the kind `spring`.
struct JointSpring {
  double stiffness = 0, damping = 0, rest = 0;

  bool operator==(const JointSpring&) const = default;
};

/// Stiffness and damping of a bushing along x, y, z of the joint frame on a (N/m, N s/m) and about
/// them (N m/rad, N m s/rad). Where both are 0 it does not resist.
struct Bushing {
  Vec3 stiffness, damping, angular_stiffness, angular_damping;

  bool operator==(const Bushing&) const = default;
};

/// Dry friction of a bearing, proportional to the force N that it carries across its axis: an
/// effort of up to friction · radius · N (N m) about the axis of a revolute or cylindrical joint,
/// and of up to friction · N (N) along that of a prismatic one. N is that of the same step, found
/// by iteration (step/bearings.h). Along its axis a bearing carries without friction.
struct Bearing {
  double friction = 0; ///< Coefficient, not negative.
  double radius = 0;   ///< Of the shaft, m; not used by prismatic joints.

  bool operator==(const Bearing&) const = default;
};

/// lower ≤ coordinate ≤ upper; either may be infinite. With a finite stiffness the joint may go
/// beyond: the limit then pushes back with a spring and damper, and never pulls.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double stiffness = std::numeric_limits<double>::infinity();
  double damping = 0;
};

enum class MotorMode { velocity, position };

/// Drives the coordinate q. Velocity: q̇ = target. Position: q̇ = (target - q) / time_constant, where
/// a time constant below the step is raised to it: the target is then met at the end of the step.
/// In both cases only as far as `max_effort` (N, or N m) allows.
///
/// With gains it is a servo, as strong as they say: its effort is
///
///     position:  stiffness (target - q) - damping q̇
///     velocity:  damping (target - q̇)
///
/// within ±max_effort. The second is also a motor with a linear torque-speed curve: from its stall
/// effort to 0 at the speed without load (JointBuilder::driven_on_curve).
struct JointMotor {
  MotorMode mode = MotorMode::velocity;
  double target = 0;
  /// If set, replaces `target` by its value at the end of each step. A pure function of time.
  std::function<double(double time)> target_at = {};
  double max_effort = std::numeric_limits<double>::infinity();
  /// The same for `max_effort`, not negative.
  std::function<double(double time)> max_effort_at = {};
  double time_constant = 0;
  double stiffness = 0, damping = 0; ///< Gains; both 0: none, as above.
};

/// Couples the coordinates of two earlier joints: first + ratio · second stays constant. Two wheels
/// that mesh outside have ratio = teeth of the second / teeth of the first; a rack has the pinion's
/// radius. One side of each coupled joint must be the ground or a fixed body, or both joints turn
/// about parallel axes, share a body, and have |ratio| = 1.
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
  double distance = 0;        ///< Of a distance joint, > 0, or of a spring, ≥ 0.
  std::optional<JointLimits> limits;
  std::optional<JointMotor> motor;
  std::optional<JointSpring> spring;
  Bushing bushing;     ///< Of a bushing.
  double friction = 0; ///< Dry friction resists motion with up to this effort.
  Bearing bearing;     ///< In addition, friction that grows with what the joint carries.
  /// Inertia of a rotor that turns with q (kg m², or kg): a reflected one, with the gear ratio
  /// squared in it. It resists q̈, as a part of the step's equations; its weight, its gyroscopic
  /// torque and its kinetic energy are not counted.
  double armature = 0;
  double effort = 0; ///< Given by the user, from the start of the step.
  /// If set, replaces `effort` by its value at the start of each step. A pure function of time.
  std::function<double(double time)> effort_at = {};
  Gear gear;
  bool bodies_collide = false; ///< Whether the two bodies may touch each other.
  bool removed = false;        ///< With one of its bodies: it does nothing any more.
};

} // namespace talus
