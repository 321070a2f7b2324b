#pragma once
// What connects the part of a problem on one rank with the others. docs/theory/ranks.md.
//
// A body is owned by one rank, and a contact by the lower one of the ranks that own its bodies. So
// the contacts of a rank need velocities of bodies on higher ranks (ghosts), and its bodies need
// impulses of contacts on lower ranks (foreign contacts). Both are copied; nothing is added across
// ranks. Large bodies are shared: all ranks have them.

#include "talus/core/division.h"
#include "talus/core/halo.h"
#include "talus/problem/contact_problem.h"

#include <vector>

namespace talus {

/// The most shared bodies that contacts can move: each costs six exact sums per product.
inline constexpr Index most_shared_bodies = 256;

struct Sharing {
  Division division;
  /// Bodies, by their numbers in this rank's problem.
  std::vector<Index> shared; ///< Movable ones that all ranks have, in the same order on each.
  std::vector<Index> ghosts; ///< In the order in which their velocities arrive.
  HaloPlan velocities;       ///< Own bodies that are ghosts elsewhere.
  HaloPlan impulses;         ///< Own contacts that are foreign elsewhere.
  /// Bodies of the foreign contacts in the order in which their impulses arrive: that of their
  /// cells. -1 for the body that is not this rank's own.
  std::vector<BodyPair> foreign_bodies;
};

} // namespace talus
