#include "talus/linalg/symmetric_factor.h"

#include "talus/core/serial_blas.h"
#include "talus/core/vector_ops.h"
#include "talus/linalg/eigen_sparse.h"
#include "talus/linalg/metis_lock.h"
#include "talus/linalg/sparse_ldl.h"

#include <Eigen/CholmodSupport>

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

/// Quasi-definite pivots below this are repaired; entries are of the order of 1 in scaled
/// variables.
constexpr double smallest_pivot = 1e-14;

/// The transpose of a pattern in compressed columns, and where its entries are in it.
void transpose_pattern(const std::vector<Index>& column_start, const std::vector<Index>& row,
                       EigenSparse& transposed, std::vector<Index>& slot) {
  const Index n = static_cast<Index>(column_start.size()) - 1;
  std::vector<Index> start(n + 1, 0), column(row.size());
  for (Index i : row) ++start[i + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<Index> next(start.begin(), start.end() - 1);
  slot.resize(row.size());
  for (Index j = 0; j < n; ++j)
    for (Index k = column_start[j]; k < column_start[j + 1]; ++k) {
      slot[k] = next[row[k]]++;
      column[slot[k]] = j;
    }
  const Vector ones(row.size(), 1.0);
  transposed = Eigen::Map<const EigenSparse>(n, n, static_cast<Index>(row.size()), start.data(),
                                             column.data(), ones.data());
}

} // namespace

struct SymmetricFactor::Implementation {
  std::vector<Index> start, row;
  std::vector<signed char> sign;
  bool positive_definite = true;
  long analyses = 0;
  Index repaired = 0;
  /// The positive definite one, as an upper triangle, which CHOLMOD permutes in half the time.
  EigenSparse matrix;
  std::vector<Index> slot; ///< In it, of each entry of the pattern.
  Eigen::CholmodDecomposition<EigenSparse, Eigen::Upper> cholesky;
  SparseLdl ldl;
};

SymmetricFactor::SymmetricFactor() : implementation_(std::make_unique<Implementation>()) {
  auto& cholesky = implementation_->cholesky;
  cholesky.setMode(Eigen::CholmodSupernodalLLt);
  cholesky.cholmod().print = 0;
  cholesky.cholmod().error_handler = nullptr;
}

SymmetricFactor::~SymmetricFactor() = default;

void SymmetricFactor::set_pattern(const std::vector<Index>& column_start,
                                  const std::vector<Index>& row,
                                  const std::vector<signed char>& sign) {
  Implementation& self = *implementation_;
  if (self.analyses > 0 && self.start == column_start && self.row == row && self.sign == sign)
    return;
  self.start = column_start;
  self.row = row;
  self.sign = sign;
  self.positive_definite = std::all_of(sign.begin(), sign.end(), [](int s) { return s > 0; });
  ++self.analyses;
  if (sign.empty()) return;
  if (self.positive_definite) {
    transpose_pattern(self.start, self.row, self.matrix, self.slot);
    const MetisLock turn;
    self.cholesky.analyzePattern(self.matrix);
  } else {
    self.ldl.analyse(column_start, row);
  }
}

bool SymmetricFactor::factorise(ConstSpan value, const StopTest& stop) {
  Implementation& self = *implementation_;
  if (is_met(stop)) return false;
  if (self.sign.empty()) return true;
  if (!self.positive_definite) {
    self.repaired = self.ldl.factorise(value, self.sign, smallest_pivot, stop);
    return self.repaired >= 0;
  }
  if (!all_finite(value)) return false;
  const SerialBlas serial;
  for (std::size_t k = 0; k < value.size(); ++k) self.matrix.valuePtr()[self.slot[k]] = value[k];
  self.cholesky.factorize(self.matrix);
  return self.cholesky.info() == Eigen::Success;
}

void SymmetricFactor::solve(Span x) {
  Implementation& self = *implementation_;
  if (self.sign.empty()) return;
  if (!self.positive_definite) return self.ldl.solve(x);
  Eigen::Map<Eigen::VectorXd> right(x.data(), static_cast<Eigen::Index>(x.size()));
  const SerialBlas serial;
  right = Eigen::VectorXd(self.cholesky.solve(right));
}

long SymmetricFactor::analyses() const {
  return implementation_->analyses;
}

Index SymmetricFactor::repaired_pivots() const {
  return implementation_->repaired;
}

SymmetricPattern::SymmetricPattern(Index size) : size_(size) {
  for (Index i = 0; i < size; ++i) note(i, i);
}

Index SymmetricPattern::note(Index row, Index column) {
  const Index number = static_cast<Index>(positions_.size());
  positions_.push_back({std::max(row, column), std::min(row, column), number});
  return number;
}

void SymmetricPattern::finish() {
  // A counting sort by row, then by column, is stable and linear.
  const auto sort_by = [&](auto key) {
    std::vector<Index> next(size_ + 1, 0);
    for (const Position& p : positions_) ++next[key(p) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<Position> sorted(positions_.size());
    for (const Position& p : positions_) sorted[next[key(p)]++] = p;
    positions_ = std::move(sorted);
  };
  sort_by([](const Position& p) { return p.row; });
  sort_by([](const Position& p) { return p.column; });
  slot_.resize(positions_.size());
  start_.assign(size_ + 1, 0);
  row_.clear();
  const Position* last = nullptr;
  for (const Position& p : positions_) {
    if (!last || last->row != p.row || last->column != p.column) {
      row_.push_back(p.row);
      ++start_[p.column + 1];
    }
    slot_[p.note] = static_cast<Index>(row_.size()) - 1;
    last = &p;
  }
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  positions_.clear();
  positions_.shrink_to_fit();
}

} // namespace talus
