#include "talus/core/sparse_matrix.h"

#include "talus/core/error.h"
#include "talus/core/parallel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

namespace talus {

SparseMatrix zero_matrix(Index rows, Index columns) {
  SparseMatrix a;
  a.rows = rows;
  a.columns = columns;
  a.row_start.assign(static_cast<std::size_t>(rows) + 1, 0);
  return a;
}

SparseMatrix from_triplets(Index rows, Index columns, std::vector<Triplet> entries) {
  for (const Triplet& t : entries)
    if (t.row < 0 || t.row >= rows || t.column < 0 || t.column >= columns)
      throw InvalidProblem("matrix entry (" + std::to_string(t.row) + ", " +
                           std::to_string(t.column) + ") lies outside a " + std::to_string(rows) +
                           " x " + std::to_string(columns) + " matrix");
  const auto before = [](const Triplet& a, const Triplet& b) {
    return std::tie(a.row, a.column) < std::tie(b.row, b.column);
  };
  std::stable_sort(entries.begin(), entries.end(), before);

  SparseMatrix a = zero_matrix(rows, columns);
  a.column.reserve(entries.size());
  a.value.reserve(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Triplet& t = entries[k];
    if (k > 0 && entries[k - 1].row == t.row && entries[k - 1].column == t.column) {
      a.value.back() += t.value;
      continue;
    }
    a.column.push_back(t.column);
    a.value.push_back(t.value);
    ++a.row_start[t.row + 1];
  }
  constexpr std::size_t most = std::numeric_limits<Index>::max();
  if (a.value.size() > most)
    throw InvalidProblem("a matrix has " + std::to_string(a.value.size()) + " entries; at most " +
                         std::to_string(most) + " can be counted");
  for (Index i = 0; i < rows; ++i) a.row_start[i + 1] += a.row_start[i];
  return a;
}

SparseMatrix identity_matrix(Index n) {
  SparseMatrix a = zero_matrix(n, n);
  a.value.assign(n, 1.0);
  a.column.resize(n);
  for (Index i = 0; i < n; ++i) a.column[i] = i, a.row_start[i + 1] = i + 1;
  return a;
}

SparseMatrix transpose(const SparseMatrix& a) {
  SparseMatrix b = zero_matrix(a.columns, a.rows);
  b.column.resize(a.column.size());
  b.value.resize(a.value.size());
  for (Index j : a.column) ++b.row_start[j + 1];
  for (Index j = 0; j < a.columns; ++j) b.row_start[j + 1] += b.row_start[j];
  std::vector<Index> next(b.row_start.begin(), b.row_start.end() - 1);
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      const Index slot = next[a.column[k]]++;
      b.column[slot] = i;
      b.value[slot] = a.value[k];
    }
  return b;
}

SparseMatrix join_columns(const SparseMatrix& a, const SparseMatrix& b) {
  if (b.empty()) return a;
  if (a.empty()) return b;
  assert(a.rows == b.rows);
  SparseMatrix c = zero_matrix(a.rows, a.columns + b.columns);
  c.column.reserve(a.column.size() + b.column.size());
  c.value.reserve(a.value.size() + b.value.size());
  for (Index i = 0; i < a.rows; ++i) {
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      c.column.push_back(a.column[k]);
      c.value.push_back(a.value[k]);
    }
    for (Index k = b.row_start[i]; k < b.row_start[i + 1]; ++k) {
      c.column.push_back(a.columns + b.column[k]);
      c.value.push_back(b.value[k]);
    }
    c.row_start[i + 1] = c.nonzeros();
  }
  return c;
}

SparseMatrix product(const SparseMatrix& a, const SparseMatrix& b) {
  SparseMatrix c = zero_matrix(a.rows, b.columns);
  Vector sum(b.columns, 0.0);
  std::vector<Index> last_row(b.columns, -1), touched;
  for (Index i = 0; i < a.rows; ++i) {
    touched.clear();
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      for (Index l = b.row_start[a.column[k]]; l < b.row_start[a.column[k] + 1]; ++l) {
        const Index j = b.column[l];
        if (last_row[j] != i) {
          last_row[j] = i;
          sum[j] = 0;
          touched.push_back(j);
        }
        sum[j] += a.value[k] * b.value[l];
      }
    std::sort(touched.begin(), touched.end());
    for (Index j : touched) {
      c.column.push_back(j);
      c.value.push_back(sum[j]);
    }
    c.row_start[i + 1] = c.nonzeros();
  }
  return c;
}

void multiply(const SparseMatrix& a, ConstSpan x, Span y) {
  assert(static_cast<Index>(x.size()) == a.columns && static_cast<Index>(y.size()) == a.rows);
  parallel_for(
      a.rows,
      [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          double sum = 0;
          for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
            sum += a.value[k] * x[a.column[k]];
          y[i] = sum;
        }
      },
      256);
}

double entry(const SparseMatrix& a, Index i, Index j) {
  const auto first = a.column.begin() + a.row_start[i],
             last = a.column.begin() + a.row_start[i + 1];
  const auto found = std::lower_bound(first, last, j);
  return found != last && *found == j ? a.value[found - a.column.begin()] : 0.0;
}

double asymmetry(const SparseMatrix& a) {
  double largest = 0, difference = 0;
  // Row i meets its mirror images in the rows above it, each of which has got to column i by then.
  std::vector<Index> next(a.rows);
  const auto compare = [&](double value, double mirrored) {
    difference = std::max(difference, std::abs(value - mirrored));
  };
  for (Index i = 0; i < a.rows; ++i) {
    const Index end = a.row_start[i + 1];
    Index k = a.row_start[i];
    for (; k < end && a.column[k] < i; ++k) {
      const Index above = a.column[k];
      Index& mirror = next[above];
      for (; mirror < a.row_start[above + 1] && a.column[mirror] < i; ++mirror)
        compare(a.value[mirror], 0);
      const bool there = mirror < a.row_start[above + 1] && a.column[mirror] == i;
      compare(a.value[k], there ? a.value[mirror++] : 0.0);
    }
    next[i] = k < end && a.column[k] == i ? k + 1 : k;
  }
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = next[i]; k < a.row_start[i + 1]; ++k) compare(a.value[k], 0);
  for (const double value : a.value) largest = std::max(largest, std::abs(value));
  return largest > 0 ? difference / largest : 0;
}

} // namespace talus
