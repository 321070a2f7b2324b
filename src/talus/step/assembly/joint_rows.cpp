#include "talus/step/assembly/joint_rows.h"

#include "talus/step/assembly/joint_parts.h"

#include <cmath>
#include <limits>
#include <tuple>

namespace talus {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What a body feels of the coordinate of a joint.
std::pair<Vec3, Vec3> side_of(const World& world, Index joint, Index body) {
  std::vector<JointRow> unused;
  const RigidRow row = JointParts(world, joint, 1, unused).coordinate_row();
  if (world.joints()[joint].body_a == body) return {row.linear_a, row.angular_a};
  if (world.joints()[joint].body_b == body) return {row.linear_b, row.angular_b};
  return {};
}

/// What a body feels of both joints. Those that a gear does not push feel nothing in sum.
std::pair<Vec3, Vec3> geared_side(const World& world, const Gear& gear, Index body) {
  const auto [linear, angular] = side_of(world, gear.first, body);
  const auto [linear_2, angular_2] = side_of(world, gear.second, body);
  if (world.joints()[gear.second].body_a != body && world.joints()[gear.second].body_b != body)
    return {linear, angular};
  if (world.joints()[gear.first].body_a != body && world.joints()[gear.first].body_b != body)
    return {gear.ratio * linear_2, gear.ratio * angular_2};
  return {linear + gear.ratio * linear_2, angular + gear.ratio * angular_2};
}

void add_gear(const World& world, std::span<const double> coordinates, Index index, double h,
              std::vector<JointRow>& rows) {
  const Joint& joint = world.joints()[index];
  const Gear& gear = joint.gear;
  RigidRow jacobian;
  if (joint.body_a != ground)
    std::tie(jacobian.linear_a, jacobian.angular_a) = geared_side(world, gear, joint.body_a);
  std::tie(jacobian.linear_b, jacobian.angular_b) = geared_side(world, gear, joint.body_b);
  const double g = coordinates[gear.first] + gear.ratio * coordinates[gear.second] - gear.offset;
  rows.push_back({.joint = index,
                  .row = RowName::mesh,
                  .bodies = {joint.body_a, joint.body_b},
                  .jacobian = jacobian,
                  .b = g / h,
                  .lower = -infinity,
                  .upper = infinity,
                  .error = std::abs(g)});
}

void add_structure(JointParts& parts, const Joint& joint) {
  switch (joint.kind) {
  case JointKind::spherical:
    parts.hold_displacement();
    break;
  case JointKind::revolute:
    parts.hold_displacement();
    parts.hold_axis();
    break;
  case JointKind::prismatic:
    parts.hold_displacement(0);
    parts.hold_displacement(1);
    parts.hold_rotation();
    break;
  case JointKind::cylindrical:
    parts.hold_displacement(0);
    parts.hold_displacement(1);
    parts.hold_axis();
    break;
  case JointKind::universal:
    parts.hold_displacement();
    parts.hold_right_angle();
    break;
  case JointKind::fixed:
    parts.hold_displacement();
    parts.hold_rotation();
    break;
  case JointKind::distance:
    if (!joint.spring) parts.hold_distance(joint.distance);
    break;
  case JointKind::point_on_plane:
    parts.hold_displacement(2);
    break;
  case JointKind::bushing:
    parts.bushing(joint.bushing);
    break;
  case JointKind::gear:
  case JointKind::spring:
    break;
  }
}

} // namespace

void collect_joint_rows(const World& world, std::span<const double> coordinates, double time,
                        double h, std::vector<JointRow>& rows) {
  rows.clear();
  const auto joints = world.joints();
  for (Index i = 0; i < static_cast<Index>(joints.size()); ++i) {
    const Joint& joint = joints[i];
    if (joint.removed) continue;
    if (joint.kind == JointKind::gear) {
      add_gear(world, coordinates, i, h, rows);
      continue;
    }
    JointParts parts(world, i, h, rows);
    add_structure(parts, joint);
    if (joint.limits) parts.limit(*joint.limits, coordinates[i]);
    if (joint.motor) parts.motor(*joint.motor, coordinates[i], time);
    if (joint.spring) parts.spring(*joint.spring, coordinates[i]);
    const bool rubs = joint.friction > 0 || joint.bearing.friction > 0;
    if (rubs && !overcomes_friction(joint)) parts.friction(joint.friction);
    if (joint.armature > 0) parts.armature(joint.armature);
  }
}

bool overcomes_friction(const Joint& joint) {
  const auto& motor = joint.motor;
  return motor && std::isinf(motor->max_effort) && motor->stiffness == 0 && motor->damping == 0;
}

void add_joint_efforts(const World& world, double time, std::span<Wrench> wrenches) {
  std::vector<JointRow> unused;
  const auto joints = world.joints();
  for (Index i = 0; i < static_cast<Index>(joints.size()); ++i) {
    const Joint& joint = joints[i];
    const double effort = joint.effort_at ? joint.effort_at(time) : joint.effort;
    if (effort == 0 || joint.removed) continue;
    const RigidRow row = JointParts(world, i, 1, unused).coordinate_row();
    const auto push = [&](Index body, const Vec3& linear, const Vec3& angular) {
      if (body == ground) return;
      wrenches[body].force += effort * linear;
      wrenches[body].torque += effort * angular;
    };
    push(joint.body_a, row.linear_a, row.angular_a);
    push(joint.body_b, row.linear_b, row.angular_b);
  }
}

} // namespace talus
