#include "talus/linalg/block_lu.h"

#include "talus/core/small_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

namespace talus {
namespace {

constexpr int d = 3;

void subtract_product(const LuBlock& a, const LuBlock& b, LuBlock& c) {
  for (int i = 0; i < d; ++i) c[i] -= a[i][0] * b[0] + a[i][1] * b[1] + a[i][2] * b[2];
}

bool is_zero(const LuBlock& a) {
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j)
      if (a[i][j] != 0) return false;
  return true;
}

bool invert(const LuBlock& a, LuBlock& inverse, int& sign) {
  double entries[d * d], inverted[d * d];
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) entries[d * i + j] = a[i][j];
  if (!invert_small(entries, inverted, d, 1e-14)) return false;
  for (int i = 0; i < d; ++i)
    inverse[i] = Lanes4{inverted[d * i], inverted[d * i + 1], inverted[d * i + 2], 0};
  if (determinant(entries, d) < 0) sign = -sign;
  return true;
}

/// Sums of products of rows with vectors.
struct RowSums {
  LuBlock sums = {};
  void add(const LuBlock& a, const Lanes4& x) {
    for (int i = 0; i < d; ++i) sums[i] += a[i] * x;
  }
  Lanes4 total() const {
    const auto sum = [](const Lanes4& x) { return (x[0] + x[1]) + x[2]; };
    return Lanes4{sum(sums[0]), sum(sums[1]), sum(sums[2]), 0};
  }
};

Lanes4 magnitude(const Lanes4& x) {
  return x < 0 ? -x : x;
}

double largest(const Lanes4& x) {
  return std::max({x[0], x[1], x[2]});
}

/// Without a copy of what was there, which would be held beside it.
void set_size(std::vector<LuBlock>& blocks, std::size_t size) {
  if (blocks.capacity() < size) std::vector<LuBlock>().swap(blocks);
  blocks.resize(size);
}

} // namespace

void BlockLu::analyse(BlockPattern pattern) {
  pattern_ = std::move(pattern);
  find_upper();
  find_lower();
  find_panels();
  set_size(matrix_, pattern_.column.size());
  set_size(lower_, lower_pattern_.column.size());
  set_size(upper_, upper_pattern_.column.size());
  set_size(inverse_, size());
  set_size(work_, most_rows * static_cast<std::size_t>(size()));
  for (auto* vector : {&right_, &x_, &r_}) vector->resize(size());
}

/// Row i of U has what row i of the matrix has there, and what its children in the elimination tree
/// hand on.
void BlockLu::find_upper() {
  const Index n = size();
  auto& [start, column] = upper_pattern_;
  std::vector<Index> mark(n, -1), first_child(n, -1), next_child(n, -1);
  start.assign(1, 0);
  column.clear();
  for (Index i = 0; i < n; ++i) {
    const auto take = [&](Index j) {
      if (j <= i || mark[j] == i) return;
      mark[j] = i;
      column.push_back(j);
    };
    for (Index k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k)
      take(pattern_.column[k]);
    for (Index child = first_child[i]; child >= 0; child = next_child[child])
      for (Index k = start[child]; k < start[child + 1]; ++k) take(column[k]);
    std::sort(column.begin() + start[i], column.end());
    if (static_cast<Index>(column.size()) > start[i]) {
      const Index parent = column[start[i]];
      next_child[i] = first_child[parent];
      first_child[parent] = i;
    }
    if (column.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      throw std::bad_alloc(); // the blocks would not fit any memory
    start.push_back(static_cast<Index>(column.size()));
  }
}

/// L has the transposed pattern of U.
void BlockLu::find_lower() {
  const Index n = size();
  auto& [start, column] = lower_pattern_;
  start.assign(n + 1, 0);
  column.resize(upper_pattern_.column.size());
  for (Index j : upper_pattern_.column) ++start[j + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<Index> next(start.begin(), start.end() - 1);
  for (Index i = 0; i < n; ++i)
    for (Index k = upper_pattern_.row_start[i]; k < upper_pattern_.row_start[i + 1]; ++k)
      column[next[upper_pattern_.column[k]]++] = i;
}

/// A panel: rows that follow each other and have the same pattern behind the last of them.
void BlockLu::find_panels() {
  const auto length = [&](Index i) {
    return upper_pattern_.row_start[i + 1] - upper_pattern_.row_start[i];
  };
  const auto continues = [&](Index i) {
    return length(i - 1) == length(i) + 1 &&
           upper_pattern_.column[upper_pattern_.row_start[i - 1]] == i;
  };
  panel_start_.clear();
  panel_of_.resize(size());
  for (Index i = 0; i < size(); ++i) {
    if (i == 0 || i - panel_start_.back() == most_rows || !continues(i)) panel_start_.push_back(i);
    panel_of_[i] = static_cast<Index>(panel_start_.size()) - 1;
  }
  panel_start_.push_back(size());
}

bool BlockLu::factorise(const StopTest& stop) {
  determinant_sign_ = 1;
  for (Index panel = 0; panel + 1 < static_cast<Index>(panel_start_.size()); ++panel) {
    load_rows(panel);
    eliminate_earlier_panels(panel);
    if (eliminate_within(panel) && !is_met(stop)) continue;
    determinant_sign_ = 0;
    return false;
  }
  return true;
}

void BlockLu::load_rows(Index panel) {
  for (Index i = panel_start_[panel]; i < panel_start_[panel + 1]; ++i) {
    LuBlock* row = row_in_work(i - panel_start_[panel]);
    for (Index k = lower_pattern_.row_start[i]; k < lower_pattern_.row_start[i + 1]; ++k)
      row[lower_pattern_.column[k]] = {};
    for (Index k = upper_pattern_.row_start[i]; k < upper_pattern_.row_start[i + 1]; ++k)
      row[upper_pattern_.column[k]] = {};
    for (Index k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k)
      row[pattern_.column[k]] = matrix_[k];
  }
}

/// A row of L that has one pivot of an earlier panel has them all.
void BlockLu::eliminate_earlier_panels(Index panel) {
  const Index first = panel_start_[panel], count = panel_start_[panel + 1] - first;
  std::array<Index, most_rows> next; // of L, row by row
  for (Index r = 0; r < count; ++r) next[r] = lower_pattern_.row_start[first + r];
  const auto next_panel = [&](Index r) {
    return next[r] < lower_pattern_.row_start[first + r + 1]
               ? panel_of_[lower_pattern_.column[next[r]]]
               : panel;
  };
  while (true) {
    Index pivots = panel;
    for (Index r = 0; r < count; ++r) pivots = std::min(pivots, next_panel(r));
    if (pivots == panel) return;
    std::array<Elimination, most_rows> eliminations;
    std::size_t used = 0;
    for (Index r = 0; r < count; ++r) {
      if (next_panel(r) != pivots) continue;
      const Elimination elimination{&lower_[next[r]], row_in_work(r)};
      if (find_factors(pivots, elimination)) eliminations[used++] = elimination;
      next[r] += panel_start_[pivots + 1] - panel_start_[pivots];
    }
    subtract_rows(pivots, {eliminations.data(), used});
  }
}

/// Of the pivots of a panel in a row. False when all are zero.
bool BlockLu::find_factors(Index pivots, const Elimination& elimination) const {
  bool any = false;
  const Index first = panel_start_[pivots], last = panel_start_[pivots + 1];
  for (Index pivot = first; pivot < last; ++pivot) {
    LuBlock& factor = elimination.factors[pivot - first];
    if (is_zero(elimination.row[pivot])) {
      factor = {};
      continue;
    }
    any = true;
    factor = multiply(elimination.row[pivot], inverse_[pivot]);
    const LuBlock* upper = &upper_[upper_pattern_.row_start[pivot]];
    for (Index j = pivot + 1; j < last; ++j)
      subtract_product(factor, upper[j - pivot - 1], elimination.row[j]);
  }
  return any;
}

/// What the pivots of a panel leave in the columns behind it. Some columns at a time, so that their
/// blocks of U stay in the cache for all rows, and each block of a row is read once for all pivots.
void BlockLu::subtract_rows(Index pivots, std::span<const Elimination> eliminations) const {
  constexpr Index at_a_time = 16;
  const Index first = panel_start_[pivots], count = panel_start_[pivots + 1] - first;
  const Index columns_start = upper_pattern_.row_start[first + count - 1],
              columns = upper_pattern_.row_start[first + count] - columns_start;
  std::array<const LuBlock*, most_rows> upper;
  for (Index p = 0; p < count; ++p)
    upper[p] = upper_.data() + upper_pattern_.row_start[first + p] + (count - 1 - p);
  for (Index begin = 0; begin < columns; begin += at_a_time) {
    const Index end = std::min(begin + at_a_time, columns);
    for (const Elimination& elimination : eliminations)
      for (Index k = begin; k < end; ++k) {
        LuBlock& block = elimination.row[upper_pattern_.column[columns_start + k]];
        LuBlock left = block;
        for (Index p = 0; p < count; ++p)
          subtract_product(elimination.factors[p], upper[p][k], left);
        block = left;
      }
  }
}

bool BlockLu::eliminate_within(Index panel) {
  const Index first = panel_start_[panel], last = panel_start_[panel + 1];
  for (Index i = first; i < last; ++i) {
    const LuBlock* pivot_row = row_in_work(i - first);
    const Index start = upper_pattern_.row_start[i], end = upper_pattern_.row_start[i + 1];
    for (Index k = start; k < end; ++k) upper_[k] = pivot_row[upper_pattern_.column[k]];
    if (!invert(pivot_row[i], inverse_[i], determinant_sign_)) return false;
    for (Index j = i + 1; j < last; ++j) {
      LuBlock* row = row_in_work(j - first);
      // The pivots of its own panel are the last ones of a row of L.
      LuBlock& factor = lower_[lower_pattern_.row_start[j + 1] - (j - i)];
      factor = multiply(row[i], inverse_[i]);
      for (Index k = start; k < end; ++k)
        subtract_product(factor, upper_[k], row[upper_pattern_.column[k]]);
    }
  }
  return true;
}

void BlockLu::substitute(std::vector<Lanes4>& x) const {
  const Index n = size();
  for (Index i = 0; i < n; ++i) {
    RowSums known;
    for (Index k = lower_pattern_.row_start[i]; k < lower_pattern_.row_start[i + 1]; ++k)
      known.add(lower_[k], x[lower_pattern_.column[k]]);
    x[i] -= known.total();
  }
  for (Index i = n - 1; i >= 0; --i) {
    RowSums known;
    for (Index k = upper_pattern_.row_start[i]; k < upper_pattern_.row_start[i + 1]; ++k)
      known.add(upper_[k], x[upper_pattern_.column[k]]);
    x[i] = multiply(inverse_[i], x[i] - known.total());
  }
}

/// r = b - A x and the largest |r| / (|A| |x| + |b|) of a block.
double BlockLu::residual(const std::vector<Lanes4>& x, std::vector<Lanes4>& r) const {
  double worst = 0;
  for (Index i = 0; i < size(); ++i) {
    RowSums row, magnitudes;
    for (Index k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k) {
      const LuBlock& a = matrix_[k];
      const Lanes4& factor = x[pattern_.column[k]];
      row.add(a, factor);
      magnitudes.add({magnitude(a[0]), magnitude(a[1]), magnitude(a[2])}, magnitude(factor));
    }
    r[i] = right_[i] - row.total();
    const Lanes4 left = magnitude(r[i]), scale = magnitudes.total() + magnitude(right_[i]);
    const double sum = left[0] + left[1] + left[2];
    if (!std::isfinite(sum)) return sum;
    // Where nothing is multiplied, nothing is left.
    worst = std::max(worst, largest(left) / std::max(largest(scale), 1e-300));
  }
  return worst;
}

bool BlockLu::solve(Span x) {
  constexpr double good = 1e-13, enough = 1e-10;
  constexpr int most_refinements = 4;
  for (Index i = 0; i < size(); ++i) {
    const double* b = &x[d * i];
    right_[i] = x_[i] = Lanes4{b[0], b[1], b[2], 0};
  }
  substitute(x_);
  double error = residual(x_, r_);
  for (int step = 0; step < most_refinements && error > good; ++step) {
    substitute(r_);
    for (Index i = 0; i < size(); ++i) x_[i] += r_[i];
    const double last = std::exchange(error, residual(x_, r_));
    if (!(error < 0.5 * last)) break;
  }
  if (!(error <= enough)) return false;
  for (Index i = 0; i < size(); ++i)
    for (int j = 0; j < d; ++j) x[d * i + j] = x_[i][j];
  return true;
}

} // namespace talus
