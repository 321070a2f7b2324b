// Last stages of a step over ranks: states, report, and who owns what from now on (rank_engine.h).

#include "talus/cluster/rank_engine.h"
#include "talus/step/assembly/elastic_joints.h"
#include "talus/step/assembly/free_motion.h"
#include "talus/step/error.h"
#include "talus/step/measures.h"
#include "talus/step/warm_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <tuple>

namespace talus {
namespace {

class Lap {
public:
  double operator()() {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

} // namespace

void RankSimulation::Engine::run_step() {
  StepReport now;
  Lap lap;
  predict(now);
  gather_ghosts(now.envelope);
  ranks.together([&] { collide(now.envelope); });
  now.seconds_collide = lap();
  ranks.together([&] { build(now); });
  now.seconds_build = lap();
  solve_problem(now);
  now.seconds_solve = lap();
  std::vector<BodyState> next;
  ranks.together([&] { make_next_states(next); });
  measure(next, now);
  commit(next);
  remember();
  hand_over();
  now.seconds_advance = lap();
  report = std::move(now);
}

void RankSimulation::Engine::make_next_states(std::vector<BodyState>& next) const {
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k) {
    next.push_back(state_after(here, k, &velocity[6 * static_cast<std::size_t>(k)], options.step));
    const BodyState& state = next.back();
    if (!is_finite(state.pose) || !is_finite(state.velocity) ||
        !is_finite(state.angular_velocity) || !std::isfinite(size_of_measures(here, k, state)))
      throw NonFiniteState(fmt::format("the state of body '{}' or its energy is not finite after "
                                       "step {} at time {} s; the last finite state is kept",
                                       here.bodies()[k].name, steps + 1, time + options.step));
  }
}

/// Energies and momenta, added exactly over bodies and contacts.
void RankSimulation::Engine::measure(const std::vector<BodyState>& next, StepReport& now) {
  std::array<ExactSum, 9> sums;
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k) {
    if (!counts_here(k)) continue;
    const BodyMeasures body = measures_of(here, k, next[k]);
    sums[0].add(body.kinetic_energy);
    sums[1].add(body.potential_energy);
    for (int i = 0; i < 3; ++i) {
      sums[2 + i].add(body.momentum[i]);
      sums[5 + i].add(body.angular_momentum[i]);
    }
  }
  for (std::size_t c = 0; c < contacts.size() && !problem.compliance.empty(); ++c) {
    double energy = 0;
    for (std::size_t i = 3 * c; i < 3 * c + 3; ++i)
      energy += 0.5 * problem.compliance[i] * result.x[i] * result.x[i];
    sums[8].add(energy);
  }
  ranks.sum(sums);
  count_outrunning_bodies(now);
  now.step = steps + 1;
  now.time = time + options.step;
  now.kinetic_energy = sums[0].value();
  now.potential_energy = sums[1].value();
  now.momentum = {sums[2].value(), sums[3].value(), sums[4].value()};
  now.angular_momentum = {sums[5].value(), sums[6].value(), sums[7].value()};
  std::ranges::copy(next, here.states().begin());
  now.elastic_energy = sums[8].value() + spring_energy(here);
}

void RankSimulation::Engine::commit(const std::vector<BodyState>& next) {
  for (std::size_t k = 0; k < seen.size(); ++k) whole.states()[seen[k]] = next[k];
  for (std::size_t j = 0; j < coordinates.size(); ++j)
    whole.joint_coordinates()[j] = joint_coordinate(here, here.joints()[j], coordinates[j]);
  time += options.step;
  ++steps;
}

int RankSimulation::Engine::next_owner(const CachedImpulse& cached) const {
  const Index a = colliders[cached.collider_a].body, b = colliders[cached.collider_b].body;
  if (is_large[a] && is_large[b]) return 0;
  if (is_large[a]) return owners.owner(cell_of(b));
  if (is_large[b]) return owners.owner(cell_of(a));
  return owners.owner(std::min(cell_of(a), cell_of(b)));
}

/// Lists the impulses of this step for the next one.
void RankSimulation::Engine::remember() {
  Vector x = result.x;
  x.resize(3 * contacts.size() + rows.size(), 0.0);
  talus::remember(contacts, SpatialOrder(), std::get<RigidModel>(problem.model).contacts, rows, x,
                  options.step, has_yielding_contacts(), {}, cache);
}

/// Sends bodies and impulses to those who own them at the new poses.
void RankSimulation::Engine::hand_over() {
  if (rank_options.cuts.empty() && steps % rank_options.balance_every == 0) {
    std::vector<CellWeight> weights;
    for (const Index body : own) weights.push_back({cell_of(body), 2});
    for (const CellCode cell : cells)
      if (cell > 0) weights.push_back({cell - 1, 1});
    owners = CellOwners::balanced(std::move(weights), ranks);
  }
  std::vector<Bytes> bodies(ranks.count()), impulses(ranks.count());
  for (const Index body : own)
    append(bodies[owners.owner(cell_of(body))], BodyPacket{body, whole.states()[body], {}});
  for (std::size_t k = 0; k < cache.contacts.size(); ++k)
    append(impulses[next_owner(cache.contacts[k])],
           ImpulsePacket{cache.contacts[k], cache.normals.empty() ? Vec3{} : cache.normals[k]});
  own.clear();
  for (const Bytes& bytes : ranks.exchange(std::move(bodies)))
    for (const BodyPacket& packet : values_in<BodyPacket>(bytes)) {
      whole.states()[packet.body] = packet.state;
      own.push_back(packet.body);
    }
  std::ranges::sort(own);
  std::vector<ImpulsePacket> cached;
  for (const Bytes& bytes : ranks.exchange(std::move(impulses))) {
    const auto packets = values_in<ImpulsePacket>(bytes);
    cached.insert(cached.end(), packets.begin(), packets.end());
  }
  std::ranges::sort(cached, {}, [](const ImpulsePacket& packet) {
    return std::tie(packet.impulse.collider_a, packet.impulse.collider_b, packet.impulse.key);
  });
  const bool with_normals = has_yielding_contacts();
  cache.contacts.clear();
  cache.normals.clear();
  for (const ImpulsePacket& packet : cached) {
    cache.contacts.push_back(packet.impulse);
    if (with_normals) cache.normals.push_back(packet.normal);
  }
}

} // namespace talus
