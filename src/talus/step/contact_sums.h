#pragma once
// Sums over the contacts of a step, contact by contact: whoever has not all of them at a time
// (cluster/rank_output.cpp) gets the same bits as forces.h if it adds them in the same order.

#include "talus/collide/contact_point.h"
#include "talus/core/vec3.h"
#include "talus/problem/contact_problem.h"
#include "talus/world/body.h"

#include <algorithm>

namespace talus {

/// What a contact of a step did, and where its bodies were.
struct ActingContact {
  ContactPoint point;
  Vec3 impulse;            ///< On body_b, world axes.
  Vec3 moment;             ///< The same of rolling and spinning friction.
  Vec3 centre_a, centre_b; ///< Of the bodies, at the start of the step.
};

/// The frame of a contact whose bodies had these centres.
inline RigidContact frame_of(const ContactPoint& contact, const Vec3& centre_a,
                             const Vec3& centre_b) {
  return {.normal = contact.normal,
          .tangent = orthogonal_unit(contact.normal),
          .arm_a = contact.point - centre_a,
          .arm_b = contact.point - centre_b};
}

/// The entries of a moment along the axes of rolling, rolling, spinning.
inline Vec3 entries_of_moment(const RigidContact& frame, const Vec3& moment) {
  return {dot(frame.tangent, moment), dot(cross(frame.normal, frame.tangent), moment),
          dot(frame.normal, moment)};
}

/// The moment on body b over a step of length h, in world axes, from such entries of impulse.
inline Vec3 mean_moment(const RigidContact& frame, const double* x, double h) {
  return (1 / h) *
         (x[0] * frame.tangent + x[1] * cross(frame.normal, frame.tangent) + x[2] * frame.normal);
}

/// Adds the mean force on one of the sides over a step of length h; torques are about the centre.
inline void add_contact(const Vec3& impulse, const RigidContact& frame, const Vec3& moment,
                        bool on_b, double h, Wrench& sum) {
  const Vec3 force = ((on_b ? 1.0 : -1.0) / h) * impulse;
  sum.force += force;
  sum.torque += cross(on_b ? frame.arm_b : frame.arm_a, force);
  sum.torque += on_b ? moment : -moment;
}

inline void add_contact(const ActingContact& contact, bool has_moment, bool on_b, double h,
                        Wrench& sum) {
  const RigidContact frame = frame_of(contact.point, contact.centre_a, contact.centre_b);
  Vec3 moment;
  if (has_moment) {
    const Vec3 x = entries_of_moment(frame, contact.moment);
    const double entries[] = {x.x, x.y, x.z};
    moment = mean_moment(frame, entries, h);
  }
  add_contact(contact.impulse, frame, moment, on_b, h, sum);
}

/// Adds what one contact does to a body of a group, about the world's origin. `part` is that about
/// the body's centre.
inline void add_to_group(const Wrench& part, const Vec3& centre, Wrench& sum) {
  sum.force += part.force;
  sum.torque += part.torque + cross(centre, part.force);
}

/// Support and largest force of the contacts of a step of length h (ForceSums).
struct ContactSums {
  double h = 1;
  Vec3 support;
  double largest = 0;

  /// Whether the bodies are dynamic.
  void add(const Vec3& impulse, bool moves_a, bool moves_b) {
    largest = std::max(largest, norm(impulse) / h);
    if (moves_a != moves_b) support += (moves_b ? 1.0 : -1.0) / h * impulse;
  }
};

/// The mean of -Σ f ⊗ r / V over contacts in a box and their dynamic bodies, where f acts on the
/// body at r from its centre (Love 1927, Weber 1966).
class StressSum {
public:
  StressSum(const Vec3& lower, const Vec3& upper, double h) : lower_(lower), upper_(upper) {
    const Vec3 size = upper - lower;
    scale_ = -1 / (h * size.x * size.y * size.z);
  }
  void add(const Vec3& point, const RigidContact& frame, const Vec3& impulse, bool moves_a,
           bool moves_b) {
    for (int k = 0; k < 3; ++k)
      if (!(point[k] >= lower_[k] && point[k] <= upper_[k])) return;
    if (moves_a) add(frame.arm_a, -impulse);
    if (moves_b) add(frame.arm_b, impulse);
  }
  /// The entry, made symmetric.
  double operator()(int i, int j) const { return 0.5 * (sum_.m[3 * i + j] + sum_.m[3 * j + i]); }

private:
  void add(const Vec3& arm, const Vec3& impulse) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum_.m[3 * i + j] += scale_ * impulse[i] * arm[j];
  }

  Vec3 lower_, upper_;
  double scale_ = 0;
  Mat3 sum_;
};

/// The mass that a body takes through a plane along its normal within a step of length h; 0 if it
/// stays on its side.
inline double mass_through(const BodyState& state, double mass, const Vec3& point,
                           const Vec3& normal, double h) {
  const double now = dot(normal, state.pose.position - point);
  const double before = now - h * dot(normal, state.velocity);
  if (before < 0 && now >= 0) return mass;
  if (before >= 0 && now < 0) return -mass;
  return 0;
}

} // namespace talus
