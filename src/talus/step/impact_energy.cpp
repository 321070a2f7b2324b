#include "talus/step/impact_energy.h"

#include "talus/core/parallel.h"
#include "talus/solve/islands.h"
#include "talus/step/assembly/free_motion.h"
#include "talus/step/laws/impact_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace talus {

namespace {

/// The first entry of a contact in the problem's vectors.
std::size_t first_entry(const ContactProblem& problem, Index contact) {
  return static_cast<std::size_t>(problem.dimension) * contact;
}

/// One island, with its rebounds scaled by different factors.
class IslandImpact {
public:
  /// `rebounds` are those of the island, by contacts of the whole.
  IslandImpact(const SolvedImpact& impact, Island& island, std::vector<Rebound> rebounds)
      : impact_(impact), island_(island), rebounds_(std::move(rebounds)) {
    const auto& whole = std::get<RigidModel>(impact.problem.model);
    for (const Index c : island.contacts)
      before_.push_back(relative_velocity(whole, c, impact.velocity_before));
    for (Rebound& rebound : rebounds_) {
      const auto place = std::ranges::lower_bound(island.contacts, rebound.contact);
      rebound.contact = static_cast<Index>(place - island.contacts.begin());
    }
  }

  struct Trial {
    double scale = 1;
    ImpactWork work;
    SolveResult result;
    Vector normal_estimate;
  };

  /// The trial to apply; none when restitution is not to blame, or a solve failed.
  std::optional<Trial> find_admissible(const Vector& x, const ImpactWork& unscaled);

  void apply(const Trial& trial, Vector& x) const;

  long iterations() const { return iterations_; }
  bool was_stopped() const { return stopped_; }

private:
  std::optional<Trial> attempt(double scale, const Vector& start);
  double rebound_energy(const Vector& x) const;

  const SolvedImpact& impact_;
  Island& island_;
  std::vector<RelativeVelocity> before_;
  std::vector<Rebound> rebounds_; ///< By contacts of the island.
  long iterations_ = 0;
  bool stopped_ = false;
};

/// Σ γ_n e |u⁻|: twice the slope of W over the scale, as for a single contact without friction.
double IslandImpact::rebound_energy(const Vector& x) const {
  double sum = 0;
  for (const Rebound& rebound : rebounds_)
    sum += x[first_entry(island_.problem, rebound.contact)] * rebound.speed;
  return sum;
}

std::optional<IslandImpact::Trial> IslandImpact::attempt(double scale, const Vector& start) {
  auto& model = std::get<RigidModel>(island_.problem.model);
  for (const Rebound& rebound : rebounds_)
    model.w[first_entry(island_.problem, rebound.contact)] = scaled_target(rebound, scale);
  Trial trial{.scale = scale,
              .work = {},
              .result = impact_.solve(island_.problem, start),
              .normal_estimate = island_.problem.normal_estimate};
  const SolveResult& result = trial.result;
  iterations_ += result.iterations;
  stopped_ = result.status == Status::stopped;
  if (stopped_ || result.x.size() != start.size() || result.v.empty()) return std::nullopt;
  RecoverySpeeds recovery(island_.problem, rebounds_);
  for (Index c = 0; c < std::ssize(island_.contacts); ++c) {
    const double recovered = recovery.of(c, scale);
    if (is_spring(island_.problem, c)) continue;
    const double* impulse = &result.x[first_entry(island_.problem, c)];
    trial.work.add(impulse, island_.problem.dimension, before_[c],
                   relative_velocity(model, c, result.v), recovered,
                   shear_energy(island_.problem, c, impulse));
  }
  if (!std::isfinite(trial.work.sum)) return std::nullopt;
  return trial;
}

std::optional<IslandImpact::Trial> IslandImpact::find_admissible(const Vector& x,
                                                                 const ImpactWork& unscaled) {
  ScaleSearch search(unscaled.sum, rebound_energy(x), impact_.slack);
  std::optional<Trial> low;
  while (!search.has_ended()) {
    std::optional<Trial> trial = attempt(search.scale(), low ? low->result.x : x);
    if (stopped_) return std::nullopt;
    if (search.include(trial ? &trial->work : nullptr)) low = std::move(trial);
  }
  return low;
}

void IslandImpact::apply(const Trial& trial, Vector& x) const {
  ContactProblem& whole = impact_.problem;
  auto& model = std::get<RigidModel>(whole.model);
  for (const Rebound& rebound : rebounds_) {
    const Index c = island_.contacts[rebound.contact];
    model.w[first_entry(whole, c)] = scaled_target(rebound, trial.scale);
  }
  scatter(whole, island_, trial.result.x, x);
  if (whole.normal_estimate.empty()) return;
  for (std::size_t k = 0; k < island_.contacts.size(); ++k)
    whole.normal_estimate[island_.contacts[k]] = trial.normal_estimate[k];
}

/// W of every island that has a rebound.
struct IslandWorks {
  std::vector<ImpactWork> work;
  std::vector<bool> bounces;
};

IslandWorks works_of(const SolvedImpact& impact, const Islands& islands, const Vector& x) {
  const ContactProblem& problem = impact.problem;
  const auto& model = std::get<RigidModel>(problem.model);
  IslandWorks works{std::vector<ImpactWork>(islands.count),
                    std::vector<bool>(islands.count, false)};
  for (const Rebound& rebound : impact.rebounds)
    works.bounces[islands.of_block[rebound.contact]] = true;
  RecoverySpeeds recovery(problem, impact.rebounds);
  for (Index c = 0; c < problem.contacts(); ++c) {
    const double recovered = recovery.of(c, 1);
    const Index island = islands.of_block[c];
    if (!works.bounces[island] || is_spring(problem, c)) continue;
    const double* impulse = &x[first_entry(problem, c)];
    works.work[island].add(impulse, problem.dimension,
                           relative_velocity(model, c, impact.velocity_before),
                           relative_velocity(model, c, impact.velocity_after), recovered,
                           shear_energy(problem, c, impulse));
  }
  return works;
}

/// Bodies in a plane and those with three equal moments keep their angular velocity.
bool keeps_spin(const World& world, const Body& body) {
  return body.kind != BodyKind::dynamic || !body.turns || world.plane_normal() ||
         (body.moments.x == body.moments.y && body.moments.y == body.moments.z);
}

} // namespace

void turned_velocities(const World& world, double h, const SpatialOrder& order, Span velocities) {
  parallel_for(
      world.size(),
      [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          const Body& body = world.bodies()[i];
          const BodyState& state = world.states()[i];
          const Vec3 spin = keeps_spin(world, body)
                                ? state.angular_velocity
                                : free_angular_velocity(body.moments, state.pose.rotation,
                                                        state.angular_velocity, {}, h);
          double* v = &velocities[6 * static_cast<std::size_t>(order.rank(i))];
          for (int k = 0; k < 3; ++k) {
            v[k] = state.velocity[k];
            v[3 + k] = spin[k];
          }
        }
      },
      256);
}

ImpactLimit limit_impact_energy(const SolvedImpact& impact, Vector& x) {
  ImpactLimit limit;
  const Islands islands = find_islands(impact.problem);
  const IslandWorks works = works_of(impact, islands, x);
  std::vector<bool> gains(islands.count);
  for (Index i = 0; i < islands.count; ++i)
    gains[i] = works.bounces[i] && works.work[i].sum > impact.slack * works.work[i].turnover;
  if (std::ranges::find(gains, true) == gains.end()) return limit;
  std::vector<std::vector<Rebound>> rebounds(islands.count);
  for (const Rebound& rebound : impact.rebounds)
    rebounds[islands.of_block[rebound.contact]].push_back(rebound);
  Vector answer = x;
  for (Island& part : split(impact.problem, islands, gains)) {
    const Index number = islands.of_block[part.contacts.front()];
    IslandImpact island(impact, part, std::move(rebounds[number]));
    Vector start(static_cast<std::size_t>(part.problem.size()));
    gather(impact.problem, part, x, start);
    const auto trial = island.find_admissible(start, works.work[number]);
    limit.iterations += island.iterations();
    if (island.was_stopped()) return {.scale = 1, .iterations = limit.iterations, .stopped = true};
    if (!trial) continue;
    island.apply(*trial, answer);
    limit.scale = std::min(limit.scale, trial->scale);
  }
  x = std::move(answer);
  return limit;
}

} // namespace talus
