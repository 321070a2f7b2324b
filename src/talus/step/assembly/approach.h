#pragma once
// The relative velocity of two bodies along the normal of their contact, m/s; negative: they
// approach.

#include "talus/collide/contact_point.h"
#include "talus/problem/contact_problem.h"
#include "talus/world/body.h"

#include <span>

namespace talus {

inline double approach_speed(const RigidContact& frame, const Vec3& velocity_a, const Vec3& spin_a,
                             const Vec3& velocity_b, const Vec3& spin_b) {
  return dot(frame.normal,
             velocity_b - velocity_a + cross(spin_b, frame.arm_b) - cross(spin_a, frame.arm_a));
}

inline double approach_speed(const RigidContact& frame, const ContactPoint& contact,
                             std::span<const BodyState> states) {
  const BodyState &a = states[contact.body_a], &b = states[contact.body_b];
  return approach_speed(frame, a.velocity, a.angular_velocity, b.velocity, b.angular_velocity);
}

/// With velocities of six entries per body.
inline double approach_speed(const RigidContact& frame, const ContactPoint& contact,
                             ConstSpan velocities) {
  const double* a = velocities.data() + 6 * static_cast<std::size_t>(contact.body_a);
  const double* b = velocities.data() + 6 * static_cast<std::size_t>(contact.body_b);
  return approach_speed(frame, {a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {b[0], b[1], b[2]},
                        {b[3], b[4], b[5]});
}

} // namespace talus
