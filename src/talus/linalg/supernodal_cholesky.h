#pragma once
// Sparse Cholesky factors of symmetric positive definite matrices, P A Pᵀ = L Lᵀ, for matrices
// that are filled and factorised many times with one pattern. L is stored in dense panels
// (panel_analysis.h).
//
// From the left to the right, each panel subtracts the products of the earlier panels that reach
// into it, then it is factorised itself. Products are computed in tiles of registers, with fused
// multiply-adds in an order that depends on the pattern alone.
//
// One thread. Memory: 8 bytes per entry of the panels, and 12 per entry of A.

#include "talus/core/stop_test.h"
#include "talus/linalg/panel_analysis.h"

#include <span>

namespace talus {

class SupernodalCholesky {
public:
  /// Orders and analyses a pattern: the lower triangle of A in compressed columns, row indices
  /// increasing within a column, the diagonal present.
  void analyse(const std::vector<Index>& column_start, const std::vector<Index>& row);

  /// Factorises the matrix with these values. False when a pivot is not positive and finite, or
  /// when the stop test, asked between panels and within wide ones, was met.
  bool factorise(ConstSpan value, const StopTest& stop = {});

  /// x = A⁻¹ x with the last factors.
  void solve(Span x);

  Index size() const { return static_cast<Index>(analysis_.place.size()); }
  /// Stored entries of L.
  std::size_t fill() const { return analysis_.fill; }

private:
  std::span<const Index> rows_of(const Panel& panel) const {
    return {analysis_.rows.data() + panel.first_row, static_cast<std::size_t>(panel.height)};
  }
  void subtract_earlier_panels(Index target);
  void subtract(const Panel& source, Index from, Index until, const Panel& target);
  bool factorise_columns(const Panel& panel, Index first, Index last, const StopTest& stop);
  /// Puts a panel where it will be needed next: before the panel of its row `from`.
  void queue(Index source, Index from);

  PanelAnalysis analysis_;
  std::vector<std::size_t> target_; ///< Of each entry of A, its place in values_.
  Vector values_;
  std::vector<Index> position_; ///< Of each row, its place in the panel at hand.
  std::vector<Index> relative_; ///< Of the rows of an earlier panel, likewise.
  // Earlier panels in lists by the panel that will need them next.
  std::vector<Index> head_, next_, next_row_;
  Vector permuted_, gathered_, packed_;
};

} // namespace talus
