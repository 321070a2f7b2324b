#include "talus/problem/delassus/rolling_layout.h"

#include "talus/problem/delassus/delassus.h"

namespace talus {
namespace {

/// aᵀ J b of a body's inverse inertia.
double response(const RigidInverseMass& m, const Vec3& a, const Vec3& b) {
  const double* j = m.inertia;
  return dot(a, Vec3{j[0] * b.x + j[1] * b.y + j[2] * b.z, j[1] * b.x + j[3] * b.y + j[4] * b.z,
                     j[2] * b.x + j[4] * b.y + j[5] * b.z});
}

} // namespace

void RollingLayout::assign(const ContactProblem& problem, const RigidModel& model) {
  static_cast<RigidLayout&>(*this) = RigidLayout(model);
  const Index count = contacts();
  length_.resize(count);
  bias_.assign(model.w.begin(), model.w.end());
  for (Index c = 0; c < count; ++c) {
    const RigidContact& k = model.contacts[c];
    const BodyPair pair = model.contact_bodies[c];
    const Vec3 axes[3] = {k.normal, k.tangent, cross(k.normal, k.tangent)};
    double block[36] = {};
    for (int i = 0; i < 3; ++i) {
      double &linear = block[7 * i], &turning = block[7 * (3 + i)];
      const auto add_body = [&](Index body, const Vec3& arm) {
        if (body < 0) return;
        const RigidInverseMass& m = model.inverse_mass[body];
        linear += m.mass + response(m, cross(arm, axes[i]), cross(arm, axes[i]));
        turning += response(m, axes[i], axes[i]);
      };
      add_body(pair.a, k.arm_a);
      add_body(pair.b, k.arm_b);
      if (problem.compliance.empty()) continue;
      linear += problem.compliance[6 * c + i];
      turning += problem.compliance[6 * c + 3 + i];
    }
    length_[c] = moment_length(block, 6, 3);
    for (int i = 3; i < 6; ++i) bias_[6 * static_cast<std::size_t>(c) + i] *= length_[c];
  }
}

} // namespace talus
