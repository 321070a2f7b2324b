#pragma once
// How the contacts of a problem are divided over ranks.

#include "talus/core/types.h"

#include <cstdint>
#include <vector>

namespace talus {

class Ranks;

/// The contacts of a rank, cell by cell. Cells are the same whatever the number of ranks, and each
/// lies on one rank as a whole: sums run over the contacts of a cell in their order, and over cells
/// exactly (exact_sum.h). The equality rows of a divided problem are the same on all ranks.
struct Division {
  Ranks* ranks = nullptr;
  /// Contacts of the k-th cell of this rank: cell_start[k] … cell_start[k + 1].
  std::vector<Index> cell_start = {0};
  /// Of each of these cells: cells of one colour change no body that all of them can see.
  std::vector<Index> cell_colour;
  Index colours = 0;              ///< On all ranks.
  std::int64_t first_contact = 0; ///< Contacts on the ranks below this one.
  std::int64_t all_contacts = 0;  ///< On all ranks.

  Index cells() const { return static_cast<Index>(cell_start.size()) - 1; }
};

} // namespace talus
