#pragma once
// What a step over ranks sends, counted from the places of its bodies alone: for any number of
// ranks, without any. Tests compare the counts with what ranks really send; `talus-mpi model` makes
// predictions of them. Small bodies only: large ones cost sums over all ranks instead
// (docs/theory/ranks.md).

#include "talus/cluster/cells.h"
#include "talus/problem/contact_problem.h"

#include <span>
#include <vector>

namespace talus {

struct PlacedContacts {
  std::span<const Vec3> centres;      ///< Of bodies.
  std::span<const BodyPair> contacts; ///< Of their numbers; -1: an immovable body.
  CellGrid grid;
  double reach = 0; ///< Of cells that change a body: two of the largest radii, and the envelope.
};

struct RankMessages {
  std::int64_t bodies = 0, contacts = 0;        ///< Its own.
  std::int64_t cells = 0;                       ///< With contacts.
  std::vector<std::int64_t> contacts_of_colour; ///< Of the sweeps.
  int neighbours = 0;                           ///< Ranks to which it sends in products or sweeps.
  std::int64_t product_messages = 0, product_bytes = 0; ///< Sent in a product.
  std::int64_t sweep_messages = 0, sweep_bytes = 0;     ///< Sent in a sweep.
};

/// Equal weights of bodies (2) and contacts (1), as RankSimulation cuts the curve.
CellOwners balanced_owners(const PlacedContacts& placed, int ranks);

/// Of each rank. Contacts of immovable bodies count, and send nothing.
std::vector<RankMessages> count_messages(const PlacedContacts& placed, const CellOwners& owners,
                                         int ranks);

} // namespace talus
