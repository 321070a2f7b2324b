#include "talus/world/gear_mesh.h"

#include <cmath>

namespace talus {

namespace {

bool never_moves(const World& world, Index body) {
  return body == ground || world.bodies()[body].kind == BodyKind::fixed;
}

/// A motion: velocity of the body at the origin, and angular velocity.
struct Screw {
  Vec3 linear, angular;
};

bool has_screw(const Joint& joint) {
  return joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
}

/// The motion of `body` relative to the other side of the joint, for a unit of its coordinate.
Screw screw_of(const World& world, const Joint& joint, Index body, const Vec3& origin) {
  const Transform frame = joint_frames(world, joint).first;
  const Vec3 axis = rotate(frame.rotation, {0, 0, body == joint.body_b ? 1.0 : -1.0});
  if (joint.kind == JointKind::prismatic) return {axis, {}};
  return {cross(axis, origin - frame.position), axis};
}

/// The body that both joints have, and the other ones.
struct Shared {
  Index base, first, second;
};
std::optional<Shared> shared_body(const Joint& first, const Joint& second) {
  for (const auto& [base, x1] :
       {std::pair(first.body_a, first.body_b), std::pair(first.body_b, first.body_a)})
    for (const auto& [other, x2] :
         {std::pair(second.body_a, second.body_b), std::pair(second.body_b, second.body_a)})
      if (base == other && x1 != x2) return Shared{base, x1, x2};
  return {};
}

/// α S₁ + β S₂ with the products 1 and -r.
std::optional<std::pair<double, double>> weights(double s11, double s12, double s22, double ratio) {
  constexpr double parallel = 1e-6; // sin² of the angle between the screws
  const double determinant = s11 * s22 - s12 * s12;
  if (determinant > parallel * s11 * s22)
    return std::pair((s22 + ratio * s12) / determinant, (-ratio * s11 - s12) / determinant);
  if (std::abs(s12 / s11 + ratio) > 1e-6 * std::abs(ratio)) return {};
  return std::pair(1 / s11, 0.0);
}

} // namespace

bool is_grounded_gear(const World& world, const Joint& first, const Joint& second) {
  const auto is_grounded = [&](const Joint& joint) {
    return never_moves(world, joint.body_a) != never_moves(world, joint.body_b);
  };
  return is_grounded(first) && is_grounded(second);
}

std::optional<GearMesh> gear_mesh(const World& world, const Joint& first, const Joint& second,
                                  double ratio) {
  const std::optional<Shared> shared = shared_body(first, second);
  if (!shared || !has_screw(first) || !has_screw(second)) return {};
  const Vec3 p1 = joint_frames(world, first).first.position;
  const Vec3 p2 = joint_frames(world, second).first.position;
  const Vec3 origin = 0.5 * (p1 + p2);
  // Angles are measured in the distance of the joints, so that no unit is preferred.
  const double length = norm(p2 - p1) > 0 ? norm(p2 - p1) : 1.0;
  const Screw s1 = screw_of(world, first, shared->first, origin);
  const Screw s2 = screw_of(world, second, shared->second, origin);
  const auto product = [&](const Screw& a, const Screw& b) {
    return dot(a.linear, b.linear) + length * length * dot(a.angular, b.angular);
  };
  const auto found = weights(product(s1, s1), product(s1, s2), product(s2, s2), ratio);
  if (!found) return {};
  const auto [alpha, beta] = *found;
  const Vec3 force = alpha * s1.linear + beta * s2.linear;
  const Vec3 moment = (length * length) * (alpha * s1.angular + beta * s2.angular);
  const auto felt = [&](Index body, double sign) -> Screw {
    const Vec3 arm = origin - body_pose(world, body).position;
    return {sign * force, sign * (cross(arm, force) + moment)};
  };
  Screw a = felt(shared->first, 1), b = felt(shared->second, -1);
  Index body_a = shared->first, body_b = shared->second;
  if (never_moves(world, body_b)) {
    std::swap(body_a, body_b);
    std::swap(a, b);
  }
  if (never_moves(world, body_b)) return {};
  if (never_moves(world, body_a)) body_a = ground, a = {};
  return GearMesh{body_a, body_b, a.linear, a.angular, b.linear, b.angular};
}

} // namespace talus
