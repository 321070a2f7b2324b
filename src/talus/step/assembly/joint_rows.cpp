#include "talus/step/assembly/joint_rows.h"

#include "talus/step/assembly/joint_parts.h"
#include "talus/world/gear_mesh.h"

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

RigidRow gear_row(const World& world, const Joint& joint) {
  const Gear& gear = joint.gear;
  const Joint &first = world.joints()[gear.first], &second = world.joints()[gear.second];
  if (!is_grounded_gear(world, first, second))
    if (const auto mesh = gear_mesh(world, first, second, gear.ratio))
      return {mesh->linear_a, mesh->angular_a, mesh->linear_b, mesh->angular_b};
  RigidRow row;
  if (joint.body_a != ground)
    std::tie(row.linear_a, row.angular_a) = geared_side(world, gear, joint.body_a);
  std::tie(row.linear_b, row.angular_b) = geared_side(world, gear, joint.body_b);
  return row;
}

void add_gear(const World& world, std::span<const double> coordinates, Index index, double h,
              std::vector<JointRow>& rows) {
  const Joint& joint = world.joints()[index];
  const Gear& gear = joint.gear;
  const RigidRow jacobian = gear_row(world, joint);
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
    parts.structure();
    if (joint.limits) parts.limit(*joint.limits, coordinates[i]);
    if (joint.motor) parts.motor(*joint.motor, coordinates[i], time);
    if (joint.spring) parts.spring(*joint.spring, coordinates[i]);
    const bool rubs = joint.friction > 0 || joint.bearing.friction > 0;
    if (rubs && !overcomes_friction(joint)) parts.friction(joint.friction);
    if (joint.armature > 0) parts.armature(joint.armature);
  }
}

bool is_spring_along_line(const World& world, const JointRow& row) {
  if (!(row.compliance > 0)) return false;
  const JointKind kind = world.joints()[row.joint].kind;
  if (kind == JointKind::bushing) return row.row < RowName::rotation;
  return row.row == RowName::spring &&
         (kind == JointKind::distance || kind == JointKind::spring || kind == JointKind::prismatic);
}

bool overcomes_friction(const Joint& joint) {
  const auto& motor = joint.motor;
  return motor && std::isinf(motor->max_effort) && !motor->max_effort_at && motor->stiffness == 0 &&
         motor->damping == 0;
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
