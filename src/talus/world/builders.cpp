#include "talus/world/builders.h"

namespace talus {

BodyBuilder& BodyBuilder::with(ShapePtr shape, const Transform& pose) {
  shapes_.push_back({.shape = std::move(shape), .pose = pose});
  return *this;
}
BodyBuilder& BodyBuilder::of(Index material) {
  material_ = material;
  return *this;
}
BodyBuilder& BodyBuilder::in_group(std::uint32_t group, std::uint32_t mask) {
  group_ = group;
  mask_ = mask;
  return *this;
}
BodyBuilder& BodyBuilder::density(double kg_per_m3) {
  density_ = kg_per_m3;
  return *this;
}
BodyBuilder& BodyBuilder::mass(double kg) {
  mass_ = kg;
  return *this;
}
BodyBuilder& BodyBuilder::mass_properties(const MassProperties& properties) {
  properties_ = properties;
  return *this;
}
BodyBuilder& BodyBuilder::at(const Vec3& position) {
  pose_.position = position;
  return *this;
}
BodyBuilder& BodyBuilder::turned(const Quaternion& rotation) {
  pose_.rotation = rotation;
  return *this;
}
BodyBuilder& BodyBuilder::placed(const Transform& pose) {
  pose_ = pose;
  return *this;
}
BodyBuilder& BodyBuilder::moving(const Vec3& velocity) {
  velocity_ = velocity;
  return *this;
}
BodyBuilder& BodyBuilder::spinning(const Vec3& angular_velocity) {
  angular_velocity_ = angular_velocity;
  return *this;
}
BodyBuilder& BodyBuilder::pushed_by(const Vec3& force, const Vec3& torque) {
  load_ = {force, torque};
  return *this;
}
BodyBuilder& BodyBuilder::resisted_by(const Drag& drag) {
  drag_ = drag;
  return *this;
}
BodyBuilder& BodyBuilder::removed_at(double time) {
  remove_at_ = time;
  return *this;
}
BodyBuilder& BodyBuilder::without_gravity() {
  floats_ = true;
  return *this;
}
BodyBuilder& BodyBuilder::without_rotation() {
  turns_ = false;
  return *this;
}
BodyBuilder& BodyBuilder::following(PoseFunction pose) {
  motion_ = std::move(pose);
  return *this;
}
BodyBuilder& BodyBuilder::driven_by(TwistFunction twist) {
  motion_ = std::move(twist);
  return *this;
}

BodyBuilder body(std::string name) {
  return BodyBuilder(std::move(name), BodyKind::dynamic);
}
BodyBuilder fixed_body(std::string name) {
  return BodyBuilder(std::move(name), BodyKind::fixed);
}
BodyBuilder kinematic_body(std::string name) {
  return BodyBuilder(std::move(name), BodyKind::kinematic);
}

JointBuilder& JointBuilder::between(Index body_a, Index body_b) {
  body_a_ = body_a;
  body_b_ = body_b;
  return *this;
}
JointBuilder& JointBuilder::at(const Vec3& point) {
  point_a_ = point;
  return *this;
}
JointBuilder& JointBuilder::second_at(const Vec3& point) {
  point_b_ = point;
  return *this;
}
JointBuilder& JointBuilder::along(const Vec3& axis) {
  axis_ = axis;
  return *this;
}
JointBuilder& JointBuilder::second_axis(const Vec3& second_axis) {
  second_axis_ = second_axis;
  return *this;
}
JointBuilder& JointBuilder::starting_at(double coordinate) {
  start_ = coordinate;
  return *this;
}
JointBuilder& JointBuilder::limited(double lower, double upper, double stiffness, double damping) {
  limits_ = JointLimits{lower, upper, stiffness, damping};
  return *this;
}
JointBuilder& JointBuilder::driven_at(double speed, double max_effort) {
  return driven({.mode = MotorMode::velocity, .target = speed, .max_effort = max_effort});
}
JointBuilder& JointBuilder::driven_to(double position, double max_effort, double time_constant) {
  return driven({.mode = MotorMode::position,
                 .target = position,
                 .max_effort = max_effort,
                 .time_constant = time_constant});
}
JointBuilder& JointBuilder::driven_on_curve(double stall_effort, double free_speed, double level) {
  return driven({.mode = MotorMode::velocity,
                 .target = level * free_speed,
                 .max_effort = stall_effort,
                 .damping = stall_effort / free_speed});
}
JointBuilder& JointBuilder::driven(JointMotor motor) {
  motor_ = std::move(motor);
  return *this;
}
JointBuilder& JointBuilder::sprung(double stiffness, double damping, double rest) {
  spring_ = JointSpring{stiffness, damping, rest};
  return *this;
}
JointBuilder& JointBuilder::bushed(const Bushing& bushing) {
  bushing_ = bushing;
  return *this;
}
JointBuilder& JointBuilder::rubbing(double max_effort) {
  friction_ = max_effort;
  return *this;
}
JointBuilder& JointBuilder::borne_by(const Bearing& bearing) {
  bearing_ = bearing;
  return *this;
}
JointBuilder& JointBuilder::with_armature(double inertia) {
  armature_ = inertia;
  return *this;
}
JointBuilder& JointBuilder::pushed_by(double effort) {
  effort_ = effort;
  return *this;
}
JointBuilder& JointBuilder::pushed_by(std::function<double(double)> effort) {
  effort_at_ = std::move(effort);
  return *this;
}
JointBuilder& JointBuilder::length(double metres) {
  length_ = metres;
  return *this;
}
JointBuilder& JointBuilder::coupling(Index first_joint, Index second_joint, double ratio) {
  gear_ = {.first = first_joint, .second = second_joint, .ratio = ratio};
  return *this;
}
JointBuilder& JointBuilder::letting_bodies_collide(bool collide) {
  bodies_collide_ = collide;
  return *this;
}

JointBuilder joint(JointKind kind, std::string name) {
  return JointBuilder(kind, std::move(name));
}
JointBuilder spherical(std::string name) {
  return joint(JointKind::spherical, std::move(name));
}
JointBuilder revolute(std::string name) {
  return joint(JointKind::revolute, std::move(name));
}
JointBuilder prismatic(std::string name) {
  return joint(JointKind::prismatic, std::move(name));
}
JointBuilder cylindrical(std::string name) {
  return joint(JointKind::cylindrical, std::move(name));
}
JointBuilder universal(std::string name) {
  return joint(JointKind::universal, std::move(name));
}
JointBuilder welded(std::string name) {
  return joint(JointKind::fixed, std::move(name));
}
JointBuilder distance_joint(std::string name) {
  return joint(JointKind::distance, std::move(name));
}
JointBuilder point_on_plane(std::string name) {
  return joint(JointKind::point_on_plane, std::move(name));
}
JointBuilder gear(std::string name) {
  return joint(JointKind::gear, std::move(name));
}
JointBuilder spring(std::string name, double stiffness, double damping) {
  return joint(JointKind::spring, std::move(name)).sprung(stiffness, damping);
}
JointBuilder bushing(std::string name, const Bushing& values) {
  return joint(JointKind::bushing, std::move(name)).bushed(values);
}

} // namespace talus
