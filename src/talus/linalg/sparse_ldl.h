#pragma once
// Sparse LDLᵀ of symmetric quasi-definite matrices,
//
//     P A Pᵀ = L D Lᵀ,      A = [ A₁  Bᵀ ; B  -A₂ ],   A₁, A₂ positive definite,
//
// which exists for every ordering P (Vanderbei 1995), so that P is chosen for fill alone (minimum
// degree) and pivots are not searched for. The sign of every pivot is known beforehand; a pivot
// that rounding has made tiny or of the wrong sign is replaced by a small one of the right sign and
// counted: whoever solves with the factors corrects the difference by iterative refinement.
//
// Cost: an up-looking factorisation without supernodes, about 1 Gflop/s; for chains, stacks and
// mechanisms, not for large packings.

#include "talus/core/stop_test.h"
#include "talus/core/types.h"

#include <span>
#include <vector>

namespace talus {

class SparseLdl {
public:
  /// Orders and analyses a pattern: the lower triangle of A in compressed columns (row indices
  /// increasing within a column, the diagonal present).
  void analyse(std::vector<Index> column_start, std::vector<Index> row);

  /// Factorises the matrix with these values. `sign` holds +1 or -1 per row, that of its pivot.
  /// Pivots below `smallest` in size, or of the wrong sign, become sign * `smallest`. Returns the
  /// number of pivots replaced, or -1 when the values are not finite or the stop test was met.
  Index factorise(ConstSpan value, std::span<const signed char> sign, double smallest,
                  const StopTest& stop = {});

  /// x = A⁻¹ x with the last factors.
  void solve(Span x) const;

  Index size() const { return static_cast<Index>(order_.size()); }
  /// Entries of L below the diagonal.
  Index fill() const { return l_start_.empty() ? 0 : l_start_.back(); }

private:
  std::vector<Index> order_;           ///< order_[k]: the row of A that is eliminated k-th.
  std::vector<Index> start_, row_;     ///< Upper triangle of P A Pᵀ, column by column.
  std::vector<Index> source_;          ///< Where its entries come from in `value`.
  std::vector<Index> parent_;          ///< Elimination tree.
  std::vector<Index> l_start_, l_row_; ///< L by columns.
  Vector l_value_, pivot_;
  mutable Vector permuted_;
};

} // namespace talus
