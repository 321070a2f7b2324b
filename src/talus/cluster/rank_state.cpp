// The state of a simulation over ranks as plain data, in blocks, and back (rank_simulation.h).

#include "talus/cluster/rank_engine.h"
#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace talus {
namespace {

/// Sends value(k), k < count, to the ranks owner(k), some at a time; `take` gets what arrives.
template <class Owner, class Value, class Take>
void send_in_rounds(Ranks& ranks, std::size_t count, Owner&& owner, Value&& value, Take&& take) {
  using T = decltype(value(std::size_t{0}));
  constexpr std::size_t most_at_once = 1 << 16;
  std::size_t next = 0;
  bool rest = true;
  while (rest) {
    std::vector<Bytes> out(ranks.count());
    const std::size_t end = std::min(count, next + most_at_once);
    for (; next < end; ++next) append(out[owner(next)], value(next));
    for (const Bytes& bytes : ranks.exchange(std::move(out)))
      for (const T& arrived : values_in<T>(bytes)) take(arrived);
    rest = ranks.any(next < count);
  }
}

auto key_of_bond(const Bond& bond) {
  return std::tie(bond.collider_a, bond.collider_b);
}

/// Entries [from, to) of a list that may be empty.
template <class T>
std::vector<T> slice(const std::vector<T>& list, std::size_t from, std::size_t to) {
  if (list.empty()) return {};
  return {list.begin() + from, list.begin() + to};
}

/// Bodies in blocks by number, one for each rank.
struct Blocks {
  Index bodies = 0, size = 1;

  Blocks(Index all, int ranks) : bodies(all), size(std::max<Index>(1, (all + ranks - 1) / ranks)) {}
  Index first(int rank) const {
    return static_cast<Index>(std::min<std::int64_t>(bodies, std::int64_t{size} * rank));
  }
  int rank_of(Index body) const { return body / size; }
};

/// What a rank has that was asked for a body of its block.
struct BodyAnswer {
  BodyState state;
  bool removed = false;
};

/// The bodies of all blocks, for whoever asks.
class BlockedBodies {
public:
  BlockedBodies(const SimulationState& block, const Blocks& blocks, Ranks& ranks)
      : block_(block), blocks_(blocks), ranks_(ranks) {}

  /// Of these bodies, in their order, ascending; all ranks together.
  std::vector<BodyAnswer> ask(const std::vector<Index>& numbers) const {
    std::vector<Bytes> questions(ranks_.count()), answers(ranks_.count());
    for (const Index body : numbers) append(questions[blocks_.rank_of(body)], body);
    const Index first = blocks_.first(ranks_.rank());
    const std::vector<Bytes> asked = ranks_.exchange(std::move(questions));
    for (int r = 0; r < ranks_.count(); ++r)
      for (const Index body : values_in<Index>(asked[r]))
        append(answers[r], BodyAnswer{block_.bodies[body - first],
                                      std::ranges::binary_search(block_.removed, body)});
    std::vector<BodyAnswer> result;
    result.reserve(numbers.size());
    for (const Bytes& bytes : ranks_.exchange(std::move(answers)))
      for (const BodyAnswer& answer : values_in<BodyAnswer>(bytes)) result.push_back(answer);
    return result;
  }

private:
  const SimulationState& block_;
  const Blocks& blocks_;
  Ranks& ranks_;
};

} // namespace

SimulationState RankSimulation::block_of_state() const {
  const Engine& e = *engine_;
  Ranks& ranks = e.ranks;
  const Blocks blocks(e.colliders.bodies(), ranks.count());
  const Index first = blocks.first(ranks.rank());
  SimulationState state;
  state.time = e.time;
  state.steps = e.steps;
  state.bodies.resize(blocks.first(ranks.rank() + 1) - first);
  std::vector<Index> mine;
  for (Index k = 0; k < static_cast<Index>(e.seen.size()); ++k)
    if (e.counts_here(k)) mine.push_back(k);
  send_in_rounds(
      ranks, mine.size(), [&](std::size_t k) { return blocks.rank_of(e.seen[mine[k]]); },
      [&](std::size_t k) {
        return Engine::StatePacket{e.seen[mine[k]], e.here.bodies()[mine[k]].removed,
                                   e.here.states()[mine[k]]};
      },
      [&](const Engine::StatePacket& packet) {
        state.bodies[packet.body - first] = packet.state;
        if (packet.removed) state.removed.push_back(packet.body);
      });
  std::ranges::sort(state.removed);
  state.joint_coordinates.assign(e.here.joint_coordinates().begin(),
                                 e.here.joint_coordinates().end());
  const auto block_of_collider = [&](Index c) { return blocks.rank_of(e.colliders[c].body); };
  state.warm_start.step = e.cache.step;
  state.warm_start.rows = e.cache.rows;
  send_in_rounds(
      ranks, e.cache.contacts.size(),
      [&](std::size_t k) { return block_of_collider(e.cache.contacts[k].collider_a); },
      [&](std::size_t k) { return Engine::packet_of(e.cache, k); },
      [&](const Engine::ImpulsePacket& packet) { e.add_to_cache(packet, state.warm_start); });
  e.sort_cache(state.warm_start);
  std::vector<Bond> bonds = e.bonds;
  if (ranks.rank() == 0) bonds.insert(bonds.end(), e.severed.begin(), e.severed.end());
  send_in_rounds(
      ranks, bonds.size(), [&](std::size_t k) { return block_of_collider(bonds[k].collider_a); },
      [&](std::size_t k) { return bonds[k]; },
      [&](const Bond& bond) { state.bonds.push_back(bond); });
  std::ranges::sort(state.bonds, {}, key_of_bond);
  return state;
}

SimulationState RankSimulation::gather_state() const {
  Ranks& ranks = engine_->ranks;
  const SimulationState block = block_of_state();
  SimulationState state;
  state.time = block.time;
  state.steps = block.steps;
  state.bodies = values_at_first_rank(ranks, block.bodies);
  state.removed = values_at_first_rank(ranks, block.removed);
  state.warm_start.contacts = values_at_first_rank(ranks, block.warm_start.contacts);
  state.warm_start.normals = values_at_first_rank(ranks, block.warm_start.normals);
  state.warm_start.moments = values_at_first_rank(ranks, block.warm_start.moments);
  state.warm_start.shear = values_at_first_rank(ranks, block.warm_start.shear);
  state.bonds = values_at_first_rank(ranks, block.bonds);
  if (ranks.rank() != 0) return state;
  state.joint_coordinates = block.joint_coordinates;
  state.warm_start.step = block.warm_start.step;
  state.warm_start.rows = block.warm_start.rows;
  return state;
}

void RankSimulation::restore(const SimulationState& state) {
  const Engine& e = *engine_;
  e.ranks.together([&] {
    require_fitting(state, {e.colliders.bodies(), static_cast<Index>(e.here.joints().size()),
                            e.colliders.colliders()});
  });
  const Blocks blocks(e.colliders.bodies(), e.ranks.count());
  const int rank = e.ranks.rank(), count = e.ranks.count();
  const Index first = blocks.first(rank), last = blocks.first(rank + 1);
  SimulationState block;
  block.time = state.time;
  block.steps = state.steps;
  block.bodies = slice(state.bodies, first, last);
  block.joint_coordinates = state.joint_coordinates;
  for (const Index body : state.removed)
    if (body >= first && body < last) block.removed.push_back(body);
  const WarmStart& from = state.warm_start;
  const auto part = [&](std::size_t all, int r) { return all * r / count; };
  const std::size_t begin = part(from.contacts.size(), rank),
                    end = part(from.contacts.size(), rank + 1);
  block.warm_start = {from.step,
                      slice(from.contacts, begin, end),
                      from.rows,
                      slice(from.normals, begin, end),
                      slice(from.moments, begin, end),
                      slice(from.shear, begin, end)};
  block.bonds =
      slice(state.bonds, part(state.bonds.size(), rank), part(state.bonds.size(), rank + 1));
  restore_block(std::move(block));
}

void RankSimulation::restore_block(SimulationState block) {
  Engine& e = *engine_;
  Ranks& ranks = e.ranks;
  e.has_answer = false;
  const Blocks blocks(e.colliders.bodies(), ranks.count());
  ranks.together([&] {
    const Index expected = blocks.first(ranks.rank() + 1) - blocks.first(ranks.rank());
    if (block.bodies.size() != static_cast<std::size_t>(expected) ||
        block.joint_coordinates.size() != e.here.joints().size())
      throw InvalidArgument(fmt::format(
          "a block of the state has {} bodies and {} joints; {} and {} were expected",
          block.bodies.size(), block.joint_coordinates.size(), expected, e.here.joints().size()));
  });
  const BlockedBodies bodies(block, blocks, ranks);
  e.drop_ghosts();
  const std::vector<BodyAnswer> present = bodies.ask(e.seen);
  std::vector<Index> removed;
  for (Index k = 0; k < e.here.size(); ++k)
    if (present[k].removed) removed.push_back(k);
  e.here.set_removed(removed);
  for (Index k = 0; k < e.here.size(); ++k) e.here.states()[k] = present[k].state;
  e.least_radius = e.global_least_radius();
  std::ranges::copy(block.joint_coordinates, e.here.joint_coordinates().begin());
  e.time = block.time;
  e.steps = block.steps;
  e.distribute();

  // Contacts go to the owners of the first of their bodies' cells.
  const WarmStart& from = block.warm_start;
  std::vector<Index> mentioned;
  const auto mention = [&](const auto& item) {
    for (const Index collider : {item.collider_a, item.collider_b})
      mentioned.push_back(e.colliders[collider].body);
  };
  std::ranges::for_each(from.contacts, mention);
  std::ranges::for_each(block.bonds, mention);
  std::ranges::sort(mentioned);
  mentioned.erase(std::ranges::unique(mentioned).begin(), mentioned.end());
  std::vector<CellCode> cell; // of these bodies
  for (const BodyAnswer& answer : bodies.ask(mentioned))
    cell.push_back(e.grid.cell_of(answer.state.pose.position));
  std::vector<Index> large;
  for (Index k = 0; k < e.here.size(); ++k)
    if (e.owner_of[k] < 0) large.push_back(e.seen[k]);
  const auto owner_of = [&](const auto& item) {
    constexpr CellCode none = ~CellCode{0};
    CellCode least = none;
    for (const Index collider : {item.collider_a, item.collider_b}) {
      const Index body = e.colliders[collider].body;
      if (std::ranges::binary_search(large, body)) continue;
      least = std::min(least, cell[std::ranges::lower_bound(mentioned, body) - mentioned.begin()]);
    }
    return least == none ? 0 : e.owners.owner(least);
  };
  WarmStart cache;
  cache.step = from.step;
  cache.rows = from.rows;
  send_in_rounds(
      ranks, from.contacts.size(), [&](std::size_t k) { return owner_of(from.contacts[k]); },
      [&](std::size_t k) { return Engine::packet_of(from, k); },
      [&](const Engine::ImpulsePacket& packet) { e.add_to_cache(packet, cache); });
  if (!ranks.any(!from.normals.empty())) cache.normals.clear();
  if (!ranks.any(!from.moments.empty())) cache.moments.clear();
  if (!ranks.any(!from.shear.empty())) cache.shear.clear();
  e.sort_cache(cache);
  e.cache = std::move(cache);
  e.bonds.clear();
  e.severed.clear();
  std::vector<Bond> whole_ones;
  Bytes broken;
  for (const Bond& bond : block.bonds) {
    if (bond.broken)
      append(broken, bond);
    else
      whole_ones.push_back(bond);
  }
  send_in_rounds(
      ranks, whole_ones.size(), [&](std::size_t k) { return owner_of(whole_ones[k]); },
      [&](std::size_t k) { return whole_ones[k]; },
      [&](const Bond& bond) { e.bonds.push_back(bond); });
  for (const Bytes& bytes : ranks.gather(broken))
    for (const Bond& bond : values_in<Bond>(bytes)) e.severed.push_back(bond);
  std::ranges::sort(e.bonds, {}, key_of_bond);
  std::ranges::sort(e.severed, {}, key_of_bond);
}

} // namespace talus
