#pragma once
// Sentences that make bodies and joints:
//
//     const Index ice = world.add(Material{.name = "ice", .friction = 0.03});
//     world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
//     const Index puck = world.add(body("puck").with(make_cylinder(0.04, 0.01)).of(ice).mass(0.17)
//                                      .at({0, 0, 0.01}).moving({2, 0, 0}));
//     world.add(revolute("hinge").between(frame, door).at({1, 0, 0}).along({0, 0, 1})
//                   .limited(-1.5, 1.5));
//
// Points, axes and poses are in world coordinates. World::add checks everything and throws
// InvalidArgument that names the body or joint.

#include "talus/shape/mass_properties.h"
#include "talus/world/body.h"
#include "talus/world/joint.h"

namespace talus {

class BodyBuilder {
public:
  explicit BodyBuilder(std::string name, BodyKind kind) : kind_(kind), name_(std::move(name)) {}

  /// Adds a shape, placed in the reference frame.
  BodyBuilder& with(ShapePtr shape, const Transform& pose = {});
  /// Material of the shapes added so far and later ones.
  BodyBuilder& of(Index material);
  /// Collision filter of all its shapes.
  BodyBuilder& in_group(std::uint32_t group, std::uint32_t mask = ~std::uint32_t{0});

  /// kg/m³; 1000 unless told. The shapes' masses add up.
  BodyBuilder& density(double kg_per_m3);
  /// Scales the shapes' mass properties to this total mass.
  BodyBuilder& mass(double kg);
  /// Mass, centre and inertia in the reference frame, instead of the shapes'.
  BodyBuilder& mass_properties(const MassProperties& properties);

  BodyBuilder& at(const Vec3& position);
  BodyBuilder& turned(const Quaternion& rotation);
  /// Position and orientation of the reference frame.
  BodyBuilder& placed(const Transform& pose);
  /// Velocity of the centre of mass.
  BodyBuilder& moving(const Vec3& velocity);
  BodyBuilder& spinning(const Vec3& angular_velocity);
  /// Constant load in world axes, at the centre of mass.
  BodyBuilder& pushed_by(const Vec3& force, const Vec3& torque = {});
  /// Drag against the wind, and what fluids see of the body.
  BodyBuilder& resisted_by(const Drag& drag);
  /// The body is removed at the start of the first step from this time on (World::remove_body).
  BodyBuilder& removed_at(double time);
  BodyBuilder& without_gravity();
  BodyBuilder& without_rotation();
  /// Prescribed motion, for kinematic bodies.
  BodyBuilder& following(PoseFunction pose);
  BodyBuilder& driven_by(TwistFunction twist);

private:
  friend class World;
  BodyKind kind_;
  std::string name_;
  std::vector<BodyShape> shapes_; ///< Poses in the reference frame.
  Index material_ = 0;
  std::uint32_t group_ = 1, mask_ = ~std::uint32_t{0};
  double density_ = 1000;
  std::optional<double> mass_;
  std::optional<MassProperties> properties_;
  Transform pose_;
  Vec3 velocity_, angular_velocity_;
  Wrench load_;
  Drag drag_;
  double remove_at_ = std::numeric_limits<double>::infinity();
  bool floats_ = false, turns_ = true;
  PrescribedMotion motion_;
};

BodyBuilder body(std::string name = {});
BodyBuilder fixed_body(std::string name = {});
BodyBuilder kinematic_body(std::string name = {});

class JointBuilder {
public:
  explicit JointBuilder(JointKind kind, std::string name)
      : kind_(kind), name_(std::move(name)), bodies_collide_(kind == JointKind::spring) {}

  JointBuilder& between(Index body_a, Index body_b);
  /// Origin of the joint frame; of both ends unless `second_at` is given.
  JointBuilder& at(const Vec3& point);
  /// The point on b, for distance joints.
  JointBuilder& second_at(const Vec3& point);
  /// The joint axis z: of the hinge, of sliding, of the plane's normal, of a universal joint's
  /// shaft on a. It need not be of unit length.
  JointBuilder& along(const Vec3& axis);
  /// Axis x of the joint frame: the shaft on b of a universal joint; otherwise it only sets where
  /// the frame points. It is made orthogonal to z.
  JointBuilder& second_axis(const Vec3& second_axis);

  /// The coordinate (rad or m) at the poses that the bodies have when the joint is added; 0 unless
  /// told. Limits, springs and motors count from where it is 0.
  JointBuilder& starting_at(double coordinate);
  JointBuilder& limited(double lower, double upper,
                        double stiffness = std::numeric_limits<double>::infinity(),
                        double damping = 0);
  JointBuilder& driven_at(double speed,
                          double max_effort = std::numeric_limits<double>::infinity());
  JointBuilder& driven_to(double position,
                          double max_effort = std::numeric_limits<double>::infinity(),
                          double time_constant = 0);
  /// A motor whose effort falls from `stall_effort` at rest to 0 at `free_speed`; the level, from
  /// -1 to 1, scales what it is fed with.
  JointBuilder& driven_on_curve(double stall_effort, double free_speed, double level = 1);
  JointBuilder& driven(JointMotor motor);

  /// A spring and damper on what the joint leaves free (joint.h).
  JointBuilder& sprung(double stiffness, double damping = 0, double rest = 0);
  JointBuilder& bushed(const Bushing& bushing);
  /// Dry friction on the coordinate.
  JointBuilder& rubbing(double max_effort);
  /// Friction of a bearing that carries a load (joint.h).
  JointBuilder& borne_by(const Bearing& bearing);
  JointBuilder& with_armature(double inertia);
  /// A given effort on the coordinate.
  JointBuilder& pushed_by(double effort);
  JointBuilder& pushed_by(std::function<double(double time)> effort);

  /// Distance to keep, or rest length of a spring; the present one unless told.
  JointBuilder& length(double metres);
  /// For gears: the joints to couple.
  JointBuilder& coupling(Index first_joint, Index second_joint, double ratio);
  JointBuilder& letting_bodies_collide(bool collide = true);

private:
  friend class World;
  JointKind kind_;
  std::string name_;
  Index body_a_ = ground, body_b_ = ground;
  Vec3 point_a_, axis_{0, 0, 1};
  std::optional<Vec3> point_b_, second_axis_;
  std::optional<JointLimits> limits_;
  std::optional<JointMotor> motor_;
  std::optional<JointSpring> spring_;
  Bushing bushing_;
  Bearing bearing_;
  double friction_ = 0, armature_ = 0, effort_ = 0;
  std::function<double(double)> effort_at_;
  double start_ = 0;
  std::optional<double> length_;
  Gear gear_;
  bool bodies_collide_;
};

JointBuilder joint(JointKind kind, std::string name = {});
JointBuilder spherical(std::string name = {});
JointBuilder revolute(std::string name = {});
JointBuilder prismatic(std::string name = {});
JointBuilder cylindrical(std::string name = {});
JointBuilder universal(std::string name = {});
JointBuilder welded(std::string name = {});
JointBuilder distance_joint(std::string name = {});
JointBuilder point_on_plane(std::string name = {});
JointBuilder gear(std::string name = {});
/// Between `at` and `second_at`; its bodies may touch.
JointBuilder spring(std::string name, double stiffness, double damping = 0);
JointBuilder bushing(std::string name, const Bushing& values);

} // namespace talus
