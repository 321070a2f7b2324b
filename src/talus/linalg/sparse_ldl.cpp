#include "talus/linalg/sparse_ldl.h"

#include "talus/linalg/elimination_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus {
void SparseLdl::analyse(std::vector<Index> column_start, std::vector<Index> row) {
  const Index n = static_cast<Index>(column_start.size()) - 1;
  order_ = minimum_degree_order(mirror_triangle(column_start, row));
  std::vector<Index> place(n);
  for (Index k = 0; k < n; ++k) place[order_[k]] = k;

  // Entry (i, j) of the lower triangle goes to column max(place) of the permuted upper triangle.
  start_.assign(n + 1, 0);
  for (Index j = 0; j < n; ++j)
    for (Index k = column_start[j]; k < column_start[j + 1]; ++k)
      ++start_[std::max(place[row[k]], place[j]) + 1];
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  row_.resize(row.size());
  source_.resize(row.size());
  std::vector<Index> next(start_.begin(), start_.end() - 1);
  for (Index j = 0; j < n; ++j)
    for (Index k = column_start[j]; k < column_start[j + 1]; ++k) {
      const Index slot = next[std::max(place[row[k]], place[j])]++;
      row_[slot] = std::min(place[row[k]], place[j]);
      source_[slot] = k;
    }

  // Elimination tree and column counts (Davis 2005).
  parent_.assign(n, -1);
  std::vector<Index> mark(n, -1), count(n, 0);
  for (Index k = 0; k < n; ++k) {
    mark[k] = k;
    for (Index p = start_[k]; p < start_[k + 1]; ++p)
      for (Index i = row_[p]; mark[i] != k; i = parent_[i]) {
        if (parent_[i] < 0) parent_[i] = k;
        ++count[i];
        mark[i] = k;
      }
  }
  l_start_.assign(n + 1, 0);
  std::partial_sum(count.begin(), count.end(), l_start_.begin() + 1);
  l_row_.resize(l_start_.back());
  l_value_.resize(l_start_.back());
  pivot_.resize(n);
  permuted_.resize(n);
}

Index SparseLdl::factorise(ConstSpan value, std::span<const signed char> sign, double smallest,
                           const StopTest& stop) {
  constexpr Index rows_between_looks = 256;
  const Index n = size();
  Vector y(n, 0.0);
  std::vector<Index> mark(n, -1), pattern(n), path(n), filled(n, 0);
  Index replaced = 0;
  for (Index k = 0; k < n; ++k) {
    if (k % rows_between_looks == 0 && is_met(stop)) return -1;
    // The pattern of row k of L: the nodes on the tree paths from the entries of column k.
    Index top = n;
    mark[k] = k;
    for (Index p = start_[k]; p < start_[k + 1]; ++p) {
      y[row_[p]] += value[source_[p]];
      Index length = 0;
      for (Index i = row_[p]; mark[i] != k; i = parent_[i]) {
        path[length++] = i;
        mark[i] = k;
      }
      while (length > 0) pattern[--top] = path[--length];
    }
    double pivot = y[k];
    y[k] = 0;
    for (; top < n; ++top) {
      const Index i = pattern[top];
      const double yi = y[i];
      y[i] = 0;
      const Index end = l_start_[i] + filled[i];
      for (Index p = l_start_[i]; p < end; ++p) y[l_row_[p]] -= l_value_[p] * yi;
      const double lki = yi / pivot_[i];
      pivot -= lki * yi;
      l_row_[end] = k;
      l_value_[end] = lki;
      ++filled[i];
    }
    const double wanted = sign[order_[k]];
    if (!std::isfinite(pivot)) return -1;
    if (pivot * wanted < smallest) {
      pivot = wanted * smallest;
      ++replaced;
    }
    pivot_[k] = pivot;
  }
  return replaced;
}

void SparseLdl::solve(Span x) const {
  const Index n = size();
  for (Index k = 0; k < n; ++k) permuted_[k] = x[order_[k]];
  for (Index k = 0; k < n; ++k)
    for (Index p = l_start_[k]; p < l_start_[k + 1]; ++p)
      permuted_[l_row_[p]] -= l_value_[p] * permuted_[k];
  for (Index k = n - 1; k >= 0; --k) {
    double sum = permuted_[k] / pivot_[k];
    for (Index p = l_start_[k]; p < l_start_[k + 1]; ++p) sum -= l_value_[p] * permuted_[l_row_[p]];
    permuted_[k] = sum;
  }
  for (Index k = 0; k < n; ++k) x[order_[k]] = permuted_[k];
}

} // namespace talus
