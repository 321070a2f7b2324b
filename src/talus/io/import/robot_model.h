#pragma once
// A robot as its file describes it: a forest of links with joints, before it becomes bodies and
// joints of a world. The readers of URDF and MJCF produce it; robot_world.h turns it into a
// description. SI units and radians; nothing in it depends on the format.

#include "talus/io/import/xml_file.h"
#include "talus/io/world_description.h"

#include <optional>
#include <string>
#include <vector>

namespace talus::robot {

/// Coefficients of a surface (world/material.h).
struct Surface {
  double friction = 0.5, rolling = 0, spinning = 0;

  bool operator==(const Surface&) const = default;
};

/// A shape of a link. Shapes that do not collide are kept only for links without others.
struct Geom {
  Place place;
  std::string name;
  ShapeDescription shape;
  Transform pose; ///< In the link frame.
  bool collides = true;
  /// MJCF: two shapes may touch if (kind of one & partners of the other) ≠ 0 for either one.
  unsigned kind = 1, partners = 1;
  std::optional<Surface> surface;
};

/// A joint between a link and its parent. Anchor and axis are in the link's frame. Several joints
/// of one link act one after the other, the first one next to the parent.
struct RobotJoint {
  Place place;
  std::string name;
  JointKind kind = JointKind::revolute; ///< Or prismatic, spherical.
  Vec3 anchor, axis{0, 0, 1};
  double reference = 0; ///< Coordinate at the poses of the file.
  double start = 0;     ///< Coordinate at the start of the simulation, and its velocity.
  double velocity = 0;
  Quaternion start_rotation; ///< Of a spherical joint.
  Vec3 start_spin;           ///< Its angular velocity, in the link's frame.
  std::optional<JointLimits> limits;
  std::optional<JointSpring> spring;
  std::optional<MotorDescription> motor;
  double friction = 0, armature = 0, effort = 0;
};

struct Link {
  Place place;
  std::string name;
  int parent = -1;     ///< An earlier link, or -1: the world.
  Transform pose;      ///< In the parent's frame, all joints at their reference.
  bool free = false;   ///< Not joined to its parent, which is the world.
  Vec3 velocity, spin; ///< Of a free link at the start: of its frame's origin, world axes.
  std::vector<RobotJoint> joints; ///< None, and not free: welded to the parent.
  std::optional<MassProperties> mass;
  std::vector<Geom> geoms;
  bool floats = false; ///< Gravity does not act on it.
};

/// follower = ratio · leader + offset (coordinates of two joints, by name).
struct Coupling {
  Place place;
  std::string name, follower, leader;
  double ratio = 1, offset = 0;
};

/// A joint that closes a loop: two links meet at a point (spherical) or are welded.
struct LoopJoint {
  Place place;
  std::string name;
  JointKind kind = JointKind::spherical;
  int link_a = -1, link_b = -1; ///< -1: the world.
  Vec3 point;                   ///< In the frame of a.
};

/// Friction between the surfaces of two links.
struct SurfacePair {
  Place place;
  int link_a = -1, link_b = -1;
  std::optional<Surface> surface;
};

struct RobotModel {
  std::string name;
  std::vector<Link> links; ///< Parents come before their children.
  std::vector<Coupling> couplings;
  std::vector<LoopJoint> loops;
  std::vector<std::pair<int, int>> excluded; ///< Links that may not touch.
  std::vector<SurfacePair> pairs;            ///< Links that may touch in any case.
  /// The parent and its child may touch where the parent is fixed to the world (MJCF).
  bool children_touch_fixed_parents = false;
  bool neighbours_touch = false; ///< All parents and their children may.
  std::optional<Vec3> gravity;
  std::optional<double> step;
  std::optional<CombineRule> friction_rule;
};

} // namespace talus::robot
