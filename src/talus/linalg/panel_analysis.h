#pragma once
// Where the factor L of a sparse symmetric positive definite matrix, P A Pᵀ = L Lᵀ, has entries.
//
// Columns of A with the same pattern (the six of a body, for example) are one node of a graph,
// which is ordered and analysed in place of the matrix. P is a minimum degree ordering, or nested
// dissection in matrices with much fill, if it has less. Consecutive columns of L of nearly the
// same pattern form a panel, stored as a dense matrix over all rows that any of them has (Ng &
// Peyton 1993). Panels are merged where that adds few zeros, by the rule of CHOLMOD (Chen et al.
// 2008).

#include "talus/core/types.h"

#include <cstddef>
#include <vector>

namespace talus {

/// Some consecutive columns of L. Its first `width` rows are those of its own columns.
struct Panel {
  Index first_column = 0, width = 0;
  Index first_row = 0, height = 0; ///< Of PanelAnalysis::rows.
  std::size_t values = 0;          ///< Where its entries begin, column by column.
};

struct PanelAnalysis {
  std::vector<Index> place;    ///< Of each row of A, its place in P A Pᵀ.
  std::vector<Panel> panels;   ///< From the left to the right.
  std::vector<Index> panel_of; ///< Of each column of P A Pᵀ.
  std::vector<Index> rows;     ///< Of the panels, one after the other; they increase in each.
  std::size_t fill = 0;        ///< Entries of all panels.
};

/// The pattern is the lower triangle of A in compressed columns; row indices increase within a
/// column, the diagonal is present.
PanelAnalysis analyse_panels(const std::vector<Index>& column_start, const std::vector<Index>& row);

} // namespace talus
