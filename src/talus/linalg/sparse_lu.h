#pragma once
// LU factors of sparse unsymmetric matrices, by Eigen. Only sparse_lu.cpp sees Eigen's SparseLU: it
// takes long to compile.

#include "talus/linalg/eigen_sparse.h"

#include <memory>
#include <optional>
#include <string>

namespace talus {

/// Matrices that nobody has looked at: entries that are not finite, rows and columns without
/// entries, and matrices without rows are refused.
class SparseLu {
public:
  enum class Pattern {
    /// As Newton systems have it: minimum degree ordering of the pattern, pivots on the diagonal
    /// unless they are small.
    symmetric,
    any, ///< Column ordering (COLAMD), partial pivoting.
  };
  explicit SparseLu(Pattern pattern);
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  /// Orders the columns of matrices with the entries of `a`, which have to be compressed.
  void analyse(const EigenSparse& a);
  /// Of a matrix with the entries of the analysed one; false if it cannot be factorised.
  bool factorise(const EigenSparse& a);
  bool has_factors() const;

  /// x = A⁻¹ x.
  void solve(Span x) const;
  /// x = A'⁻¹ x.
  void solve_transposed(Span x) const;
  /// 1 or -1; 0 for a matrix that could not be factorised.
  int determinant_sign() const;
  /// Why `a` has no factors, or why they are nothing but rounding; nothing if they are good.
  std::optional<std::string> trouble(const EigenSparse& a) const;

  struct Implementation;

private:
  std::unique_ptr<Implementation> implementation_;
};

} // namespace talus
