#pragma once
// The parts that joints are made of, as rows of the contact problem.

#include "talus/step/assembly/elastic_joints.h"
#include "talus/step/assembly/joint_rows.h"

#include <vector>

namespace talus {

/// The geometry of a joint in the world, and its rows, which are appended to a list.
class JointParts {
public:
  JointParts(const World& world, Index index, double h, std::vector<JointRow>& rows);
  /// With the bodies where `states` (of the whole world) has them.
  JointParts(const World& world, std::span<const BodyState> states, Index index, double h,
             std::vector<JointRow>& rows);

  /// What the kind of the joint forbids.
  void structure();

  /// The point of b does not move along axis k of a: g = a_k · (p_b - p_a).
  void hold_displacement(int k);
  void hold_displacement();
  /// z of b stays parallel to z of a: g = a_k · z_b for k = x, y.
  void hold_axis();
  /// x of b stays orthogonal to z of a: g = z_a · x_b.
  void hold_right_angle();
  /// No relative rotation: g = the rotation vector of b seen from a.
  void hold_rotation();
  /// The distance between the points stays as it is.
  void hold_distance(double length);

  /// The row whose velocity is that of the coordinate.
  RigidRow coordinate_row() const;
  void limit(const JointLimits& limits, double coordinate);
  void motor(const JointMotor& motor, double coordinate, double time);
  /// On what the joint leaves free (world/joint.h).
  void spring(const JointSpring& spring, double coordinate);
  void bushing(const Bushing& bushing);
  /// q̇ = 0 as far as the effort allows.
  void friction(double max_effort);
  /// l = -J (q̇⁺ - q̇): a row with E = 1/J and b = -q̇ at the start of the step.
  void armature(double inertia);

  /// How far a spring along a line is from its rest, and where it points. Rows as in
  /// is_spring_along_line().
  struct Line {
    double elongation;
    Vec3 direction;
  };
  Line spring_line(Index row) const;

private:
  /// d/dt d · (p_b - p_a) for a direction d that turns with a. The second term of the derivative,
  /// (ω_a × d) · (p_b - p_a), moves the arm of a from p_a to p_b.
  RigidRow along(const Vec3& d) const {
    return {-d, -cross(point_b_ - centre_a_, d), d, cross(point_b_ - centre_b_, d)};
  }
  RigidRow about(const Vec3& d) const { return {{}, -d, {}, d}; }
  RigidRow along_line() const;
  double velocity_at_start(const RigidRow& row) const;

  void equality(Index row, const RigidRow& jacobian, double g);
  /// g ≥ 0 at the end of the step.
  void at_least_zero(Index row, const RigidRow& jacobian, double g);
  void elastic(Index row, const RigidRow& jacobian, const ElasticRow& response,
               double max_impulse = std::numeric_limits<double>::infinity());
  void soft_limit(Index row, const RigidRow& jacobian, const JointLimits& limits, double g);
  void add(JointRow row);

  const World& world_;
  Index index_;
  double h_;
  std::vector<JointRow>& rows_;
  BodyPair bodies_;
  Vec3 point_a_, point_b_, centre_a_, centre_b_;
  Vec3 axes_a_[3], axes_b_[3];
  Quaternion relative_;
};

} // namespace talus
