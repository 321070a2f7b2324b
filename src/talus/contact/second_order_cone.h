#pragma once
// The algebra of one second-order (Lorentz) cone L = { x : x_0 >= |(x_1, ..)| } of up to three
// entries, for interior-point methods; with one entry it is the half-line.
//
// x ∘ y = (x·y, x_0 y_1 + y_0 x_1, ..) is the Jordan product, e = (1, 0, ..) its unit and
// det x = x_0² - |x_1|². The Nesterov-Todd scaling of x, y ∈ int L is the symmetric W, a multiple
// of a Lorentz transformation, with W x = W⁻¹ y; H = W² is the only such matrix with H x = y
// (Nesterov, Todd 1997).

#include "talus/core/types.h"

#include <array>

namespace talus::lorentz {

/// Entries beyond the cone's `size` are not used.
using Point = std::array<double, 3>;

double determinant(const double* x, int size);

/// The largest α with x + α dx ∈ L, for x ∈ L; infinite when there is none.
double largest_step(const double* x, const double* dx, int size);

/// q with x ∘ q = r, for x ∈ int L.
void divide(const double* x, const double* r, int size, double* q);

/// p = x ∘ y.
void multiply(const double* x, const double* y, int size, double* p);

struct Scaling {
  Point root{}; ///< v, det v = 1: W = factor (2 v vᵀ - J), J = diag(1, -1, ..).
  double factor = 1;
  int size = 1;

  /// W x and W⁻¹ x.
  void apply(const double* x, double* y) const;
  void apply_inverse(const double* x, double* y) const;
  /// H = W², row-major size x size.
  void square(double* h) const;
};

/// Of x and y, both in int L.
Scaling nesterov_todd(const double* x, const double* y, int size);

} // namespace talus::lorentz
