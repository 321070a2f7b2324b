#pragma once
// GMRES (Saad, Schultz 1986) with a preconditioner on the right that may vary, without restarts.

#include "talus/core/elementary.h"
#include "talus/core/vector_ops.h"

#include <cmath>
#include <utility>
#include <vector>

namespace talus {

/// Work vectors, kept from solve to solve.
struct GmresBasis {
  std::vector<Vector> krylov, preconditioned;
};

/// Finds x with |A x − b| <= tolerance |b| in at most `most` products. precondition(v, s) makes s
/// an approximation of A⁻¹ v and answers whether it could; multiply(v, s, image) makes image = A s
/// for that s. Answers the relative residual, 2 when the preconditioner failed.
template <class Precondition, class Multiply>
double gmres(GmresBasis& basis, ConstSpan b, int most, double tolerance,
             Precondition&& precondition, Multiply&& multiply, Span x) {
  fill(x, 0.0);
  const double size = norm(b);
  if (size == 0) return 0;
  basis.krylov.resize(most + 1, Vector(b.size()));
  basis.preconditioned.resize(most, Vector(b.size()));
  for (auto* set : {&basis.krylov, &basis.preconditioned})
    for (Vector& v : *set) v.resize(b.size());
  combine(1 / size, b, 0.0, b, basis.krylov[0]);
  std::vector<Vector> r; // columns of the triangular factor
  Vector cosine, sine, right = {size};
  int k = 0;
  double residual = 1;
  while (k < most && residual > tolerance) {
    Vector& next = basis.krylov[k + 1];
    if (!precondition(basis.krylov[k], basis.preconditioned[k])) return 2;
    multiply(basis.krylov[k], basis.preconditioned[k], next);
    Vector column(k + 1);
    for (int i = 0; i <= k; ++i) {
      column[i] = dot(next, basis.krylov[i]);
      axpy(-column[i], basis.krylov[i], next);
    }
    const double length = norm(next);
    for (int i = 0; i < k; ++i) {
      const double first = cosine[i] * column[i] + sine[i] * column[i + 1];
      column[i + 1] = cosine[i] * column[i + 1] - sine[i] * column[i];
      column[i] = first;
    }
    const double rotated = hypotenuse(column[k], length);
    if (!(rotated > 0)) break;
    cosine.push_back(column[k] / rotated);
    sine.push_back(length / rotated);
    column[k] = rotated;
    r.push_back(std::move(column));
    right.push_back(-sine[k] * right[k]);
    right[k] *= cosine[k];
    residual = std::abs(right[k + 1]) / size;
    if (length > 0) scale(1 / length, next);
    ++k;
  }
  for (int i = k - 1; i >= 0; --i) {
    for (int j = i + 1; j < k; ++j) right[i] -= r[j][i] * right[j];
    right[i] /= r[i][i];
    axpy(right[i], basis.preconditioned[i], x);
  }
  return residual;
}

} // namespace talus
