#include "talus/step/laws/poisson.h"

#include "talus/step/laws/cohesion.h"

#include <algorithm>

namespace talus {

namespace {

/// Below this share of the largest impulse a contact was not compressed.
constexpr double least_share = 1e-9;

double& normal_entry(Vector& v, int dimension, Index contact) {
  return v[static_cast<std::size_t>(dimension) * contact];
}

Vec3 point_velocity(ConstSpan velocities, Index body, const Vec3& arm) {
  if (body < 0) return {};
  const double* v = velocities.data() + 6 * static_cast<std::size_t>(body);
  return Vec3{v[0], v[1], v[2]} + cross(Vec3{v[3], v[4], v[5]}, arm);
}

double normal_velocity(const RigidModel& model, Index contact, ConstSpan velocities) {
  const RigidContact& frame = model.contacts[contact];
  const BodyPair bodies = model.contact_bodies[contact];
  return dot(frame.normal, point_velocity(velocities, bodies.b, frame.arm_b) -
                               point_velocity(velocities, bodies.a, frame.arm_a));
}

/// w_n of every contact if nothing rebounded.
Vector plain_targets(const ContactProblem& problem, std::span<const Rebound> rebounds) {
  const auto& model = std::get<RigidModel>(problem.model);
  Vector plain(problem.contacts());
  for (std::size_t c = 0; c < plain.size(); ++c)
    plain[c] = model.w[static_cast<std::size_t>(problem.dimension) * c];
  for (const Rebound& rebound : rebounds) plain[rebound.contact] = rebound.plain;
  return plain;
}

/// The problem of the compression.
ContactProblem impact_of(const PoissonInput& input, std::span<const Rebound> rebounds,
                         const Vector& plain) {
  ContactProblem impact = input.problem;
  auto& model = std::get<RigidModel>(impact.model);
  model.free_velocity.assign(input.velocity_before.begin(), input.velocity_before.end());
  if (!impact.compliance.empty()) std::fill_n(impact.compliance.begin(), impact.impulses(), 0.0);
  std::ranges::fill(model.w, 0.0);
  for (Index c = 0; c < impact.contacts(); ++c)
    normal_entry(model.w, impact.dimension, c) = std::max(0.0, plain[c]);
  for (const Rebound& rebound : rebounds)
    normal_entry(model.w, impact.dimension, rebound.contact) = 0;
  return impact;
}

/// Contacts that rebound are rigid along their normals.
void apply(std::span<const Rebound> rebounds, const Vector& plain, ContactProblem& problem) {
  auto& model = std::get<RigidModel>(problem.model);
  for (Index c = 0; c < problem.contacts(); ++c)
    normal_entry(model.w, problem.dimension, c) = plain[c];
  for (const Rebound& rebound : rebounds) {
    normal_entry(model.w, problem.dimension, rebound.contact) =
        std::min(rebound.plain, -rebound.speed);
    if (!problem.compliance.empty())
      normal_entry(problem.compliance, problem.dimension, rebound.contact) = 0;
  }
}

bool has_answer(const SolveResult& result, const ContactProblem& problem) {
  return result.status != Status::stopped && result.status != Status::infeasible &&
         result.x.size() == static_cast<std::size_t>(problem.size()) &&
         result.v.size() == std::get<RigidModel>(problem.model).free_velocity.size();
}

} // namespace

long find_poisson_rebounds(const PoissonInput& input, std::vector<Rebound>& rebounds) {
  const Vector plain = plain_targets(input.problem, rebounds);
  ContactProblem impact = impact_of(input, rebounds, plain);
  auto& model = std::get<RigidModel>(impact.model);
  const Vector zero(impact.size(), 0.0);
  const SolveResult compression = input.solve(impact, zero);
  long iterations = compression.iterations;
  if (!has_answer(compression, impact)) return iterations;
  const auto impulse = [&](Index c) {
    return compression.x[static_cast<std::size_t>(impact.dimension) * c];
  };
  double largest = 0;
  for (Index c = 0; c < impact.contacts(); ++c) largest = std::max(largest, impulse(c));
  if (input.largest) largest = input.largest(largest);
  Vector apart(impact.contacts(), 0.0);
  for (Index c = 0; c < impact.contacts(); ++c)
    if (impulse(c) > least_share * largest) apart[c] = -input.restitution[c] * impulse(c);
  model.free_velocity = compression.v;
  if (input.pull)
    input.pull(apart, impact);
  else
    pull_together(apart, impact);
  const SolveResult expansion = input.solve(impact, zero);
  iterations += expansion.iterations;
  if (!has_answer(expansion, impact)) return iterations;
  // Those that struck are stopped at least, whatever their gap.
  std::vector<bool> struck(plain.size(), false);
  for (const Rebound& rebound : rebounds) struck[rebound.contact] = true;
  rebounds.clear();
  for (Index c = 0; c < impact.contacts(); ++c) {
    const double speed = normal_velocity(model, c, expansion.v);
    const bool leaves = apart[c] < 0 && speed > input.threshold;
    if (leaves || struck[c]) rebounds.push_back({c, leaves ? speed : 0.0, plain[c]});
  }
  apply(rebounds, plain, input.problem);
  return iterations;
}

} // namespace talus
