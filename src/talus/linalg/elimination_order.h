#pragma once
// In which order to eliminate the unknowns of a sparse symmetric pattern, so that little fill
// appears. Row numbers, the first to eliminate first.

#include "talus/core/types.h"

#include <vector>

namespace talus {

/// A symmetric pattern, row by row, with its diagonal; columns increase within a row. The entries
/// may stand for blocks.
struct BlockPattern {
  std::vector<Index> row_start = {0}, column;
  Index size() const { return static_cast<Index>(row_start.size()) - 1; }
};

/// Minimum degree, and for 1000 rows or more nested dissection. Full patterns keep their order.
std::vector<Index> elimination_order(const BlockPattern& pattern);

/// Approximate minimum degree (Amestoy, Davis & Duff 1996, by Eigen): quick, and good up to some
/// thousand rows.
std::vector<Index> minimum_degree_order(const BlockPattern& pattern);

/// Nested dissection (Karypis & Kumar 1998, by METIS): less fill in large packings, and slower.
/// `weight`: how many unknowns each row stands for; empty where all stand for the same number.
/// Empty where METIS fails.
std::vector<Index> dissection_order(const BlockPattern& pattern, std::vector<Index> weight = {});

/// The whole symmetric pattern of a triangle in compressed columns or rows, with its diagonal.
BlockPattern mirror_triangle(const std::vector<Index>& start, const std::vector<Index>& index);

} // namespace talus
