// Bodies that lie in each other at the start (step/overlaps.h), over ranks (rank_simulation.h).

#include "talus/cluster/rank_engine.h"
#include "talus/core/parallel.h"

#include <algorithm>

namespace talus {
namespace {

struct NamedOverlap {
  Overlap overlap; ///< Bodies have the numbers of the whole world.
  std::string name_a, name_b;
};

/// On the way to the first rank, before the letters of both names.
struct Packet {
  Overlap overlap;
  std::uint32_t length_a, length_b;
};

void append(Bytes& bytes, const NamedOverlap& named) {
  talus::append(bytes, Packet{named.overlap, static_cast<std::uint32_t>(named.name_a.size()),
                              static_cast<std::uint32_t>(named.name_b.size())});
  for (const std::string* name : {&named.name_a, &named.name_b})
    for (const char letter : *name) talus::append(bytes, letter);
}

std::vector<NamedOverlap> overlaps_in(const Bytes& bytes) {
  std::vector<NamedOverlap> result;
  for (const std::byte* at = bytes.data(); at != bytes.data() + bytes.size();) {
    Packet packet;
    std::memcpy(&packet, at, sizeof packet);
    const char* letters = reinterpret_cast<const char*>(at + sizeof packet);
    result.push_back(
        {packet.overlap, {letters, packet.length_a}, {letters + packet.length_a, packet.length_b}});
    at += sizeof packet + packet.length_a + packet.length_b;
  }
  return result;
}

} // namespace

/// With the places in `here` for bodies; ghosts are there until the next step.
std::vector<Overlap> RankSimulation::Engine::overlaps_here(double share) {
  drop_ghosts();
  velocity.assign(6 * seen.size(), 0.0);
  added_mass.clear();
  gather_ghosts(0.0);
  std::vector<Overlap> mine;
  ranks.together([&] {
    collide(0.0);
    mine = overlaps_of(contacts, radii_here, share);
  });
  has_answer = false;
  contacts.clear();
  cells.clear();
  bonds_now = {};
  start.clear();
  return mine;
}

RankSimulation::Overlaps RankSimulation::find_overlaps(std::size_t most, double share) {
  Engine& e = *engine_;
  std::vector<Overlap> mine;
  with_threads(e.options.threads, [&] { mine = e.overlaps_here(share); });
  Overlaps result;
  result.pairs = e.ranks.sum(static_cast<std::int64_t>(mine.size()));
  std::vector<Bytes> out(e.ranks.count());
  for (std::size_t k = 0; k < std::min(most, mine.size()); ++k) {
    const auto [a, b, depth] = mine[k];
    append(out[0], NamedOverlap{{e.seen[a], e.seen[b], depth},
                                e.here.bodies()[a].name,
                                e.here.bodies()[b].name});
  }
  e.drop_ghosts();
  std::vector<NamedOverlap> all;
  for (const Bytes& bytes : e.ranks.exchange(std::move(out)))
    std::ranges::move(overlaps_in(bytes), std::back_inserter(all));
  std::ranges::sort(all, {}, [](const NamedOverlap& n) {
    return std::tuple(-n.overlap.depth, n.overlap.body_a, n.overlap.body_b);
  });
  if (all.size() > most) all.resize(most);
  for (NamedOverlap& named : all) {
    result.deepest.push_back(named.overlap);
    result.names.emplace_back(std::move(named.name_a), std::move(named.name_b));
  }
  return result;
}

} // namespace talus
