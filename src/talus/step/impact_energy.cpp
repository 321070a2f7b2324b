#include "talus/step/impact_energy.h"

#include "talus/core/parallel.h"
#include "talus/solve/islands.h"
#include "talus/step/assembly/free_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace talus {

namespace {

constexpr int most_trials = 5;

/// Normal, tangent, binormal, and the angular velocities about tangent, binormal and normal.
using RelativeVelocity = std::array<double, 6>;

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

/// The first entry of a contact in the problem's vectors.
std::size_t first_entry(const ContactProblem& problem, Index contact) {
  return static_cast<std::size_t>(problem.dimension) * contact;
}

/// Sums over contacts.
struct Work {
  double sum = 0;      ///< W without the work of undoing penetrations, and with that of shear.
  double turnover = 0; ///< Σ |γ| |u|, of which W is a difference.

  /// `impulse` has `dimension` entries.
  void add(const double* impulse, int dimension, const RelativeVelocity& before,
           const RelativeVelocity& after, double recovery, double shear) {
    for (int i = 0; i < dimension; ++i) {
      sum += 0.5 * impulse[i] * (before[i] + after[i]);
      turnover += std::abs(impulse[i]) * (std::abs(before[i]) + std::abs(after[i]));
    }
    sum += shear - impulse[0] * recovery;
  }
};

/// What the shear of a contact that yields takes up. Its w_t is −E γ_t of the last step.
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

/// w_n with the rebound scaled.
double target(const Rebound& rebound, double scale) {
  return std::min(rebound.plain, -scale * rebound.speed);
}

/// What of the targets of contacts is there to undo penetrations. To be asked in their order.
class RecoverySpeeds {
public:
  RecoverySpeeds(const ContactProblem& problem, std::span<const Rebound> rebounds, double scale)
      : problem_(problem), next_(rebounds.begin()), end_(rebounds.end()), scale_(scale) {}

  double of(Index contact) {
    if (next_ == end_ || next_->contact != contact)
      return std::max(0.0, -std::get<RigidModel>(problem_.model).w[first_entry(problem_, contact)]);
    const Rebound& rebound = *next_++;
    return std::max(0.0, -rebound.plain - scale_ * rebound.speed);
  }

private:
  const ContactProblem& problem_;
  std::span<const Rebound>::iterator next_, end_;
  double scale_;
};

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
    Work work;
    SolveResult result;
    Vector normal_estimate;
  };

  /// The trial to apply; none when restitution is not to blame, or a solve failed.
  std::optional<Trial> find_admissible(const Vector& x, const Work& unscaled);

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
    model.w[first_entry(island_.problem, rebound.contact)] = target(rebound, scale);
  Trial trial{.scale = scale,
              .work = {},
              .result = impact_.solve(island_.problem, start),
              .normal_estimate = island_.problem.normal_estimate};
  const SolveResult& result = trial.result;
  iterations_ += result.iterations;
  stopped_ = result.status == Status::stopped;
  if (stopped_ || result.x.size() != start.size() || result.v.empty()) return std::nullopt;
  RecoverySpeeds recovery(island_.problem, rebounds_, scale);
  for (Index c = 0; c < std::ssize(island_.contacts); ++c) {
    const double recovered = recovery.of(c);
    if (is_spring(island_.problem, c)) continue;
    const double* impulse = &result.x[first_entry(island_.problem, c)];
    trial.work.add(impulse, island_.problem.dimension, before_[c],
                   relative_velocity(model, c, result.v), recovered,
                   shear_energy(island_.problem, c, impulse));
  }
  if (!std::isfinite(trial.work.sum)) return std::nullopt;
  return trial;
}

/// Newton's method from s = 1 with the slope of a frictionless impact, then s = 0 if that was too
/// much still, then regula falsi. It aims a little below the limit and ends when what is lost is at
/// most 0.5 % of Σ γ_n e |u⁻|.
std::optional<IslandImpact::Trial> IslandImpact::find_admissible(const Vector& x,
                                                                 const Work& unscaled) {
  const double energy = rebound_energy(x);
  double high = 1, high_work = unscaled.sum, limit = 0;
  double scale = energy > 0 ? std::max(0.0, 1 - 2.2 * unscaled.sum / energy) : 0.0;
  std::optional<Trial> low;
  for (int k = 0; k < most_trials; ++k) {
    std::optional<Trial> trial = attempt(scale, low ? low->result.x : x);
    if (stopped_) return std::nullopt;
    if (!trial) break;
    if (scale == 0) limit = std::max(0.0, trial->work.sum);
    if (unscaled.sum <= limit) return std::nullopt;
    if (trial->work.sum <= limit + impact_.slack * trial->work.turnover) {
      // Illinois: a bound that stays where it is counts for half.
      if (low) high_work = limit + 0.5 * (high_work - limit);
      low = std::move(trial);
      if (low->work.sum >= limit - 0.005 * energy) break;
    } else {
      high = scale;
      high_work = trial->work.sum;
    }
    if (!low) {
      scale = 0;
      continue;
    }
    const double aim = limit - std::min(0.002 * energy, high_work - limit);
    const double part = (aim - low->work.sum) / (high_work - low->work.sum);
    scale = low->scale + std::clamp(part, 0.05, 1.0) * (high - low->scale);
  }
  return low;
}

void IslandImpact::apply(const Trial& trial, Vector& x) const {
  ContactProblem& whole = impact_.problem;
  auto& model = std::get<RigidModel>(whole.model);
  for (const Rebound& rebound : rebounds_) {
    const Index c = island_.contacts[rebound.contact];
    model.w[first_entry(whole, c)] = target(rebound, trial.scale);
  }
  scatter(whole, island_, trial.result.x, x);
  if (whole.normal_estimate.empty()) return;
  for (std::size_t k = 0; k < island_.contacts.size(); ++k)
    whole.normal_estimate[island_.contacts[k]] = trial.normal_estimate[k];
}

/// W of every island that has a rebound.
struct IslandWorks {
  std::vector<Work> work;
  std::vector<bool> bounces;
};

IslandWorks works_of(const SolvedImpact& impact, const Islands& islands, const Vector& x) {
  const ContactProblem& problem = impact.problem;
  const auto& model = std::get<RigidModel>(problem.model);
  IslandWorks works{std::vector<Work>(islands.count), std::vector<bool>(islands.count, false)};
  for (const Rebound& rebound : impact.rebounds)
    works.bounces[islands.of_block[rebound.contact]] = true;
  RecoverySpeeds recovery(problem, impact.rebounds, 1);
  for (Index c = 0; c < problem.contacts(); ++c) {
    const double recovered = recovery.of(c);
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
