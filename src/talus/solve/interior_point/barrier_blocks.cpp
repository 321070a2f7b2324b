#include "talus/solve/interior_point/barrier_blocks.h"

#include <cmath>

namespace talus {

BarrierBlocks::BarrierBlocks(const ScaledProblem& problem, const std::vector<signed char>& active)
    : layout_(problem), active_(active), free_(layout_.blocks, false),
      compliance_(problem.size(), 0.0) {
  if (const ConstSpan e = problem.delassus().compliance(); !e.empty())
    for (Index block = 0; block < layout_.blocks; ++block)
      for (Index i = layout_.row(block); i < layout_.row(block) + layout_.size(block); ++i)
        compliance_[i] = e[i] * problem.scale()[block] * problem.scale()[block];
  for (Index block = layout_.contacts; block < layout_.blocks; ++block)
    free_[block] = problem.is_free_row(block - layout_.contacts);
}

void BarrierBlocks::stiffness_in_root(Index block, ConstSpan inverse_root, double shift,
                                      double* s) const {
  const int n = layout_.size(block), m = active_[block];
  const double* c = &inverse_root[layout_.entry(block)];
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      double sum = i == j && !free_[block] ? 1 : 0;
      for (int k = 0; k < m; ++k)
        sum += c[n * k + i] * (compliance_[layout_.row(block) + k] + shift) * c[n * k + j];
      s[m * i + j] = sum;
    }
}

bool BarrierBlocks::make_root_theta(Index block, ConstSpan inverse_root, double shift,
                                    Span root) const {
  const int n = layout_.size(block), m = active_[block];
  const double* c = &inverse_root[layout_.entry(block)];
  double* out = &root[layout_.entry(block)];
  double s[max_dimension * max_dimension] = {};
  stiffness_in_root(block, inverse_root, shift, s);
  for (int k = 0; k < m; ++k) {
    for (int j = 0; j < k; ++j) s[m * k + k] -= s[m * k + j] * s[m * k + j];
    if (!(s[m * k + k] > 0)) return false;
    s[m * k + k] = std::sqrt(s[m * k + k]);
    for (int i = k + 1; i < m; ++i) {
      for (int j = 0; j < k; ++j) s[m * i + k] -= s[m * i + j] * s[m * k + j];
      s[m * i + k] /= s[m * k + k];
    }
  }
  for (int i = 0; i < m; ++i)
    for (int k = 0; k < m; ++k) {
      double sum = c[n * i + k];
      for (int j = 0; j < k; ++j) sum -= out[n * i + j] * s[m * k + j];
      out[n * i + k] = sum / s[m * k + k];
    }
  return true;
}

} // namespace talus
