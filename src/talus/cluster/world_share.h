#pragma once
// The part of a world that one rank has, before its simulation decides who owns what.

#include "talus/cluster/body_packets.h"
#include "talus/step/collider_runs.h"
#include "talus/world/world.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace talus {

/// Every rank has the fixed and kinematic bodies and those with joints; each of the others is on
/// one rank, whichever. Bodies have the numbers of the whole world.
struct WorldShare {
  World world;                    ///< Of these bodies.
  std::vector<Index> numbers;     ///< Of its bodies, ascending.
  std::vector<double> removed_at; ///< When each of them goes; infinity: never.
  // Of the whole world, the same on all ranks.
  ColliderRuns colliders;
  ShapeTable shapes;                               ///< Of the bodies that are not on all ranks.
  std::vector<std::pair<Index, Index>> exclusions; ///< World::contact_exclusions.
};

/// The share of a rank in a world that every rank has built as a whole.
WorldShare share_of(World whole, int rank, int ranks);

/// The share in a world of which every rank has built a part: the common bodies, its own ones
/// (first_owner) and some that all ranks have built (`everywhere`, one mark per body; `numbers` are
/// those in the whole world). `colliders` are those of all bodies. All shapes must be of such
/// bodies, or lone spheres.
WorldShare share_of(World part, std::vector<Index> numbers, std::span<const char> everywhere,
                    ColliderRuns colliders, int rank, int ranks);

/// Bodies of a kind that all ranks have, one mark for each.
std::vector<char> marks_of_common_bodies(const World& world);

/// Neighbours in number, which are mostly neighbours in space, go together.
inline constexpr Index owned_together = 64;
/// The rank that has a body, which is not on all ranks, at first.
inline int first_owner(Index number, int ranks) {
  return number / owned_together % ranks;
}
/// The first of the bodies from this number on that the rank has at first.
inline Index next_owned(Index number, int rank, int ranks) {
  const Index missing = (rank - first_owner(number, ranks) + ranks) % ranks;
  const auto next = (std::int64_t{number} / owned_together + missing) * owned_together;
  constexpr std::int64_t most = std::numeric_limits<Index>::max();
  return missing == 0 ? number : static_cast<Index>(std::min(next, most));
}

} // namespace talus
