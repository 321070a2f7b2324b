#include "talus/step/laws/elastic_contacts.h"

#include "talus/core/parallel.h"

#include <cmath>

namespace talus {

double automatic_compliance(double relative_compliance, double inverse_mass,
                            double last_normal_impulse, double gravity, double h) {
  const double linear_load = bodies_carried * gravity * h; // per unit of mass
  const double load = inverse_mass * last_normal_impulse;
  const double hardening = linear_load > 0 && load > linear_load ? load / linear_load : 1;
  return relative_compliance * inverse_mass / std::sqrt(hardening);
}

void resume_shear(ConstSpan last_impulses, std::span<const HertzContact> hertz, double h,
                  ContactProblem& problem) {
  Vector& w = std::get<RigidModel>(problem.model).w;
  const std::size_t d = problem.dimension;
  parallel_for(problem.contacts(), [&](Index begin, Index end) {
    for (std::size_t c = begin; c < static_cast<std::size_t>(end); ++c) {
      const bool is_hertz = !hertz.empty() && hertz[c].law.coefficient > 0;
      const double kept = is_hertz ? hertz[c].kept_shear(h) : 1.0;
      for (std::size_t i = d * c + 1; i < d * c + 3; ++i)
        w[i] -= kept * problem.compliance[i] * last_impulses[i];
    }
  });
}

double elastic_energy(const ContactProblem& problem, ConstSpan x) {
  if (problem.compliance.empty()) return 0;
  return parallel_sum<double>(problem.impulses(), [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) sum += 0.5 * problem.compliance[i] * x[i] * x[i];
    return sum;
  });
}

Vec3 turned_with(const ContactPoint& contact, const Vec3& normal_before,
                 std::span<const BodyState> states, double h, const Vec3& impulse) {
  const double cosine = dot(normal_before, contact.normal);
  if (!(cosine > 0)) return {};
  const Vec3 axis = cross(normal_before, contact.normal);
  const Quaternion tilt = normalized(Quaternion{1 + cosine, axis.x, axis.y, axis.z});
  const Vec3 spin =
      states[contact.body_a].angular_velocity + states[contact.body_b].angular_velocity;
  const double turn = 0.5 * h * dot(spin, contact.normal);
  return rotate(exponential_map(turn * contact.normal) * tilt, impulse);
}

} // namespace talus
