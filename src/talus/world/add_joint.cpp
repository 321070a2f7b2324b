#include "talus/core/error.h"
#include "talus/world/gear_mesh.h"
#include "talus/world/name_check.h"
#include "talus/world/world.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

namespace talus {

namespace {

Quaternion frame_axes(const Vec3& axis, const std::optional<Vec3>& second_axis) {
  if (!is_finite(axis) || !(norm(axis) > 0)) throw InvalidArgument("its axis is zero");
  const Vec3 z = normalized(axis);
  Vec3 x = orthogonal_unit(z);
  if (second_axis) {
    const Vec3 rest = *second_axis - dot(*second_axis, z) * z;
    if (!(norm(rest) > 1e-9 * norm(*second_axis))) {
      throw InvalidArgument("its two axes are parallel");
    }
    x = normalized(rest);
  }
  return quaternion_from_matrix(Mat3::columns(x, cross(z, x), z));
}

/// `what` must be a finite number ≥ 0.
void check_not_negative(double value, std::string_view what) {
  if (value >= 0 && std::isfinite(value)) return;
  throw InvalidArgument(fmt::format("{} is {}, it must be finite and not negative", what, value));
}

void check_limits(const JointLimits& limits) {
  if (!(limits.lower <= limits.upper)) {
    throw InvalidArgument(fmt::format("its lower limit {} is not below its upper limit {}",
                                      limits.lower, limits.upper));
  }
  if (!(limits.stiffness > 0))
    throw InvalidArgument(
        fmt::format("the stiffness of its limits is {}, it must be positive", limits.stiffness));
  check_not_negative(limits.damping, "the damping of its limits");
}

void check_spring(const JointSpring& spring) {
  check_not_negative(spring.stiffness, "the spring's stiffness");
  check_not_negative(spring.damping, "the spring's damping");
  if (!std::isfinite(spring.rest)) throw InvalidArgument("the spring's rest is not finite");
}

void check_bushing(const Bushing& bushing) {
  for (const Vec3& values :
       {bushing.stiffness, bushing.damping, bushing.angular_stiffness, bushing.angular_damping})
    for (int k = 0; k < 3; ++k)
      check_not_negative(values[k], "a stiffness or damping of the bushing");
}

/// Rotations of spherical and universal joints have no rest but 0.
void check_spring_of(const Joint& joint) {
  check_spring(*joint.spring);
  switch (joint.kind) {
  case JointKind::spherical:
  case JointKind::universal:
    if (joint.spring->rest != 0)
      throw InvalidArgument(
          fmt::format("the spring of a {} joint rests where the joint was made: its rest must be 0",
                      to_string(joint.kind)));
    return;
  case JointKind::revolute:
  case JointKind::prismatic:
  case JointKind::cylindrical:
  case JointKind::distance:
  case JointKind::spring:
    return;
  default:
    throw InvalidArgument(fmt::format("a {} joint cannot have a spring", to_string(joint.kind)));
  }
}

void check_motor(const JointMotor& motor) {
  if (!std::isfinite(motor.target)) throw InvalidArgument("the motor's target is not finite");
  if (!(motor.max_effort >= 0)) {
    throw InvalidArgument(
        fmt::format("the motor's max_effort is {}, it must not be negative", motor.max_effort));
  }
  if (!(motor.time_constant >= 0) || !std::isfinite(motor.time_constant)) {
    throw InvalidArgument(fmt::format("the motor's time_constant is {}, it must be finite and not "
                                      "negative",
                                      motor.time_constant));
  }
  check_not_negative(motor.stiffness, "the motor's stiffness");
  check_not_negative(motor.damping, "the motor's damping");
  if (motor.mode == MotorMode::velocity && motor.stiffness > 0)
    throw InvalidArgument("the motor's stiffness needs a position to hold; a speed has damping");
}

void check_coordinate(const Joint& joint) {
  if (has_coordinate(joint.kind)) return;
  throw InvalidArgument(
      fmt::format("a {} joint has no coordinate for limits, motors, gears, "
                  "friction, armature and efforts; revolute, cylindrical and prismatic ones have",
                  to_string(joint.kind)));
}

/// The motion of frame b in itself that changes the coordinate by this much.
Transform along_coordinate(JointKind kind, double coordinate) {
  if (kind == JointKind::prismatic) return {{0, 0, coordinate}, {}};
  return {{}, axis_angle({0, 0, 1}, coordinate)};
}

/// The bodies that a gear between two joints pushes. Of joints with a side that never moves they
/// are the other sides.
std::pair<Index, Index> geared_bodies(const World& world, const Joint& first, const Joint& second,
                                      double ratio) {
  check_coordinate(first);
  check_coordinate(second);
  const auto moving_side = [&](const Joint& joint) {
    const bool a_is_still =
        joint.body_a == ground || world.body(joint.body_a).kind == BodyKind::fixed;
    return a_is_still ? joint.body_b : joint.body_a;
  };
  if (is_grounded_gear(world, first, second)) return {moving_side(first), moving_side(second)};
  if (const auto mesh = gear_mesh(world, first, second, ratio)) return {mesh->body_a, mesh->body_b};
  throw InvalidArgument(fmt::format(
      "it couples the joints '{}' and '{}' on bodies that move, where no two bodies can mesh: each "
      "joint needs a side that is the ground or a fixed body, or both are revolute or prismatic "
      "and "
      "share a body, with axes that do not coincide (of two slides: are not parallel)",
      first.name, second.name));
}

} // namespace

Index World::add(const JointBuilder& builder) {
  Joint joint;
  check_name("joint", builder.name_);
  joint.name = builder.name_.empty() ? fmt::format("joint {}", joints_.size()) : builder.name_;
  joint.kind = builder.kind_;
  joint.bodies_collide = builder.bodies_collide_;
  joint.limits = builder.limits_;
  joint.motor = builder.motor_;
  joint.spring = builder.spring_;
  joint.bushing = builder.bushing_;
  joint.friction = builder.friction_;
  joint.bearing = builder.bearing_;
  joint.armature = builder.armature_;
  joint.effort = builder.effort_;
  joint.effort_at = builder.effort_at_;
  try {
    if (find_joint(joint.name) >= 0) throw InvalidArgument("the name is taken");
    if (joint.limits) check_limits(*joint.limits);
    if (joint.motor) check_motor(*joint.motor);
    if (joint.spring) check_spring_of(joint);
    if (joint.kind == JointKind::spring && !joint.spring)
      throw InvalidArgument("a spring needs a stiffness or damping");
    check_bushing(joint.bushing);
    if (joint.kind != JointKind::bushing && joint.bushing != Bushing{})
      throw InvalidArgument("only a bushing has stiffness and damping along and about its axes");
    check_not_negative(joint.friction, "its friction");
    check_not_negative(joint.bearing.friction, "the friction of its bearing");
    check_not_negative(joint.bearing.radius, "the radius of its bearing");
    check_not_negative(joint.armature, "its armature");
    if (!std::isfinite(joint.effort)) throw InvalidArgument("its effort is not finite");
    const bool acts = joint.friction > 0 || joint.bearing.friction > 0 || joint.armature > 0 ||
                      joint.effort != 0 || joint.effort_at;
    if (!std::isfinite(builder.start_)) throw InvalidArgument("its position is not finite");
    if (joint.limits || joint.motor || acts || builder.start_ != 0) check_coordinate(joint);
    if (joint.kind == JointKind::gear) {
      joint.gear = builder.gear_;
      if (!std::isfinite(joint.gear.ratio) || joint.gear.ratio == 0) {
        throw InvalidArgument("its ratio must be finite and not zero");
      }
      const Joint first = this->joint(joint.gear.first), second = this->joint(joint.gear.second);
      std::tie(joint.body_a, joint.body_b) = geared_bodies(*this, first, second, joint.gear.ratio);
      joint.gear.offset =
          joint_coordinate(*this, first, joint_coordinates_[joint.gear.first]) +
          joint.gear.ratio * joint_coordinate(*this, second, joint_coordinates_[joint.gear.second]);
    } else {
      joint.body_a = builder.body_a_;
      joint.body_b = builder.body_b_;
      for (const Index body : {joint.body_a, joint.body_b}) {
        if (body != ground) checked_body(body);
      }
      const Vec3 point_b = builder.point_b_.value_or(builder.point_a_);
      if (!is_finite(builder.point_a_) || !is_finite(point_b)) {
        throw InvalidArgument("its anchor point is not finite");
      }
      const Quaternion axes = frame_axes(builder.axis_, builder.second_axis_);
      joint.frame_a = inverse(body_pose(*this, joint.body_a)) * Transform{builder.point_a_, axes};
      joint.frame_b = inverse(body_pose(*this, joint.body_b)) * Transform{point_b, axes};
      if (builder.start_ != 0)
        joint.frame_b = joint.frame_b * along_coordinate(joint.kind, builder.start_);
      joint.distance = builder.length_.value_or(norm(point_b - builder.point_a_));
      if (joint.kind == JointKind::distance &&
          !(joint.distance > 0 && std::isfinite(joint.distance))) {
        throw InvalidArgument("its length must be positive: give second_at or length");
      }
      if (joint.kind == JointKind::spring) check_not_negative(joint.distance, "its length");
    }
    if (joint.body_a == joint.body_b) throw InvalidArgument("it joins a body with itself");
    joint_of_name_.emplace(joint.name, static_cast<Index>(joints_.size()));
    joints_.push_back(std::move(joint));
    joint_coordinates_.push_back(builder.start_);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("joint '{}': {}", joint.name, error.what()));
  }
  ++revision_;
  return static_cast<Index>(joints_.size()) - 1;
}

void World::set_spring(Index joint, std::optional<JointSpring> spring) {
  Joint changed = joints_[checked_joint(joint)];
  changed.spring = spring;
  if (spring) check_spring_of(changed);
  if (!spring && changed.kind == JointKind::spring)
    throw InvalidArgument(fmt::format("joint '{}' is nothing but its spring", changed.name));
  joints_[joint].spring = spring;
}

void World::set_effort(Index joint, double effort) {
  Joint& changed = joints_[checked_joint(joint)];
  check_coordinate(changed);
  if (!std::isfinite(effort))
    throw InvalidArgument(fmt::format("the effort on joint '{}' is not finite", changed.name));
  changed.effort = effort;
  changed.effort_at = nullptr;
}

void World::set_motor(Index joint, std::optional<JointMotor> motor) {
  Joint& changed = joints_[checked_joint(joint)];
  if (motor) {
    check_motor(*motor);
    check_coordinate(changed);
  }
  changed.motor = std::move(motor);
}

} // namespace talus
