#pragma once
// Linear systems of one contact's size (n <= 6), row-major, on the stack.

#include <cmath>
#include <type_traits>
#include <utility>

namespace talus {

/// solve_small() for sizes that are ints or, so that loops are unrolled, integral constants.
template <class Size, class Columns>
bool eliminate(double* a, double* b, Size n, Columns columns, double threshold) {
  double largest = 0;
  for (int i = 0; i < n * n; ++i)
    if (std::abs(a[i]) > largest) largest = std::abs(a[i]);
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(a[n * i + k]) > std::abs(a[n * pivot + k])) pivot = i;
    if (!(std::abs(a[n * pivot + k]) > threshold * largest)) return false;
    if (pivot != k) {
      for (int j = 0; j < n; ++j) std::swap(a[n * k + j], a[n * pivot + j]);
      for (int j = 0; j < columns; ++j) std::swap(b[columns * k + j], b[columns * pivot + j]);
    }
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[n * i + k] / a[n * k + k];
      for (int j = k; j < n; ++j) a[n * i + j] -= factor * a[n * k + j];
      for (int j = 0; j < columns; ++j) b[columns * i + j] -= factor * b[columns * k + j];
    }
  }
  for (int k = n - 1; k >= 0; --k)
    for (int j = 0; j < columns; ++j) {
      for (int i = k + 1; i < n; ++i) b[columns * k + j] -= a[n * k + i] * b[columns * i + j];
      b[columns * k + j] /= a[n * k + k];
    }
  return true;
}

/// Solves A X = B in place for `columns` right-hand sides by Gaussian elimination with row
/// pivoting: b holds X on return, a is destroyed. False when a pivot is at most `threshold` times
/// the largest entry of A.
inline bool solve_small(double* a, double* b, int n, int columns, double threshold = 0) {
  return eliminate(a, b, n, columns, threshold);
}

/// Of a matrix of up to three rows.
inline double determinant(const double* a, int n) {
  if (n == 1) return a[0];
  if (n == 2) return a[0] * a[3] - a[1] * a[2];
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
         a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/// inverse = A⁻¹; false (and undefined content) when A is singular to `threshold`.
inline bool invert_small(const double* a, double* inverse, int n, double threshold = 0) {
  double work[36];
  for (int i = 0; i < n * n; ++i) {
    work[i] = a[i];
    inverse[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
  }
  if (n != 3) return solve_small(work, inverse, n, n, threshold);
  constexpr std::integral_constant<int, 3> three;
  return eliminate(work, inverse, three, three, threshold);
}

} // namespace talus
