#include "talus/solve/block_lu.h"

#include "talus/core/small_matrix.h"
#include "talus/problem/eigen_sparse.h"

#include <Eigen/OrderingMethods>

#include <algorithm>
#include <cmath>
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

} // namespace

std::vector<Index> elimination_order(const BlockPattern& pattern) {
  const Index n = pattern.size(), stored = static_cast<Index>(pattern.column.size());
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (static_cast<long>(stored) == static_cast<long>(n) * n) return order;
  const Vector ones(stored, 1.0);
  const EigenSparse matrix = Eigen::Map<const EigenSparse>(n, n, stored, pattern.row_start.data(),
                                                           pattern.column.data(), ones.data());
  Eigen::AMDOrdering<Index>::PermutationType permutation;
  Eigen::AMDOrdering<Index>()(matrix.selfadjointView<Eigen::Upper>(), permutation);
  std::copy_n(permutation.indices().data(), n, order.begin());
  return order;
}

void BlockLu::analyse(BlockPattern pattern) {
  pattern_ = std::move(pattern);
  matrix_.resize(pattern_.column.size());
  find_upper();
  find_lower();
  lower_.resize(lower_pattern_.column.size());
  upper_.resize(upper_pattern_.column.size());
  inverse_.resize(size());
  work_.resize(size());
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

bool BlockLu::factorise() {
  determinant_sign_ = 1;
  for (Index i = 0; i < size(); ++i)
    if (!factorise_row(i)) {
      determinant_sign_ = 0;
      return false;
    }
  return true;
}

bool BlockLu::factorise_row(Index i) {
  for (Index k = lower_pattern_.row_start[i]; k < lower_pattern_.row_start[i + 1]; ++k)
    work_[lower_pattern_.column[k]] = {};
  for (Index k = upper_pattern_.row_start[i]; k < upper_pattern_.row_start[i + 1]; ++k)
    work_[upper_pattern_.column[k]] = {};
  for (Index k = pattern_.row_start[i]; k < pattern_.row_start[i + 1]; ++k)
    work_[pattern_.column[k]] = matrix_[k];
  for (Index k = lower_pattern_.row_start[i]; k < lower_pattern_.row_start[i + 1]; ++k) {
    const Index pivot = lower_pattern_.column[k];
    if (is_zero(work_[pivot])) {
      lower_[k] = {};
      continue;
    }
    const LuBlock factor = multiply(work_[pivot], inverse_[pivot]);
    for (Index l = upper_pattern_.row_start[pivot]; l < upper_pattern_.row_start[pivot + 1]; ++l)
      subtract_product(factor, upper_[l], work_[upper_pattern_.column[l]]);
    lower_[k] = factor;
  }
  for (Index k = upper_pattern_.row_start[i]; k < upper_pattern_.row_start[i + 1]; ++k)
    upper_[k] = work_[upper_pattern_.column[k]];
  return invert(work_[i], inverse_[i], determinant_sign_);
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
    const Lanes4 scale = magnitudes.total() + magnitude(right_[i]);
    // Where nothing is multiplied, nothing is left.
    const double share = largest(magnitude(r[i])) / std::max(largest(scale), 1e-300);
    if (!(share <= worst)) worst = share;
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
