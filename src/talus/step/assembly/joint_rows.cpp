#include "talus/step/assembly/joint_rows.h"

#include "talus/step/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Stable names of rows within a joint.
enum RowName : Index { displacement = 0, rotation = 3, lower_limit = 6, upper_limit, drive, mesh };

/// The joint's geometry in the world, and the small parts joints are made of.
class JointParts {
public:
  JointParts(const World& world, Index index, double h, std::vector<JointRow>& rows)
      : world_(world), index_(index), h_(h), rows_(rows) {
    const Joint& joint = world.joints()[index];
    bodies_ = {joint.body_a, joint.body_b};
    const auto [a, b] = joint_frames(world, joint);
    point_a_ = a.position;
    point_b_ = b.position;
    for (int k = 0; k < 3; ++k) {
      Vec3 unit;
      unit[k] = 1;
      axes_a_[k] = rotate(a.rotation, unit);
      axes_b_[k] = rotate(b.rotation, unit);
    }
    relative_ = conjugate(a.rotation) * b.rotation;
    centre_a_ = body_pose(world, joint.body_a).position;
    centre_b_ = body_pose(world, joint.body_b).position;
  }

  /// The point of b does not move along axis k of a: g = a_k · (p_b - p_a).
  void hold_displacement(int k) {
    equality(displacement + k, along(axes_a_[k]), dot(axes_a_[k], point_b_ - point_a_));
  }
  void hold_displacement() {
    for (int k = 0; k < 3; ++k) hold_displacement(k);
  }

  /// z of b stays parallel to z of a: g = a_k · z_b for k = x, y.
  void hold_axis() {
    for (int k = 0; k < 2; ++k) {
      equality(rotation + k, about(cross(axes_b_[2], axes_a_[k])), dot(axes_a_[k], axes_b_[2]));
    }
  }

  /// x of b stays orthogonal to z of a: g = z_a · x_b.
  void hold_right_angle() {
    equality(rotation, about(cross(axes_b_[0], axes_a_[2])), dot(axes_a_[2], axes_b_[0]));
  }

  /// No relative rotation: g = the rotation vector of b seen from a.
  void hold_rotation() {
    const Vec3 angle = logarithmic_map(relative_);
    for (int k = 0; k < 3; ++k) equality(rotation + k, about(axes_a_[k]), angle[k]);
  }

  /// The distance between the points stays as it is.
  void hold_distance(double length) {
    const Vec3 apart = point_b_ - point_a_;
    const double now = norm(apart);
    equality(displacement, along(now > 0 ? apart / now : axes_a_[2]), now - length);
  }

  /// The row whose velocity is that of the coordinate.
  RigidRow coordinate_row() const {
    return world_.joints()[index_].kind == JointKind::prismatic ? along(axes_a_[2])
                                                                : about(axes_a_[2]);
  }

  void limit(const JointLimits& limits, double coordinate) {
    const RigidRow row = coordinate_row();
    if (std::isfinite(limits.lower)) at_least_zero(lower_limit, row, coordinate - limits.lower);
    if (std::isfinite(limits.upper)) {
      at_least_zero(upper_limit, negated(row), limits.upper - coordinate);
    }
  }

  void motor(const JointMotor& motor, double coordinate, double time) {
    const double target = motor.target_at ? motor.target_at(time + h_) : motor.target;
    if (!std::isfinite(target))
      throw NonFiniteState(fmt::format("the motor of joint '{}' has the target {} at time {} s",
                                       world_.joints()[index_].name, target, time + h_));
    const double speed = motor.mode == MotorMode::velocity
                             ? target
                             : (target - coordinate) / std::max(h_, motor.time_constant);
    const double impulse = h_ * motor.max_effort;
    add({.row = drive,
         .jacobian = coordinate_row(),
         .b = -speed,
         .lower = -impulse,
         .upper = impulse});
  }

private:
  static RigidRow negated(const RigidRow& r) {
    return {-r.linear_a, -r.angular_a, -r.linear_b, -r.angular_b};
  }
  /// d/dt d · (p_b - p_a) for a direction d that turns with a. The second term of the derivative,
  /// (ω_a × d) · (p_b - p_a), moves the arm of a from p_a to p_b.
  RigidRow along(const Vec3& d) const {
    return {-d, -cross(point_b_ - centre_a_, d), d, cross(point_b_ - centre_b_, d)};
  }
  RigidRow about(const Vec3& d) const { return {{}, -d, {}, d}; }

  void equality(Index row, const RigidRow& jacobian, double g) {
    add({.row = row,
         .jacobian = jacobian,
         .b = g / h_,
         .lower = -infinity,
         .upper = infinity,
         .error = std::abs(g)});
  }
  /// g ≥ 0 at the end of the step.
  void at_least_zero(Index row, const RigidRow& jacobian, double g) {
    add({.row = row,
         .jacobian = jacobian,
         .b = g / h_,
         .lower = 0,
         .upper = infinity,
         .error = std::max(0.0, -g)});
  }
  void add(JointRow row) {
    row.joint = index_;
    row.bodies = bodies_;
    rows_.push_back(row);
  }

  const World& world_;
  Index index_;
  double h_;
  std::vector<JointRow>& rows_;
  BodyPair bodies_;
  Vec3 point_a_, point_b_, centre_a_, centre_b_;
  Vec3 axes_a_[3], axes_b_[3];
  Quaternion relative_;
};

/// The part of a coordinate row that belongs to the given body.
std::pair<Vec3, Vec3> side_of(const World& world, Index joint, Index body) {
  std::vector<JointRow> unused;
  const RigidRow row = JointParts(world, joint, 1, unused).coordinate_row();
  if (world.joints()[joint].body_a == body) return {row.linear_a, row.angular_a};
  return {row.linear_b, row.angular_b};
}

void add_gear(const World& world, std::span<const double> coordinates, Index index, double h,
              std::vector<JointRow>& rows) {
  const Joint& joint = world.joints()[index];
  const Gear& gear = joint.gear;
  const auto [linear_a, angular_a] = side_of(world, gear.first, joint.body_a);
  const auto [linear_b, angular_b] = side_of(world, gear.second, joint.body_b);
  const double g = coordinates[gear.first] + gear.ratio * coordinates[gear.second] - gear.offset;
  rows.push_back({.joint = index,
                  .row = mesh,
                  .bodies = {joint.body_a, joint.body_b},
                  .jacobian = {linear_a, angular_a, gear.ratio * linear_b, gear.ratio * angular_b},
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
    parts.hold_distance(joint.distance);
    break;
  case JointKind::point_on_plane:
    parts.hold_displacement(2);
    break;
  case JointKind::gear:
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
    if (joint.kind == JointKind::gear) {
      add_gear(world, coordinates, i, h, rows);
      continue;
    }
    JointParts parts(world, i, h, rows);
    add_structure(parts, joint);
    if (joint.limits) parts.limit(*joint.limits, coordinates[i]);
    if (joint.motor) parts.motor(*joint.motor, coordinates[i], time);
  }
}

} // namespace talus
