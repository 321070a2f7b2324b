#include "talus/step/assembly/joint_drift.h"

#include "talus/step/assembly/free_motion.h"
#include "talus/step/assembly/joint_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

using BodyVelocity = std::array<double, 6>;

BodyVelocity velocity_of(ConstSpan velocities, Index body) {
  BodyVelocity v{};
  if (body != ground) std::copy_n(&velocities[6 * static_cast<std::size_t>(body)], 6, v.begin());
  return v;
}

/// How much an error of its length matters to a spring, where 1 is that of a rigid joint. Soft ones
/// feel a share of it, x / (1 + x) with x = 1/(m E), about k h²/m, and the mass m of the lighter
/// body. Of very stiff ones the energy ½ k κ² shall be small beside ½ m (size / h)².
double weight_of_error(const World& world, const JointRow& row) {
  if (row.compliance == 0) return 1;
  constexpr double energy_share = 1e-4;
  double mass = std::numeric_limits<double>::infinity();
  for (const Index body : {row.bodies.a, row.bodies.b})
    if (body != ground && world.bodies()[body].kind == BodyKind::dynamic)
      mass = std::min(mass, world.bodies()[body].mass);
  const double x = 1 / (mass * row.compliance);
  return x / (1 + x) * std::max(1.0, std::sqrt(energy_share * x));
}

double stiffness_along_line(const Joint& joint, const JointRow& row) {
  if (joint.kind == JointKind::bushing) return joint.bushing.stiffness[row.row];
  return joint.spring ? joint.spring->stiffness : 0;
}

double velocity_of_row(const JointRow& row, const BodyVelocity& a, const BodyVelocity& b) {
  const auto side = [](const Vec3& linear, const Vec3& angular, const BodyVelocity& v) {
    return dot(linear, {v[0], v[1], v[2]}) + dot(angular, {v[3], v[4], v[5]});
  };
  return side(row.jacobian.linear_a, row.jacobian.angular_a, a) +
         side(row.jacobian.linear_b, row.jacobian.angular_b, b);
}

/// joint_coordinate() with the bodies where `states` has them.
double coordinate_at(const World& world, std::span<const BodyState> states, Index index) {
  const Joint& joint = world.joints()[index];
  const auto frame = [&](Index body, const Transform& in_body) {
    return body == ground ? in_body : states[static_cast<std::size_t>(body)].pose * in_body;
  };
  const Transform a = frame(joint.body_a, joint.frame_a), b = frame(joint.body_b, joint.frame_b);
  if (joint.kind == JointKind::prismatic)
    return dot(b.position - a.position, rotate(a.rotation, {0, 0, 1}));
  const Quaternion relative = conjugate(a.rotation) * b.rotation;
  const double angle = 2 * angle_of(relative.z, relative.w);
  constexpr double turn = 2 * std::numbers::pi;
  return angle + turn * std::round((world.joint_coordinates()[index] - angle) / turn);
}

} // namespace

template <class VelocityOf>
void JointDrift::move(const World& world, double h, std::span<const JointRow> rows,
                      VelocityOf&& of) {
  states_.resize(static_cast<std::size_t>(world.size()));
  Index joint = -1;
  for (const JointRow& row : rows) {
    if (row.joint == joint) continue;
    joint = row.joint;
    const auto move_bodies = [&](const Joint& held) {
      for (const Index body : {held.body_a, held.body_b})
        if (body != ground)
          states_[static_cast<std::size_t>(body)] = state_after(world, body, of(body).data(), h);
    };
    const Joint& held = world.joints()[joint];
    move_bodies(held);
    if (held.kind != JointKind::gear) continue;
    move_bodies(world.joints()[held.gear.first]);
    move_bodies(world.joints()[held.gear.second]);
  }
}

/// Rows are sorted by joint and name, and so are those of a joint's structure.
void JointDrift::measure(const World& world, double h, std::span<const JointRow> rows) {
  errors_.assign(rows.size(), 0.0);
  for (std::size_t r = 0; r < rows.size();) {
    const Index joint = rows[r].joint;
    if (rows[r].row == RowName::mesh) {
      const Gear& gear = world.joints()[joint].gear;
      errors_[r++] = coordinate_at(world, states_, gear.first) +
                     gear.ratio * coordinate_at(world, states_, gear.second) - gear.offset;
      continue;
    }
    moved_.clear();
    JointParts(world, states_, joint, h, moved_).structure();
    for (; r < rows.size() && rows[r].joint == joint; ++r)
      if (holds_joint(rows[r]))
        for (const JointRow& moved : moved_)
          if (moved.row == rows[r].row) errors_[r] = h * moved.b;
  }
}

void JointDrift::foresee(const World& world, ConstSpan velocities, std::span<const double> radii,
                         double h, std::span<JointRow> rows) {
  if (rows.empty()) return;
  constexpr double negligible = 1e-3; // of what may be left over
  const auto of = [&](Index body) -> BodyVelocity {
    if (body == ground) return {};
    if (world.bodies()[body].kind != BodyKind::dynamic) {
      BodyVelocity given;
      std::copy_n(&velocities[6 * static_cast<std::size_t>(body)], 6, given.begin());
      return given;
    }
    const BodyState& state = world.states()[body];
    const Vec3 &v = state.velocity, &w = state.angular_velocity;
    return {v.x, v.y, v.z, w.x, w.y, w.z};
  };
  move(world, h, rows, of);
  measure(world, h, rows);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    JointRow& row = rows[r];
    if (is_spring_along_line(world, row)) {
      const double curvature =
          swept(world, row, h) - h * velocity_of_row(row, of(row.bodies.a), of(row.bodies.b));
      if (!std::isfinite(curvature)) continue;
      if (std::abs(curvature) * weight_of_error(world, row) >
          negligible * allowed_joint_error(world, radii, row))
        row.b += curvature / h;
      continue;
    }
    if (!holds_joint(row)) continue;
    const double linear = row.b + velocity_of_row(row, of(row.bodies.a), of(row.bodies.b));
    const double curvature = errors_[r] - h * linear;
    if (!std::isfinite(curvature)) continue; // is refused elsewhere, with a name
    if (std::abs(curvature) > negligible * allowed_joint_error(world, radii, row))
      row.b += curvature / h;
  }
}

/// g(q⁺) - g(q) of a spring along a line. Not a number where it turns too far for a line: the
/// spring keeps the b of its start.
double JointDrift::swept(const World& world, const JointRow& row, double h) {
  constexpr double least_cosine = 0.9;
  const auto before = JointParts(world, row.joint, h, moved_).spring_line(row.row);
  const auto after = JointParts(world, states_, row.joint, h, moved_).spring_line(row.row);
  if (dot(before.direction, after.direction) < least_cosine)
    return std::numeric_limits<double>::quiet_NaN();
  return after.elongation - before.elongation;
}

ConstSpan JointDrift::after(const World& world, ConstSpan velocities, double h,
                            std::span<const JointRow> rows) {
  errors_.clear();
  if (rows.empty()) return errors_; // no memory for worlds without joints
  move(world, h, rows, [&](Index body) { return velocity_of(velocities, body); });
  measure(world, h, rows);
  return errors_;
}

JointDrift::Misfit JointDrift::misfit(const World& world, ConstSpan velocities, ConstSpan b,
                                      std::span<const double> radii, double h,
                                      std::span<const JointRow> rows) {
  after(world, velocities, h, rows);
  change_.assign(rows.size(), 0.0);
  double excess = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const JointRow& row = rows[r];
    if (is_spring_along_line(world, row)) {
      const double extension = swept(world, row, h);
      if (!std::isfinite(extension)) continue;
      const double speed = velocity_of_row(row, velocity_of(velocities, row.bodies.a),
                                           velocity_of(velocities, row.bodies.b));
      const double stiffness = stiffness_along_line(world.joints()[row.joint], row);
      const double g = JointParts(world, row.joint, h, moved_).spring_line(row.row).elongation;
      const double straight = stiffness * g * h * row.compliance; // b without κ
      change_[r] = extension / h - speed - (b[r] - straight);
    } else if (errors_[r] != 0) {
      change_[r] = errors_[r] / h;
    }
    excess = std::max(excess, std::abs(change_[r]) * h * weight_of_error(world, row) /
                                  allowed_joint_error(world, radii, row));
  }
  return {change_, excess};
}

double allowed_joint_error(const World& world, std::span<const double> radii, const JointRow& row) {
  constexpr double share = 1e-6;
  if (row.row >= RowName::rotation) return share;
  const Joint& joint = world.joints()[row.joint];
  double size = 0;
  for (const Index body : {joint.body_a, joint.body_b}) {
    if (body == ground || world.bodies()[body].kind != BodyKind::dynamic) continue;
    const Transform& frame = body == joint.body_a ? joint.frame_a : joint.frame_b;
    const double reach = std::max(radii[static_cast<std::size_t>(body)], norm(frame.position));
    if (reach > 0) size = size > 0 ? std::min(size, reach) : reach;
  }
  return share * (size > 0 ? size : 1);
}

double largest_joint_error(const World& world, std::span<const JointRow> rows, ConstSpan errors) {
  const auto q = world.joint_coordinates();
  const auto error_of = [&](std::size_t r) {
    const Joint& joint = world.joints()[rows[r].joint];
    const bool is_rigid = joint.limits && std::isinf(joint.limits->stiffness);
    if (rows[r].row == RowName::lower_limit && is_rigid)
      return std::max(0.0, joint.limits->lower - q[rows[r].joint]);
    if (rows[r].row == RowName::upper_limit && is_rigid)
      return std::max(0.0, q[rows[r].joint] - joint.limits->upper);
    return std::abs(errors[r]);
  };
  double largest = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) largest = std::max(largest, error_of(r));
  return largest;
}

} // namespace talus
