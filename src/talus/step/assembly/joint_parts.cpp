#include "talus/step/assembly/joint_parts.h"

#include "talus/step/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

RigidRow negated(const RigidRow& r) {
  return {-r.linear_a, -r.angular_a, -r.linear_b, -r.angular_b};
}

} // namespace

JointParts::JointParts(const World& world, Index index, double h, std::vector<JointRow>& rows)
    : JointParts(world, world.states(), index, h, rows) {}

JointParts::JointParts(const World& world, std::span<const BodyState> states, Index index, double h,
                       std::vector<JointRow>& rows)
    : world_(world), index_(index), h_(h), rows_(rows) {
  const Joint& joint = world.joints()[index];
  bodies_ = {joint.body_a, joint.body_b};
  const auto pose_of = [&](Index body) {
    return body == ground ? Transform::identity() : states[static_cast<std::size_t>(body)].pose;
  };
  const Transform pose_a = pose_of(joint.body_a), pose_b = pose_of(joint.body_b);
  const Transform a = pose_a * joint.frame_a, b = pose_b * joint.frame_b;
  point_a_ = a.position;
  point_b_ = b.position;
  for (int k = 0; k < 3; ++k) {
    Vec3 unit;
    unit[k] = 1;
    axes_a_[k] = rotate(a.rotation, unit);
    axes_b_[k] = rotate(b.rotation, unit);
  }
  relative_ = conjugate(a.rotation) * b.rotation;
  centre_a_ = pose_a.position;
  centre_b_ = pose_b.position;
}

void JointParts::structure() {
  const Joint& joint = world_.joints()[index_];
  switch (joint.kind) {
  case JointKind::spherical:
    hold_displacement();
    break;
  case JointKind::revolute:
    hold_displacement();
    hold_axis();
    break;
  case JointKind::prismatic:
    hold_displacement(0);
    hold_displacement(1);
    hold_rotation();
    break;
  case JointKind::cylindrical:
    hold_displacement(0);
    hold_displacement(1);
    hold_axis();
    break;
  case JointKind::universal:
    hold_displacement();
    hold_right_angle();
    break;
  case JointKind::fixed:
    hold_displacement();
    hold_rotation();
    break;
  case JointKind::distance:
    if (!joint.spring) hold_distance(joint.distance);
    break;
  case JointKind::point_on_plane:
    hold_displacement(2);
    break;
  case JointKind::bushing:
    bushing(joint.bushing);
    break;
  case JointKind::gear:
  case JointKind::spring:
    break;
  }
}

void JointParts::hold_displacement(int k) {
  equality(RowName::displacement + k, along(axes_a_[k]), dot(axes_a_[k], point_b_ - point_a_));
}

void JointParts::hold_displacement() {
  for (int k = 0; k < 3; ++k) hold_displacement(k);
}

void JointParts::hold_axis() {
  for (int k = 0; k < 2; ++k) {
    equality(RowName::rotation + k, about(cross(axes_b_[2], axes_a_[k])),
             dot(axes_a_[k], axes_b_[2]));
  }
}

void JointParts::hold_right_angle() {
  equality(RowName::rotation, about(cross(axes_b_[0], axes_a_[2])), dot(axes_a_[2], axes_b_[0]));
}

void JointParts::hold_rotation() {
  const Vec3 angle = logarithmic_map(relative_);
  for (int k = 0; k < 3; ++k) equality(RowName::rotation + k, about(axes_a_[k]), angle[k]);
}

RigidRow JointParts::along_line() const {
  const Vec3 apart = point_b_ - point_a_;
  const double length = norm(apart);
  return along(length > 0 ? apart / length : axes_a_[2]);
}

void JointParts::hold_distance(double length) {
  equality(RowName::displacement, along_line(), norm(point_b_ - point_a_) - length);
}

RigidRow JointParts::coordinate_row() const {
  return world_.joints()[index_].kind == JointKind::prismatic ? along(axes_a_[2])
                                                              : about(axes_a_[2]);
}

void JointParts::limit(const JointLimits& limits, double coordinate) {
  const RigidRow row = coordinate_row();
  const auto side = [&](Index name, const RigidRow& jacobian, double g) {
    if (!std::isfinite(g)) return;
    if (std::isfinite(limits.stiffness))
      soft_limit(name, jacobian, limits, g);
    else
      at_least_zero(name, jacobian, g);
  };
  side(RowName::lower_limit, row, coordinate - limits.lower);
  side(RowName::upper_limit, negated(row), limits.upper - coordinate);
}

void JointParts::motor(const JointMotor& motor, double coordinate, double time) {
  const double target = motor.target_at ? motor.target_at(time + h_) : motor.target;
  if (!std::isfinite(target))
    throw NonFiniteState(fmt::format("the motor of joint '{}' has the target {} at time {} s",
                                     world_.joints()[index_].name, target, time + h_));
  const bool has_gains = motor.stiffness > 0 || motor.damping > 0;
  const double limit = motor.max_effort_at ? motor.max_effort_at(time + h_) : motor.max_effort;
  if (!(limit >= 0))
    throw NonFiniteState(fmt::format("the motor of joint '{}' has the largest effort {} at time {} "
                                     "s; it must not be negative",
                                     world_.joints()[index_].name, limit, time + h_));
  const double impulse = h_ * limit;
  if (has_gains) {
    const bool holds = motor.mode == MotorMode::position;
    ElasticRow response =
        elastic_row(motor.stiffness, motor.damping, holds ? coordinate - target : 0.0, h_);
    if (!holds) response.b = -target;
    return elastic(RowName::drive, coordinate_row(), response, impulse);
  }
  const double speed = motor.mode == MotorMode::velocity
                           ? target
                           : (target - coordinate) / std::max(h_, motor.time_constant);
  add({.row = RowName::drive,
       .jacobian = coordinate_row(),
       .b = -speed,
       .lower = -impulse,
       .upper = impulse});
}

void JointParts::spring(const JointSpring& spring, double coordinate) {
  const Joint& joint = world_.joints()[index_];
  const SpringElongation g = spring_elongation(world_, joint, coordinate);
  const auto act = [&](int k, const RigidRow& jacobian) {
    if (spring.stiffness > 0 || spring.damping > 0)
      elastic(RowName::spring + k, jacobian,
              elastic_row(spring.stiffness, spring.damping, g.values[k], h_));
  };
  switch (joint.kind) {
  case JointKind::spherical:
    for (int k = 0; k < 3; ++k) act(k, about(axes_a_[k]));
    break;
  case JointKind::universal:
    act(0, about(axes_a_[2]));
    act(1, about(axes_b_[0]));
    break;
  case JointKind::distance:
  case JointKind::spring:
    act(0, along_line());
    break;
  default:
    act(0, coordinate_row());
  }
}

JointParts::Line JointParts::spring_line(Index row) const {
  const Joint& joint = world_.joints()[index_];
  const Vec3 apart = point_b_ - point_a_;
  if (joint.kind == JointKind::bushing) {
    const Vec3& axis = axes_a_[row - RowName::displacement];
    return {dot(axis, apart), axis};
  }
  const double rest = joint.spring ? joint.spring->rest : 0;
  if (joint.kind == JointKind::prismatic) return {dot(axes_a_[2], apart) - rest, axes_a_[2]};
  const double length = norm(apart);
  return {length - joint.distance - rest, length > 0 ? apart / length : axes_a_[2]};
}

void JointParts::bushing(const Bushing& bushing) {
  const Vec3 apart = point_b_ - point_a_, angle = logarithmic_map(relative_);
  for (int k = 0; k < 3; ++k)
    if (bushing.stiffness[k] > 0 || bushing.damping[k] > 0)
      elastic(RowName::displacement + k, along(axes_a_[k]),
              elastic_row(bushing.stiffness[k], bushing.damping[k], dot(axes_a_[k], apart), h_));
  for (int k = 0; k < 3; ++k)
    if (bushing.angular_stiffness[k] > 0 || bushing.angular_damping[k] > 0)
      elastic(RowName::rotation + k, about(axes_a_[k]),
              elastic_row(bushing.angular_stiffness[k], bushing.angular_damping[k], angle[k], h_));
}

void JointParts::friction(double max_effort) {
  add({.row = RowName::dry_friction,
       .jacobian = coordinate_row(),
       .b = 0,
       .lower = -h_ * max_effort,
       .upper = h_ * max_effort});
}

double JointParts::velocity_at_start(const RigidRow& row) const {
  double sum = 0;
  const auto add_side = [&](Index body, const Vec3& linear, const Vec3& angular) {
    if (body == ground) return;
    const BodyState& state = world_.states()[body];
    sum += dot(linear, state.velocity) + dot(angular, state.angular_velocity);
  };
  add_side(bodies_.a, row.linear_a, row.angular_a);
  add_side(bodies_.b, row.linear_b, row.angular_b);
  return sum;
}

void JointParts::armature(double inertia) {
  const RigidRow row = coordinate_row();
  elastic(RowName::rotor, row, {.b = -velocity_at_start(row), .compliance = 1 / inertia});
}

void JointParts::equality(Index row, const RigidRow& jacobian, double g) {
  add({.row = row,
       .jacobian = jacobian,
       .b = g / h_,
       .lower = -infinity,
       .upper = infinity,
       .error = std::abs(g)});
}

void JointParts::at_least_zero(Index row, const RigidRow& jacobian, double g) {
  add({.row = row,
       .jacobian = jacobian,
       .b = g / h_,
       .lower = 0,
       .upper = infinity,
       .error = std::max(0.0, -g)});
}

void JointParts::elastic(Index row, const RigidRow& jacobian, const ElasticRow& response,
                         double max_impulse) {
  add({.row = row,
       .jacobian = jacobian,
       .b = response.b,
       .lower = -max_impulse,
       .upper = max_impulse,
       .compliance = response.compliance});
}

/// Before it is reached it acts only if the step would go beyond, not on approach.
void JointParts::soft_limit(Index row, const RigidRow& jacobian, const JointLimits& limits,
                            double g) {
  const ElasticRow response = elastic_row(limits.stiffness, limits.damping, g, h_);
  add({.row = row,
       .jacobian = jacobian,
       .b = g > 0 ? g / h_ : response.b,
       .lower = 0,
       .upper = infinity,
       .compliance = response.compliance});
}

void JointParts::add(JointRow row) {
  row.joint = index_;
  row.bodies = bodies_;
  rows_.push_back(row);
}

} // namespace talus
