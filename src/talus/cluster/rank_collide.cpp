// First stages of a step over ranks: what moves where, who comes near, which contacts there are
// (rank_engine.h).

#include "talus/cluster/rank_engine.h"
#include "talus/core/large_problem.h"
#include "talus/core/regroup.h"
#include "talus/step/assembly/free_motion.h"
#include "talus/step/colliders.h"
#include "talus/step/envelope.h"
#include "talus/step/error.h"
#include "talus/step/warm_start.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace talus {

static auto pair_of(const Bond& bond) {
  return std::pair(bond.collider_a, bond.collider_b);
}

/// Entries of contacts, `width` each, in another order; none where there are none.
static void sort_like(const std::vector<Index>& order, std::size_t width, Vector& entries) {
  if (entries.size() != width * order.size()) return;
  Vector sorted;
  sorted.reserve(entries.size());
  for (const Index c : order)
    sorted.insert(sorted.end(), entries.begin() + width * c, entries.begin() + width * (c + 1));
  entries = std::move(sorted);
}

/// The fastest two of all bodies; `speed` is that of a body of `here`.
template <class Speed>
static TopSpeeds fastest(const std::vector<int>& owner_of, Ranks& ranks, Speed&& speed) {
  TopSpeeds own, all;
  for (std::size_t k = 0; k < owner_of.size(); ++k)
    if (owner_of[k] == ranks.rank()) own.include(speed(static_cast<Index>(k)));
  Bytes mine;
  append(mine, own);
  for (const Bytes& bytes : ranks.gather(mine))
    for (const TopSpeeds& top : values_in<TopSpeeds>(bytes)) {
      all.include(top.first);
      all.include(top.second);
    }
  for (std::size_t k = 0; k < owner_of.size(); ++k)
    if (owner_of[k] < 0) all.include(speed(static_cast<Index>(k)));
  return all;
}

void RankSimulation::Engine::predict(StepReport& now) {
  drop_ghosts();
  remove_bodies_due();
  ranks.together([&] {
    std::vector<Wrench> wrenches;
    collect_wrenches(here, time, wrenches);
    surroundings.follow(here);
    surroundings.add_buoyancy(here, time, wrenches);
    velocity.resize(6 * seen.size());
    free_velocities(here, time, options.step, wrenches, velocity);
    surroundings.add_drag(here, time, options.step, velocity);
    added_mass.assign(surroundings.added_mass().begin(), surroundings.added_mass().end());
  });
  const double least = is_cohesive() ? here.materials.largest_cohesion_range() : 0;
  now.envelope = std::max(options.envelope, least);
  if (options.envelope >= 0) return;
  const TopSpeeds top = fastest(owner_of, ranks, [&](Index body) {
    return foreseen_speed(here, velocity, body, radii_here[body]);
  });
  ranks.together([&] {
    if (!std::isfinite(options.step * (top.first + top.second)))
      throw NonFiniteState("a body is too fast: how far it goes in a step is not finite");
  });
  now.envelope = std::max(envelope_of(top, least_radius, options.step), least);
}

void RankSimulation::Engine::count_outrunning_bodies(StepReport& now) {
  // A hair of rounding is no reason to warn.
  const double reach = now.envelope * (1 + 1e-9);
  const auto speed = [&](Index body) { return surface_speed(velocity, body, radii_here[body]); };
  const TopSpeeds top = fastest(owner_of, ranks, speed);
  now.outran_envelope = 0;
  if (options.step * (top.first + top.second) <= reach) return;
  std::int64_t count = 0;
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k)
    if (counts_here(k) && 2 * options.step * speed(k) > reach) ++count;
  now.outran_envelope = static_cast<Index>(ranks.sum(count));
}

/// Bodies go to all lower ranks with a cell in which something could touch them.
void RankSimulation::Engine::gather_ghosts(double envelope) {
  constexpr double most_cells = 8; // in each direction; beyond it everybody is told
  std::vector<Bytes> out(ranks.count());
  std::vector<char> told(ranks.count());
  for (Index k = 0; k < static_cast<Index>(seen.size()); ++k) {
    if (!owns(k)) continue;
    const Vec3& centre = here.states()[k].pose.position;
    const double reach = radii_here[k] + most_radius + envelope;
    std::ranges::fill(told, 0);
    if (reach < most_cells * grid.width)
      grid.for_each_near(centre, reach, [&](CellCode code) { told[owners.owner(code)] = 1; });
    else
      std::ranges::fill(told, 1);
    GhostPacket packet;
    if (!added_mass.empty()) packet.added = added_mass[k];
    std::copy_n(&velocity[6 * static_cast<std::size_t>(k)], 6, packet.velocity);
    for (int r = 0; r < ranks.rank(); ++r) {
      if (!told[r]) continue;
      append(out[r], packet);
      append(out[r], shapes, traveller(k));
    }
  }
  struct Ghost {
    Index number;
    GhostPacket packet;
  };
  std::vector<Ghost> ghosts;
  std::vector<Traveller> arrivals;
  std::vector<int> owners_of_ghosts;
  bool has_added = !added_mass.empty();
  for (const Bytes& bytes : ranks.exchange(std::move(out)))
    for (TravellerReader reader(shapes, bytes); !reader.at_end();) {
      const auto packet = reader.value<GhostPacket>();
      arrivals.push_back(reader.next());
      ghosts.push_back({arrivals.back().number, packet});
      owners_of_ghosts.push_back(owners.owner(grid.cell_of(arrivals.back().state.pose.position)));
      has_added = has_added || packet.added.linear > 0 || packet.added.angular > 0;
    }
  std::ranges::sort(ghosts, {}, &Ghost::number);
  Vector velocities;
  std::vector<AddedMass> added;
  for (const Ghost& ghost : ghosts) {
    velocities.insert(velocities.end(), ghost.packet.velocity, ghost.packet.velocity + 6);
    added.push_back(ghost.packet.added);
  }
  if (has_added) added_mass.resize(seen.size());
  const std::vector<Index> places = regroup_bodies({}, std::move(arrivals), owners_of_ghosts);
  regroup(velocity, {}, places, std::move(velocities), 6);
  if (has_added) regroup(added_mass, {}, places, std::move(added));
}

void RankSimulation::Engine::collide(double envelope) {
  std::vector<Collider> list;
  list_colliders(here, list);
  for (Collider& collider : list) {
    const Transform& pose = here.states()[collider.body].pose;
    collider.pose = collider.pose == Transform{} ? pose : pose * collider.pose;
  }
  std::vector<std::pair<Index, Index>> excluded;
  for (const auto& [a, b] : exclusions) {
    const Index first = place(a), second = place(b);
    const auto is_here = [&](Index at, Index body) { return at < here.size() && seen[at] == body; };
    if (is_here(first, a) && is_here(second, b)) excluded.emplace_back(first, second);
  }
  detector.exclude_body_pairs(std::move(excluded));
  detect_contacts(here, detector, list, envelope, contacts);
  if (is_large(static_cast<Index>(contacts.size()))) detector.release_memory();
  drop_out_of_plane_contacts(here, contacts);
  keep_own_contacts();
  number_colliders(list);
  start.clear();
  last_shear.clear();
  if (starts_warm())
    initial_impulses(cache, contacts, SpatialOrder(), here.states(), options.step, dimension(),
                     start, last_shear);
  find_bonds_of_step();
  sort_by_cells();
}

/// From the bonds of this rank's contacts and those that are severed.
void RankSimulation::Engine::find_bonds_of_step() {
  bonds_now.list.clear();
  bonds_now.pull.clear();
  if (!is_cohesive()) return;
  std::vector<Bond> before;
  std::ranges::merge(bonds, severed, std::back_inserter(before), {}, pair_of, pair_of);
  find_bonds({here, colliders, contacts, SpatialOrder(), cache, penetration(), options.step},
             before, bonds_now);
}

/// A contact belongs to the owner of the first of its bodies' cells on the curve: to this rank if
/// that body is its own, since all ghosts come later. Contacts between large bodies belong to the
/// first rank.
void RankSimulation::Engine::keep_own_contacts() {
  std::erase_if(contacts, [&](const ContactPoint& contact) {
    const int a = owner_of[contact.body_a], b = owner_of[contact.body_b];
    if (a < 0 && b < 0) return ranks.rank() != 0;
    return a != ranks.rank() && b != ranks.rank();
  });
}

/// From numbers in the list of what is here to those of the whole world.
void RankSimulation::Engine::number_colliders(std::span<const Collider> list) {
  std::vector<Index> number;
  number.reserve(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    const bool next_of_body = k > 0 && list[k - 1].body == list[k].body;
    number.push_back(next_of_body ? number.back() + 1 : colliders.first_of(seen[list[k].body]));
  }
  for (ContactPoint& contact : contacts) {
    contact.collider_a = number[contact.collider_a];
    contact.collider_b = number[contact.collider_b];
  }
}

void RankSimulation::Engine::sort_by_cells() {
  const auto cell_of_contact = [&](const ContactPoint& contact) {
    CellCode least = 0;
    for (const Index body : {contact.body_a, contact.body_b}) {
      if (owner_of[body] < 0) continue;
      const CellCode cell = 1 + grid.cell_of(here.states()[body].pose.position);
      least = least == 0 ? cell : std::min(least, cell);
    }
    return least;
  };
  std::vector<CellCode> unsorted;
  unsorted.reserve(contacts.size());
  for (const ContactPoint& contact : contacts) unsorted.push_back(cell_of_contact(contact));
  std::vector<Index> order(contacts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](Index c) { return unsorted[c]; });
  std::vector<ContactPoint> sorted;
  sorted.reserve(order.size());
  cells.clear();
  cells.reserve(order.size());
  for (const Index c : order) {
    sorted.push_back(contacts[c]);
    cells.push_back(unsorted[c]);
  }
  contacts = std::move(sorted);
  sort_like(order, dimension(), start);
  sort_like(order, 1, last_shear);
  sort_like(order, 1, bonds_now.pull);
  sort_like(order, 1, bonds_now.origins);
}

} // namespace talus
