#pragma once
// Who changes which body in which colour of a sweep (problem/delassus/cell_sweeps.h), and who is
// told.

#include "talus/cluster/sharing.h"
#include "talus/core/ranks.h"

#include <memory>

namespace talus {

/// A cell's own copy of a body that all ranks have.
struct BodyCopy {
  Index body = 0;
  Index shared = -1; ///< Its place in Sharing::shared; -1 for a body that impulses do not move.
  Index colour = 0;  ///< Of the cell.
  /// Cells of all ranks that have a copy in this colour: its inverse mass is so many times the
  /// body's.
  std::int64_t count = 1;
};

/// What is sent after a colour.
struct ColourHalo {
  std::unique_ptr<Halo> halo; ///< Null where no rank has anything to send.
  std::vector<Index> depart;  ///< Bodies of this rank that it sends, packed in this order.
  std::vector<Index> arrive;  ///< Bodies of this rank in the order in which their velocities come.
};

struct SweepPlan {
  std::vector<BodyPair> contact_bodies; ///< With numbers from `bodies` on for copies.
  std::vector<BodyCopy> copies;         ///< By colour of their cells.
  std::vector<Index> copies_start;      ///< Of each colour.
  /// Of each colour: places in Sharing::shared of the bodies that a cell of any rank may change.
  std::vector<std::vector<Index>> changed;
  std::vector<ColourHalo> halos; ///< One per colour.
};

/// All ranks together. `is_movable` has a flag per body of this rank. Throws Error if two cells of
/// one colour change a body that is not shared.
SweepPlan make_sweep_plan(const std::vector<BodyPair>& contact_bodies,
                          const std::vector<char>& is_movable, const Sharing& sharing,
                          Ranks& ranks);

} // namespace talus
