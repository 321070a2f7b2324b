#include "talus/solve/newton/eliminated_blocks.h"

#include "talus/core/small_matrix.h"

#include <algorithm>

namespace talus {

EliminatedBlocks::EliminatedBlocks(const ScaledProblem& problem)
    : layout_(problem), theta_(layout_.entry(layout_.blocks)), start_(problem.size()) {
  const ConstSpan e = problem.delassus().compliance();
  if (e.empty()) return;
  compliance_.assign(e.begin(), e.end());
  for (Index block = 0; block < layout_.blocks; ++block)
    for (int i = 0; i < layout_.size(block); ++i)
      compliance_[layout_.row(block) + i] *= problem.scale()[block] * problem.scale()[block];
}

bool EliminatedBlocks::eliminate(const NewtonMatrices& matrices, ConstSpan rhs) {
  sign_ = 1;
  for (Index block = 0; block < layout_.blocks; ++block) {
    const int n = layout_.size(block);
    const Index row = layout_.row(block);
    const std::size_t entry = layout_.entry(block);
    double a[9], right[12]; // A [Θ start] = right
    if (matrices.c_inverse.empty())
      pose_block(matrices, rhs, block, a, right);
    else
      pose_inverted_block(matrices, rhs, block, a, right);
    if (!compliance_.empty()) sign_ *= sign_of(determinant(a, n));
    if (!solve_small(a, right, n, n + 1)) return false;
    for (int i = 0; i < n; ++i) {
      start_[row + i] = right[(n + 1) * i + n];
      std::copy_n(&right[(n + 1) * i], n, &theta_[entry + n * i]);
    }
  }
  return true;
}

/// A = C + K E, right = [K rhs].
void EliminatedBlocks::pose_block(const NewtonMatrices& matrices, ConstSpan rhs, Index block,
                                  double* a, double* right) const {
  const int n = layout_.size(block);
  const Index row = layout_.row(block);
  const std::size_t entry = layout_.entry(block);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double kij = matrices.k[entry + n * i + j];
      a[n * i + j] =
          matrices.c[entry + n * i + j] + (compliance_.empty() ? 0.0 : kij * compliance_[row + j]);
      right[(n + 1) * i + j] = kij;
    }
    right[(n + 1) * i + n] = rhs[row + i];
  }
}

/// The same times C⁻¹: A = 1 + C⁻¹ K E, right = C⁻¹ [K rhs].
void EliminatedBlocks::pose_inverted_block(const NewtonMatrices& matrices, ConstSpan rhs,
                                           Index block, double* a, double* right) const {
  const int n = layout_.size(block);
  const Index row = layout_.row(block);
  const std::size_t entry = layout_.entry(block);
  for (int i = 0; i < n; ++i) {
    const double* inverse = &matrices.c_inverse[entry + n * i];
    double* out = &right[(n + 1) * i];
    std::fill_n(out, n + 1, 0.0);
    for (int l = 0; l < n; ++l) {
      for (int j = 0; j < n; ++j) out[j] += inverse[l] * matrices.k[entry + n * l + j];
      out[n] += inverse[l] * rhs[row + l];
    }
    for (int j = 0; j < n; ++j)
      a[n * i + j] =
          (i == j ? 1.0 : 0.0) + (compliance_.empty() ? 0.0 : out[j] * compliance_[row + j]);
  }
}

void EliminatedBlocks::subtract_response(Index block, const double* y, Span dz) const {
  const int n = layout_.size(block);
  const double* theta = &theta_[layout_.entry(block)];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) dz[layout_.row(block) + i] -= theta[n * i + j] * y[j];
}

} // namespace talus
