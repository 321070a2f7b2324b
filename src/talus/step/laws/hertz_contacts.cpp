#include "talus/step/laws/hertz_contacts.h"

#include "talus/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace talus {

namespace {

Vec3 velocity_at(ConstSpan velocities, Index body, const Vec3& arm) {
  if (body < 0) return {};
  const double* v = &velocities[6 * static_cast<std::size_t>(body)];
  return Vec3{v[0], v[1], v[2]} + cross(Vec3{v[3], v[4], v[5]}, arm);
}

/// Φ⁺ along the contact's own normal.
double gap_after(const HertzContact& contact, const RigidModel& model, Index c,
                 ConstSpan velocities, double h) {
  const RigidContact& frame = model.contacts[c];
  const BodyPair& bodies = model.contact_bodies[c];
  const double speed = dot(frame.normal, velocity_at(velocities, bodies.b, frame.arm_b) -
                                             velocity_at(velocities, bodies.a, frame.arm_a));
  return contact.gap + h * contact.felt * speed;
}

} // namespace

double HertzLaw::root(double overlap) const {
  if (!(overlap > 0)) return 0;
  double z = std::sqrt(overlap);
  if (series == 0) return z;
  // z² + c κ z³ is convex and above δ at √δ: Newton's method descends to the root.
  const double cubic = series * coefficient;
  for (int k = 0; k < 100; ++k) {
    const double value = (1 + cubic * z) * z * z - overlap;
    const double next = z - value / ((2 + 3 * cubic * z) * z);
    if (!(next < z)) break;
    z = next;
  }
  return z;
}

double HertzLaw::force(double overlap) const {
  const double z = root(overlap);
  return coefficient * z * z * z;
}

double HertzLaw::slope(double overlap) const {
  const double z = root(overlap);
  return 3 * coefficient * z / (2 + 3 * series * coefficient * z);
}

double HertzLaw::energy(double overlap) const {
  const double z = root(overlap), f = coefficient * z * z * z;
  return 0.4 * f * z * z + 0.5 * series * f * f;
}

void HertzContact::set_slope(double predicted) {
  const double overlap = this->overlap();
  const double middle = 0.5 * (overlap + std::max(overlap, predicted));
  slope = law.slope(std::max(middle, least_overlap));
}

double HertzContact::target(double h) const {
  return gap >= 0 ? gap / h / felt : -law.force(-gap) / (slope * h) / felt;
}

double HertzContact::normal_compliance(double h) const {
  return 1 / (h * h * slope) / (felt * felt);
}

double HertzContact::shear_compliance(double h) const {
  const double compliance = (1 / slope - law.series) / ratio + shear_series;
  // What a solve leaves over changes the load, and must not let the contact slip each time.
  const bool is_as_before = std::abs(compliance - shear_before) <= 1e-6 * shear_before;
  return (is_as_before ? shear_before : compliance) / (h * h);
}

double HertzContact::kept_shear(double h) const {
  if (shear_before == 0) return 1;
  return std::min(1.0, shear_before / (h * h) / shear_compliance(h));
}

bool steepen_where_outrun(std::span<HertzContact> contacts, double h, ConstSpan x,
                          ConstSpan velocities, ContactProblem& problem) {
  auto& model = std::get<RigidModel>(problem.model);
  const std::size_t d = problem.dimension;
  std::atomic<bool> some = false;
  parallel_for(static_cast<Index>(contacts.size()), [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      HertzContact& contact = contacts[c];
      if (contact.law.coefficient == 0 || contact.rebounds) continue;
      const double before = contact.overlap(), after = -gap_after(contact, model, c, velocities, h);
      if (!(after > before)) continue;
      const std::size_t first = d * static_cast<std::size_t>(c);
      const double force = x[first] / (contact.felt * h);
      const double stored = contact.law.energy(after);
      // What the solve leaves over is no gain.
      if (force * (after - before) >= stored - contact.law.energy(before) - 1e-6 * stored) continue;
      const double shear = contact.kept_shear(h) * contact.shear_compliance(h);
      contact.set_slope(after);
      model.w[first] = contact.target(h);
      problem.compliance[first] = contact.normal_compliance(h);
      const double steeper = contact.shear_compliance(h);
      for (std::size_t i = first + 1; i < first + 3; ++i) {
        model.w[i] *= contact.kept_shear(h) * steeper / shear;
        problem.compliance[i] = steeper;
      }
      some.store(true, std::memory_order_relaxed);
    }
  });
  return some.load();
}

double hertz_energy_correction(const HertzContact& contact, Index c, double h, ConstSpan x,
                               ConstSpan velocities, const ContactProblem& problem) {
  if (contact.law.coefficient == 0 || contact.rebounds) return 0;
  const auto& model = std::get<RigidModel>(problem.model);
  const std::size_t first = static_cast<std::size_t>(problem.dimension) * c;
  return contact.law.energy(-gap_after(contact, model, c, velocities, h)) -
         0.5 * problem.compliance[first] * x[first] * x[first];
}

double hertz_energy_correction(std::span<const HertzContact> contacts, double h, ConstSpan x,
                               ConstSpan velocities, const ContactProblem& problem) {
  return parallel_sum<double>(static_cast<Index>(contacts.size()), [&](Index begin, Index end) {
    double sum = 0;
    for (Index c = begin; c < end; ++c)
      sum += hertz_energy_correction(contacts[c], c, h, x, velocities, problem);
    return sum;
  });
}

} // namespace talus
