#pragma once
// In which order to eliminate the unknowns of a sparse symmetric pattern, so that little fill
// appears.

#include "talus/core/types.h"

#include <vector>

namespace talus {

/// The blocks of a symmetric pattern, row by row; columns increase within a row.
struct BlockPattern {
  std::vector<Index> row_start = {0}, column;
  Index size() const { return static_cast<Index>(row_start.size()) - 1; }
};

/// Row numbers, the first to eliminate first. Minimum degree, and for 1000 rows or more nested
/// dissection. Full patterns keep their order.
std::vector<Index> elimination_order(const BlockPattern& pattern);

} // namespace talus
