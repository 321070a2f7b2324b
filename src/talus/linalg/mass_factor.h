#pragma once
// M⁻¹ for a general sparse mass matrix: LDLᵀ with fill-reducing ordering when M is symmetric, LU
// otherwise.

#include "talus/core/sparse_matrix.h"

#include <memory>

namespace talus {

class MassFactor {
public:
  /// Factorises M; throws InvalidProblem when it is singular.
  explicit MassFactor(const SparseMatrix& m);
  ~MassFactor();

  /// y = M⁻¹ x. y may be x.
  void solve(ConstSpan x, Span y) const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

} // namespace talus
