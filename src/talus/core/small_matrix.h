#pragma once
// Linear systems of one contact's size (n <= 6), row-major, on the stack.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace talus {

/// Solves A X = B in place for `columns` right-hand sides by Gaussian elimination with row
/// pivoting: b holds X on return, a is destroyed. False when a pivot is at most `threshold` times
/// the largest entry of A.
inline bool solve_small(double* a, double* b, int n, int columns, double threshold = 0) {
  assert(n >= 0);
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

/// Of a matrix of up to three rows.
inline double determinant(const double* a, int n) {
  assert(n >= 1 && n <= 3);
  if (n == 1) return a[0];
  if (n == 2) return a[0] * a[3] - a[1] * a[2];
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
         a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/// inverse = A⁻¹ of a 3 x 3 matrix by cofactors, which costs one division and no branch; false when
/// the determinant is so small that elimination would be more accurate.
inline bool invert_by_cofactors(const double* a, double* inverse) {
  constexpr double small = 1e-3;
  double largest = 0;
  for (int i = 0; i < 9; ++i) largest = std::max(largest, std::abs(a[i]));
  inverse[0] = a[4] * a[8] - a[5] * a[7];
  inverse[1] = a[2] * a[7] - a[1] * a[8];
  inverse[2] = a[1] * a[5] - a[2] * a[4];
  inverse[3] = a[5] * a[6] - a[3] * a[8];
  inverse[4] = a[0] * a[8] - a[2] * a[6];
  inverse[5] = a[2] * a[3] - a[0] * a[5];
  inverse[6] = a[3] * a[7] - a[4] * a[6];
  inverse[7] = a[1] * a[6] - a[0] * a[7];
  inverse[8] = a[0] * a[4] - a[1] * a[3];
  const double determinant = a[0] * inverse[0] + a[1] * inverse[3] + a[2] * inverse[6];
  if (!(std::abs(determinant) > small * (largest * largest * largest))) return false;
  const double factor = 1 / determinant;
  for (int i = 0; i < 9; ++i) inverse[i] *= factor;
  return true;
}

/// inverse = A⁻¹; false (and undefined content) when A is singular to `threshold`.
inline bool invert_small(const double* a, double* inverse, int n, double threshold = 0) {
  if (n == 3 && invert_by_cofactors(a, inverse)) return true;
  double work[36];
  for (int i = 0; i < n * n; ++i) {
    work[i] = a[i];
    inverse[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
  }
  return solve_small(work, inverse, n, n, threshold);
}

} // namespace talus
