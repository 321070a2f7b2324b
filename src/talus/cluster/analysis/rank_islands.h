#pragma once
// Islands of a divided problem (solve/islands.h) that have something in common with a step's
// rebounds: contacts and rows that a chain of movable bodies connects, over ranks.
//
// An island is named by the lowest number of its movable bodies in the whole world, which does not
// depend on who owns what. Names travel along the contacts between ranks until none changes, in as
// many rounds as an island crosses ranks.

#include "talus/cluster/sharing.h"
#include "talus/core/exact_sum.h"
#include "talus/core/ranks.h"

#include <span>
#include <vector>

namespace talus {

struct RankIslandInput {
  const RigidModel& model;        ///< Of this rank.
  const Sharing& sharing;         ///< Of this rank.
  std::span<const Index> numbers; ///< Of its bodies in the whole world, ascending.
  std::span<const int> owner_of;  ///< Of its bodies; -1: shared, or immovable.
  std::vector<Index> marked;      ///< Contacts whose islands are wanted.
};

class RankIslands {
public:
  /// All ranks together. Islands that have no marked contact on any rank are left out.
  RankIslands(const RankIslandInput& input, Ranks& ranks);

  /// Of those with something on this rank, and of those that several ranks have.
  Index count() const { return count_; }
  Index of_contact(Index contact) const { return of_contact_[contact]; } ///< -1: left out.
  Index of_row(Index row) const { return of_row_[row]; }                 ///< -1: left out.
  /// Adds over ranks what belongs to one island: `width` sums for each, one island after another.
  /// All ranks together.
  std::vector<double> values(std::vector<ExactSum> sums, int width) const;

private:
  Ranks& ranks_;
  Index count_ = 0, here_only_ = 0; ///< The first `here_only_` are of this rank alone.
  std::vector<Index> of_contact_, of_row_;
};

} // namespace talus
