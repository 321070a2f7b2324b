#include "talus/linalg/symmetric_factor.h"

#include "talus/core/vector_ops.h"
#include "talus/linalg/sparse_ldl.h"
#include "talus/linalg/supernodal_cholesky.h"

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

/// Quasi-definite pivots below this are repaired; entries are of the order of 1 in scaled
/// variables.
constexpr double smallest_pivot = 1e-14;

} // namespace

struct SymmetricFactor::Implementation {
  std::vector<Index> start, row;
  std::vector<signed char> sign;
  bool positive_definite = true;
  long analyses = 0;
  Index repaired = 0;
  SupernodalCholesky cholesky;
  SparseLdl ldl;
};

SymmetricFactor::SymmetricFactor() : implementation_(std::make_unique<Implementation>()) {}

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
    self.cholesky.analyse(column_start, row);
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
  return all_finite(value) && self.cholesky.factorise(value, stop);
}

void SymmetricFactor::solve(Span x) {
  Implementation& self = *implementation_;
  if (self.sign.empty()) return;
  if (self.positive_definite)
    self.cholesky.solve(x);
  else
    self.ldl.solve(x);
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
