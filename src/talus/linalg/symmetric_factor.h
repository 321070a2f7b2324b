#pragma once
// One factorisation of a sparse symmetric matrix that is filled and factorised many times: positive
// definite ones by SupernodalCholesky, quasi-definite ones by SparseLdl. The ordering and the
// symbolic analysis are kept while the pattern stays the same, also from one solve to the next when
// the solver keeps the object.

#include "talus/core/stop_test.h"
#include "talus/core/types.h"

#include <memory>
#include <vector>

namespace talus {

class SymmetricFactor {
public:
  SymmetricFactor();
  ~SymmetricFactor();

  /// The pattern of the lower triangle in compressed columns, diagonal present and first in its
  /// column, and the sign of each pivot: +1 throughout for positive definite matrices.
  void set_pattern(const std::vector<Index>& column_start, const std::vector<Index>& row,
                   const std::vector<signed char>& sign);

  /// False when the matrix is not positive definite (to working precision), or not finite, or when
  /// the stop test was met.
  bool factorise(ConstSpan value, const StopTest& stop = {});
  /// x = A⁻¹ x.
  void solve(Span x);

  /// How often a pattern was ordered and analysed since the object exists.
  long analyses() const;
  /// Pivots of the last factorisation that had to be replaced (quasi-definite matrices only).
  Index repaired_pivots() const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A symmetric pattern made from the positions that will be added to; a position may occur many
/// times. Positions above the diagonal are mirrored.
class SymmetricPattern {
public:
  explicit SymmetricPattern(Index size);

  /// Notes a position; the answer numbers it among all notes.
  Index note(Index row, Index column);
  /// Sorts and merges; afterwards slot(note) is the place in the values of the lower triangle.
  void finish();

  Index slot(Index note) const { return slot_[note]; }
  const std::vector<Index>& column_start() const { return start_; }
  const std::vector<Index>& row() const { return row_; }
  Index nonzeros() const { return static_cast<Index>(row_.size()); }

private:
  struct Position {
    Index row, column, note;
  };
  Index size_;
  std::vector<Position> positions_;
  std::vector<Index> slot_, start_, row_;
};

} // namespace talus
