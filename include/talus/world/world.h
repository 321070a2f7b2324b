#pragma once
// The world: materials, bodies, joints, forces, and where everything is. It holds state and no
// algorithms; step/simulation.h moves it. SI units.

#include "talus/world/body.h"
#include "talus/world/builders.h"
#include "talus/world/fluid.h"
#include "talus/world/joint.h"
#include "talus/world/material.h"

#include <span>
#include <unordered_map>
#include <utility>

namespace talus {

class World;

/// Adds forces at the centres of mass and torques to the wrenches, one per body, at the start of a
/// step. Must be a pure function of the world and the time.
using ForceFunction =
    std::function<void(const World& world, double time, std::span<Wrench> wrenches)>;

class World {
public:
  Vec3 gravity{0, 0, -9.81};
  MaterialTable materials;

  Index add(Material material) { return materials.add(std::move(material)); }
  /// Each returns the index of what was added; indices count from 0 and never change. Empty names
  /// become "body 3", "joint 0". Throws InvalidArgument and leaves the world as it was.
  Index add(const BodyBuilder& builder);
  Index add(const JointBuilder& builder);
  void add(ForceFunction force);
  void add(Fluid fluid);
  void add(PointLoad load);
  /// The wind that bodies with `Drag` feel; none: still air.
  void set_wind(VelocityField wind) { wind_ = std::move(wind); }

  /// Takes a body away, with the joints on it and the gears on these. Everything keeps its number
  /// and name. The body stays where it is, without velocity, and touches nothing. Nothing happens
  /// if it is removed already.
  void remove_body(Index body);
  /// Removes the bodies whose time has come (BodyBuilder::removed_at). Steps call it.
  void remove_bodies_due(double time);
  /// Makes these bodies, in increasing order, the removed ones, and no others.
  void set_removed(std::span<const Index> bodies);

  /// Confines all dynamic bodies to translations in the plane orthogonal to `normal` and rotations
  /// about it; velocities given so far and later lose their other parts when a step starts. Contact
  /// normals are projected into the plane. Throws InvalidArgument for a zero normal.
  void confine_to_plane(const Vec3& normal);
  /// The unit normal, if the world is planar.
  const std::optional<Vec3>& plane_normal() const { return plane_normal_; }

  /// The two bodies shall not touch each other. Bodies that a joint connects do not, unless the
  /// joint lets them.
  void forbid_contact(Index body_a, Index body_b);

  Index size() const { return static_cast<Index>(bodies_.size()); }
  std::span<const Body> bodies() const { return bodies_; }
  std::span<const Joint> joints() const { return joints_; }
  std::span<const ForceFunction> forces() const { return forces_; }
  std::span<const Fluid> fluids() const { return fluids_; }
  const VelocityField& wind() const { return wind_; }
  /// When bodies will be or were removed, by time.
  std::span<const std::pair<double, Index>> removals() const { return removals_; }
  /// Whether bodies are removed, or will be.
  bool has_removals() const { return !removals_.empty() || !removed_bodies().empty(); }
  /// The removed bodies, in increasing order.
  std::vector<Index> removed_bodies() const;
  const Body& body(Index index) const { return bodies_[checked_body(index)]; }
  const Joint& joint(Index index) const { return joints_[checked_joint(index)]; }
  /// -1 if there is none of that name.
  Index find_body(std::string_view name) const;
  Index find_joint(std::string_view name) const;

  std::span<const BodyState> states() const { return states_; }
  std::span<BodyState> states() { return states_; }
  const BodyState& state(Index body) const { return states_[checked_body(body)]; }
  BodyState& state(Index body) { return states_[checked_body(body)]; }
  /// Pose of the reference frame of a body, the one it was placed with.
  Transform pose(Index body) const;
  void set_pose(Index body, const Transform& reference_pose);

  /// What may be changed while the world moves.
  void set_load(Index body, const Wrench& load) {
    bodies_[checked_body(body)].extras.own().load = load;
  }
  void set_drag(Index body, const Drag& drag);
  void set_motor(Index joint, std::optional<JointMotor> motor);
  void set_spring(Index joint, std::optional<JointSpring> spring);
  /// The effort on the coordinate of a joint, N or N m, from now on.
  void set_effort(Index joint, double effort);
  void set_motion(Index body, PrescribedMotion motion);

  /// Pairs of bodies that may not touch: joined ones and forbidden ones, sorted, unique.
  std::vector<std::pair<Index, Index>> contact_exclusions() const;

  /// Continuous coordinates of the joints (0 for those without), as of the last step's start. They
  /// are state: the number of full turns cannot be seen from the poses.
  std::span<const double> joint_coordinates() const { return joint_coordinates_; }
  std::span<double> joint_coordinates() { return joint_coordinates_; }

  /// A world of some of the bodies, given by ascending numbers and numbered anew in that order,
  /// with their states, all materials, fluids and wind, and all joints, whose bodies must be among
  /// them. Removed bodies are so there too, but nothing is removed later. Linear in the number of
  /// its bodies and joints. Throws InvalidArgument for force functions, which may look at any body,
  /// and for joints of other bodies.
  World part(std::span<const Index> bodies) const;

  /// Takes the bodies marked in `leaves` (empty: none) out, and puts others in with their states:
  /// the k-th gets the number places[k], ascending. The rest keep their order, joints and loads at
  /// points their bodies, which must stay. From then on names find no body, bodies are not removed
  /// by time, and only joints forbid contacts. Linear, in place. Throws InvalidArgument for other
  /// force functions.
  void regroup(std::span<const char> leaves, std::span<const Index> places,
               std::vector<Body> newcomers, std::vector<BodyState> states);

  /// Gives memory back that was put aside for more bodies.
  void release_slack();
  /// After regroup(): names find bodies again.
  void list_names();

  /// Grows with every body, joint, fluid or exclusion added and body removed: tells caches when to
  /// start anew.
  std::int64_t revision() const { return revision_; }

private:
  Index checked_body(Index index) const;
  Index checked_joint(Index index) const;
  void mark_removed(Index body, bool removed);
  void mark_joints_of_removed();

  /// Of bodies the names that were given: the others say their number.
  std::unordered_map<std::string, Index> body_of_name_, joint_of_name_;
  std::vector<Body> bodies_;
  std::vector<BodyState> states_;
  std::vector<Joint> joints_;
  std::vector<double> joint_coordinates_;
  std::vector<ForceFunction> forces_;
  std::vector<Fluid> fluids_;
  VelocityField wind_;
  std::vector<std::pair<double, Index>> removals_; ///< To come, and past, by time.
  std::vector<std::pair<Index, Index>> forbidden_;
  std::optional<Vec3> plane_normal_;
  std::int64_t revision_ = 0;
};

/// Pose of a body's frame; the identity for `ground`.
Transform body_pose(const World& world, Index body);
/// The joint frame on a and on b in world coordinates.
std::pair<Transform, Transform> joint_frames(const World& world, const Joint& joint);
/// The coordinate of a joint at the present poses, angles within half a turn of `near`; 0 for kinds
/// without one.
double joint_coordinate(const World& world, const Joint& joint, double near = 0);
/// How fast the coordinate changes at the present poses and velocities; 0 for kinds without one.
double joint_velocity(const World& world, const Joint& joint);

} // namespace talus
