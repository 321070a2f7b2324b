#pragma once
// LU factors of a sparse matrix in blocks of 3 x 3, of symmetric pattern: the Newton systems of
// contacts in space, or of the velocities and spins of bodies. Pivots are the diagonal blocks in
// their order, so that the pattern of the factors is known beforehand and their blocks stay in SIMD
// registers. Without other pivots the factors of an unlucky matrix are inaccurate: every solution
// is checked.
//
// Cost: 27 multiplications for each pair of blocks that meet. Consecutive rows of the same pattern
// are eliminated together (a panel), and with the pivots of a panel at once, so that blocks are
// multiplied where the cache holds them.

#include "talus/core/lanes.h"
#include "talus/core/stop_test.h"
#include "talus/core/types.h"
#include "talus/linalg/elimination_order.h"

#include <array>
#include <span>
#include <vector>

namespace talus {

/// Row by row; the fourth column is zero.
using LuBlock = std::array<Lanes4, 3>;

inline LuBlock multiply(const LuBlock& a, const LuBlock& b) {
  LuBlock c;
  for (int i = 0; i < 3; ++i) c[i] = a[i][0] * b[0] + a[i][1] * b[1] + a[i][2] * b[2];
  return c;
}
inline Lanes4 multiply(const LuBlock& a, const Lanes4& x) {
  const auto sum = [](const Lanes4& products) { return (products[0] + products[1]) + products[2]; };
  return Lanes4{sum(a[0] * x), sum(a[1] * x), sum(a[2] * x), 0};
}

class BlockLu {
public:
  /// Each row must have its diagonal block.
  void analyse(BlockPattern pattern);
  const BlockPattern& pattern() const { return pattern_; }
  Index size() const { return pattern_.size(); }
  /// Blocks of U beside its diagonal; L has as many.
  std::size_t fill() const { return upper_pattern_.column.size(); }

  /// The blocks of the matrix in the order of the pattern, for the caller to fill in.
  std::vector<LuBlock>& blocks() { return matrix_; }
  /// False when a diagonal block is singular to working precision, or when the stop test, asked
  /// between panels, was met.
  bool factorise(const StopTest& stop = {});
  /// x = A⁻¹ x, three entries per block, with some steps of iterative refinement where rounding
  /// makes them necessary. False, and x is what it was, when they are not enough.
  bool solve(Span x);
  /// Of the determinant of the matrix last factorised.
  int determinant_sign() const { return determinant_sign_; }

private:
  void find_upper();
  void find_lower();
  void find_panels();
  void load_rows(Index panel);
  void eliminate_earlier_panels(Index panel);
  bool eliminate_within(Index panel);
  /// row -= Σ factor · (row of U) over the pivots of a panel.
  struct Elimination {
    LuBlock* factors;
    LuBlock* row;
  };
  bool find_factors(Index pivots, const Elimination& elimination) const;
  void subtract_rows(Index pivots, std::span<const Elimination> eliminations) const;
  LuBlock* row_in_work(Index r) { return &work_[static_cast<std::size_t>(r) * size()]; }
  void substitute(std::vector<Lanes4>& x) const;
  double residual(const std::vector<Lanes4>& x, std::vector<Lanes4>& r) const;

  BlockPattern pattern_;
  std::vector<LuBlock> matrix_;
  int determinant_sign_ = 0;
  BlockPattern lower_pattern_, upper_pattern_;   ///< Beside the diagonal.
  std::vector<LuBlock> lower_, upper_, inverse_; ///< L, U and the inverses of U's diagonal.
  static constexpr Index most_rows = 8;          ///< Of a panel.
  std::vector<Index> panel_start_, panel_of_;
  std::vector<LuBlock> work_; ///< Rows of all columns.
  std::vector<Lanes4> right_, x_, r_;
};

} // namespace talus
