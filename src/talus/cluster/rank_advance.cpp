// Last stages of a step over ranks: states, report, and who owns what from now on (rank_engine.h).

#include "talus/cluster/rank_engine.h"
#include "talus/core/large_problem.h"
#include "talus/core/regroup.h"
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
#include <numeric>
#include <tuple>
#include <utility>

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

auto bonds_key(const Bond& bond) {
  return std::pair(bond.collider_a, bond.collider_b);
}

} // namespace

void RankSimulation::Engine::run_step() {
  StepReport now;
  Lap lap;
  has_answer = false;
  release_last_step();
  predict(now);
  gather_ghosts(now.envelope);
  ranks.together([&] { collide(now.envelope); });
  now.seconds_collide = lap();
  ranks.together([&] { build(now); });
  now.seconds_build = lap();
  solve_problem(now);
  now.seconds_solve = lap();
  ranks.together([&] { require_finite_next_states(); });
  measure(now);
  commit();
  has_answer = true;
  keep_centres();
  remember();
  hand_over();
  now.seconds_advance = lap();
  report = std::move(now);
}

/// What a large step leaves behind is room for the next one.
void RankSimulation::Engine::release_last_step() {
  centres.clear();
  if (!is_large(static_cast<Index>(contacts.size()))) return;
  contacts = {};
  centres = {};
  problem = {};
  foreign = {};
  result = {};
  hertz = {};
}

BodyState RankSimulation::Engine::next_state(Index k) const {
  const std::size_t first = 6 * static_cast<std::size_t>(k);
  BodyState state = state_after(here, k, velocity.data() + first, options.step);
  if (!pose_velocity.empty())
    state.pose = state_after(here, k, pose_velocity.data() + first, options.step).pose;
  return state;
}

/// Next states are made here and again by measure(), so that nobody has to store them.
void RankSimulation::Engine::require_finite_next_states() const {
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k) {
    const BodyState state = next_state(k);
    if (!is_finite(state.pose) || !is_finite(state.velocity) ||
        !is_finite(state.angular_velocity) || !std::isfinite(size_of_measures(here, k, state)))
      throw NonFiniteState(fmt::format("the state of body '{}' or its energy is not finite after "
                                       "step {} at time {} s; the last finite state is kept",
                                       here.bodies()[k].name, steps + 1, time + options.step));
  }
}

/// Takes the next states; energies and momenta are added exactly over bodies and contacts.
void RankSimulation::Engine::measure(StepReport& now) {
  const ConstSpan joint_errors =
      drift.after(here, pose_velocity.empty() ? velocity : pose_velocity, options.step, rows);
  std::array<ExactSum, 9> sums;
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k) {
    if (!counts_here(k)) continue;
    const BodyMeasures body = measures_of(here, k, next_state(k));
    sums[0].add(body.kinetic_energy);
    sums[1].add(body.potential_energy);
    for (int i = 0; i < 3; ++i) {
      sums[2 + i].add(body.momentum[i]);
      sums[5 + i].add(body.angular_momentum[i]);
    }
  }
  const std::size_t d = dimension();
  for (std::size_t c = 0; c < contacts.size() && !problem.compliance.empty(); ++c) {
    double energy = 0;
    for (std::size_t i = d * c; i < d * (c + 1); ++i)
      energy += 0.5 * problem.compliance[i] * result.x[i] * result.x[i];
    if (!hertz.empty())
      energy += hertz_energy_correction(hertz[c], static_cast<Index>(c), options.step, result.x,
                                        velocity, problem);
    sums[8].add(energy);
  }
  for (std::size_t c = 0; c < bonds_now.pull.size(); ++c)
    sums[8].add(cohesive_energy(bonds_now, c, contacts[c],
                                std::get<RigidModel>(problem.model).contacts[c], velocity,
                                options.step));
  ranks.sum(sums);
  count_outrunning_bodies(now);
  now.step = steps + 1;
  now.time = time + options.step;
  now.kinetic_energy = sums[0].value();
  now.potential_energy = sums[1].value();
  now.momentum = {sums[2].value(), sums[3].value(), sums[4].value()};
  now.angular_momentum = {sums[5].value(), sums[6].value(), sums[7].value()};
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k) here.states()[k] = next_state(k);
  now.max_joint_error = largest_joint_error(here, rows, joint_errors);
  now.elastic_energy = sums[8].value() + spring_energy(here);
}

void RankSimulation::Engine::commit() {
  for (std::size_t j = 0; j < coordinates.size(); ++j)
    here.joint_coordinates()[j] = joint_coordinate(here, here.joints()[j], coordinates[j]);
  time += options.step;
  ++steps;
}

/// While the numbers of bodies are those of the step. Ghosts have moved as their owners moved them.
void RankSimulation::Engine::keep_centres() {
  if (!keeps_contacts) return;
  const auto centre = [&](Index body) {
    const BodyState& state = here.states()[body];
    return state.pose.position - options.step * state.velocity;
  };
  centres.reserve(contacts.size());
  for (const ContactPoint& contact : contacts)
    centres.push_back({centre(contact.body_a), centre(contact.body_b)});
}

/// At the new poses.
int RankSimulation::Engine::next_owner(Index a, Index b) const {
  if (owner_of[a] < 0 && owner_of[b] < 0) return 0;
  if (owner_of[a] < 0) return owners.owner(cell_of(b));
  if (owner_of[b] < 0) return owners.owner(cell_of(a));
  return owners.owner(std::min(cell_of(a), cell_of(b)));
}

/// Lists the impulses of this step for the next one.
void RankSimulation::Engine::remember() {
  // In a step with nothing to solve there is no answer.
  result.x.resize(dimension() * contacts.size() + rows.size(), 0.0);
  if (is_large(static_cast<Index>(contacts.size()))) cache = {};
  const bool with_shear = here.materials.has_hertz_contacts() && !problem.compliance.empty();
  talus::remember(contacts, SpatialOrder(), std::get<RigidModel>(problem.model).contacts, rows,
                  result.x, options.step, has_yielding_contacts(),
                  with_shear ? ConstSpan(problem.compliance) : ConstSpan(), cache);
}

RankSimulation::Engine::ImpulsePacket RankSimulation::Engine::packet_of(const WarmStart& list,
                                                                        std::size_t k) {
  ImpulsePacket packet{list.contacts[k], {}, {}, 0};
  if (!list.normals.empty()) packet.normal = list.normals[k];
  if (!list.moments.empty()) packet.moment = list.moments[k];
  if (!list.shear.empty()) packet.shear = list.shear[k];
  return packet;
}

void RankSimulation::Engine::add_to_cache(const ImpulsePacket& packet, WarmStart& list) const {
  list.contacts.push_back(packet.impulse);
  if (has_yielding_contacts()) list.normals.push_back(packet.normal);
  if (dimension() > 3) list.moments.push_back(packet.moment);
  if (here.materials.has_hertz_contacts()) list.shear.push_back(packet.shear);
}

/// Sends bodies and impulses to those who own them at the new poses.
void RankSimulation::Engine::hand_over() {
  if (rank_options.cuts.empty() && steps % rank_options.balance_every == 0) {
    std::vector<CellWeight> weights;
    for (Index k = 0; k < static_cast<Index>(seen.size()); ++k)
      if (owns(k)) weights.push_back({cell_of(k), 2});
    for (const CellCode cell : cells)
      if (cell > 0) weights.push_back({cell - 1, 1});
    owners = CellOwners::balanced(std::move(weights), ranks);
  }
  std::vector<int> to, owner_of_impulse, owner_of_bond;
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k)
    to.push_back(owner_of[k] < 0 ? -1 : owners.owner(cell_of(k)));
  // While the numbers of bodies are those of the step. Cached impulses are in the order of the
  // contacts; some have none.
  std::size_t c = 0;
  const auto is_of = [](const CachedImpulse& cached, const ContactPoint& contact) {
    return cached.collider_a == contact.collider_a && cached.collider_b == contact.collider_b &&
           cached.key == contact.key;
  };
  for (const CachedImpulse& cached : cache.contacts) {
    while (!is_of(cached, contacts[c])) ++c;
    owner_of_impulse.push_back(next_owner(contacts[c].body_a, contacts[c].body_b));
  }
  for (const Bond& bond : bonds_now.list)
    owner_of_bond.push_back(bond.broken ? -1
                                        : next_owner(place(colliders[bond.collider_a].body),
                                                     place(colliders[bond.collider_b].body)));
  migrate(std::move(to));
  hand_over_impulses(owner_of_impulse);
  if (is_cohesive()) hand_over_bonds(owner_of_bond);
}

/// Entries in another order; none where there are none.
template <class T>
static void permute(const std::vector<Index>& order, std::vector<T>& entries) {
  if (entries.size() != order.size()) return;
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (const Index k : order) sorted.push_back(entries[k]);
  entries = std::move(sorted);
}

/// Most stay: they are not copied, since there are several of each body.
void RankSimulation::Engine::hand_over_impulses(const std::vector<int>& owner) {
  std::vector<Bytes> out(ranks.count());
  std::vector<char> leaves(owner.size(), 0);
  for (std::size_t k = 0; k < owner.size(); ++k) {
    if (owner[k] == ranks.rank()) continue;
    leaves[k] = 1;
    append(out[owner[k]], packet_of(cache, k));
  }
  for (auto* list : {&cache.normals, &cache.moments})
    if (!list->empty()) regroup(*list, leaves, {}, {});
  if (!cache.shear.empty()) regroup(cache.shear, leaves, {}, {});
  regroup(cache.contacts, leaves, {}, {});
  leaves = {};
  for (const Bytes& bytes : ranks.exchange(std::move(out)))
    for (const ImpulsePacket& packet : values_in<ImpulsePacket>(bytes)) add_to_cache(packet, cache);
  sort_cache(cache);
}

void RankSimulation::Engine::sort_cache(WarmStart& list) const {
  const auto key = [&](Index k) {
    const CachedImpulse& cached = list.contacts[k];
    return std::tie(cached.collider_a, cached.collider_b, cached.key);
  };
  std::vector<Index> order(list.contacts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, key);
  permute(order, list.normals);
  permute(order, list.moments);
  permute(order, list.shear);
  permute(order, list.contacts);
}

/// Bonds follow their contacts; those that broke for good in this step are told to all.
void RankSimulation::Engine::hand_over_bonds(const std::vector<int>& owner) {
  std::vector<Bytes> out(ranks.count());
  Bytes broken;
  for (std::size_t k = 0; k < bonds_now.list.size(); ++k) {
    const Bond& bond = bonds_now.list[k];
    if (!bond.broken)
      append(out[owner[k]], bond);
    else if (!std::ranges::binary_search(severed, bonds_key(bond), {}, bonds_key))
      append(broken, bond);
  }
  bonds.clear();
  for (const Bytes& bytes : ranks.exchange(std::move(out)))
    for (const Bond& bond : values_in<Bond>(bytes)) bonds.push_back(bond);
  for (const Bytes& bytes : ranks.gather(broken))
    for (const Bond& bond : values_in<Bond>(bytes)) severed.push_back(bond);
  std::ranges::sort(bonds, {}, bonds_key);
  std::ranges::sort(severed, {}, bonds_key);
}

} // namespace talus
