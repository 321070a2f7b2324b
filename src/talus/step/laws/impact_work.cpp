#include "talus/step/laws/impact_work.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr int most_trials = 5;

Vec3 point_velocity(ConstSpan velocities, Index body, const Vec3& arm) {
  if (body < 0) return {};
  const double* v = velocities.data() + 6 * static_cast<std::size_t>(body);
  return Vec3{v[0], v[1], v[2]} + cross(Vec3{v[3], v[4], v[5]}, arm);
}

Vec3 angular_velocity(ConstSpan velocities, Index body) {
  if (body < 0) return {};
  const double* v = velocities.data() + 6 * static_cast<std::size_t>(body);
  return {v[3], v[4], v[5]};
}

/// The first entry of a contact in the problem's vectors.
std::size_t first_entry(const ContactProblem& problem, Index contact) {
  return static_cast<std::size_t>(problem.dimension) * contact;
}

} // namespace

RelativeVelocity relative_velocity(const RigidModel& model, Index contact, ConstSpan velocities) {
  const RigidContact& frame = model.contacts[contact];
  const BodyPair& bodies = model.contact_bodies[contact];
  const Vec3 u = point_velocity(velocities, bodies.b, frame.arm_b) -
                 point_velocity(velocities, bodies.a, frame.arm_a);
  const Vec3 third = cross(frame.normal, frame.tangent);
  const Vec3 turning =
      angular_velocity(velocities, bodies.b) - angular_velocity(velocities, bodies.a);
  return {dot(frame.normal, u),        dot(frame.tangent, u), dot(third, u),
          dot(frame.tangent, turning), dot(third, turning),   dot(frame.normal, turning)};
}

void ImpactWork::add(const double* impulse, int dimension, const RelativeVelocity& before,
                     const RelativeVelocity& after, double recovery, double shear) {
  for (int i = 0; i < dimension; ++i) {
    sum += 0.5 * impulse[i] * (before[i] + after[i]);
    turnover += std::abs(impulse[i]) * (std::abs(before[i]) + std::abs(after[i]));
  }
  sum += shear - impulse[0] * recovery;
}

/// The problem's w_t is −E γ_t of the last step.
double shear_energy(const ContactProblem& problem, Index contact, const double* impulse) {
  if (problem.compliance.empty()) return 0;
  double energy = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    const std::size_t entry = first_entry(problem, contact) + i;
    const double e = problem.compliance[entry];
    const double w = std::get<RigidModel>(problem.model).w[entry];
    if (e > 0) energy += 0.5 * (e * impulse[i] * impulse[i] - w * w / e);
  }
  return energy;
}

bool is_spring(const ContactProblem& problem, Index contact) {
  return !problem.compliance.empty() && problem.compliance[first_entry(problem, contact)] > 0;
}

double scaled_target(const Rebound& rebound, double scale) {
  return std::min(rebound.plain, -scale * rebound.speed);
}

double RecoverySpeeds::of(Index contact, double scale) {
  if (next_ == end_ || next_->contact != contact)
    return std::max(0.0, -std::get<RigidModel>(problem_.model).w[first_entry(problem_, contact)]);
  const Rebound& rebound = *next_++;
  return std::max(0.0, -rebound.plain - scale * rebound.speed);
}

ScaleSearch::ScaleSearch(double unscaled_work, double rebound_energy, double slack)
    : unscaled_(unscaled_work), energy_(rebound_energy), slack_(slack),
      scale_(rebound_energy > 0 ? std::max(0.0, 1 - 2.2 * unscaled_work / rebound_energy) : 0.0),
      high_work_(unscaled_work) {}

bool ScaleSearch::include(const ImpactWork* work) {
  ended_ = ++trials_ == most_trials;
  if (work && scale_ == 0) limit_ = std::max(0.0, work->sum);
  if (!work || unscaled_ <= limit_) {
    ended_ = true;
    return false;
  }
  const bool is_admissible = work->sum <= limit_ + slack_ * work->turnover;
  if (is_admissible) {
    // Illinois: a bound that stays where it is counts for half.
    if (has_low_) high_work_ = limit_ + 0.5 * (high_work_ - limit_);
    has_low_ = true;
    low_ = scale_;
    low_work_ = work->sum;
    if (low_work_ >= limit_ - 0.005 * energy_) ended_ = true;
  } else {
    high_ = scale_;
    high_work_ = work->sum;
  }
  if (!has_low_) {
    scale_ = 0;
    return false;
  }
  const double aim = limit_ - std::min(0.002 * energy_, high_work_ - limit_);
  const double part = (aim - low_work_) / (high_work_ - low_work_);
  scale_ = low_ + std::clamp(part, 0.05, 1.0) * (high_ - low_);
  return is_admissible;
}

std::optional<double> ScaleSearch::best() const {
  return has_low_ ? std::optional(low_) : std::nullopt;
}

} // namespace talus
