#pragma once
// Projections on the sets without facets, inline so that a loop over the contacts of one problem
// can choose the set and the dimension once, outside. contact_set.h serves every set by one call.
//
// All kernels read `Dimension` doubles, normal first, before they write: y may be x. They use no
// iteration, no trigonometry and at most one square root. Lengths are right for all magnitudes
// between 1e-300 and 1e300; NaN in gives NaN out (comparisons are arranged so that NaN survives).

#include "talus/core/elementary.h"

#include <cmath>

namespace talus {

/// max(value, 0) that keeps NaN.
inline double positive_part(double value) {
  return value < 0 ? 0 : value;
}

/// The point of [-bound, bound] nearest to value; keeps NaN.
inline double clamp_magnitude(double value, double bound) {
  const double raised = value < -bound ? -bound : value;
  return raised > bound ? bound : raised;
}

/// |(t, o)|. The squares are only trusted where they neither overflow nor lose digits.
inline double planar_length(double t, double o) {
  const double square = t * t + o * o;
  if (square > 1e-290 && square < 1e300) [[likely]]
    return std::sqrt(square);
  if (t == 0 && o == 0) return 0;
  return std::isnan(square) ? square : hypotenuse(t, o);
}

/// |x_t| of a contact; 0 in dimension 1, which has no tangent.
template <int Dimension>
inline double tangential_length(const double* x) {
  static_assert(Dimension >= 1 && Dimension <= 3);
  if constexpr (Dimension == 3) return planar_length(x[1], x[2]);
  if constexpr (Dimension == 2) return std::abs(x[1]);
  return 0;
}

/// K = { r_n >= 0, r_t = 0 }. x_t - x_t is 0 unless x_t is not finite, which must not pass unseen.
template <int Dimension>
inline void project_on_ray(const double* x, double* y) {
  y[0] = positive_part(x[0]);
  for (int i = 1; i < Dimension; ++i) y[i] = x[i] - x[i];
}

/// K = { r_n >= 0, |r_t| <= bound, |r_o| <= bound }.
template <int Dimension>
inline void project_on_box(double bound, const double* x, double* y) {
  y[0] = positive_part(x[0]);
  for (int i = 1; i < Dimension; ++i) y[i] = clamp_magnitude(x[i], bound);
}

/// K = { r_n >= 0, |r_t| <= bound } with the Euclidean length; in the plane this is the box.
template <int Dimension>
inline void project_on_cylinder(double bound, const double* x, double* y) {
  if constexpr (Dimension < 3) {
    project_on_box<Dimension>(bound, x, y);
  } else {
    const double length = tangential_length<3>(x);
    const double divisor = length == 0 ? 1 : length;
    const double shrink = (length > bound ? bound : divisor) / divisor;
    y[0] = positive_part(x[0]);
    y[1] = shrink * x[1];
    y[2] = shrink * x[2];
  }
}

/// K = { |r_t| <= mu r_n }. Outside K and its polar cone { mu |x_t| <= -x_n } the nearest point
/// lies on the ray (1, mu x_t/|x_t|) at height (x_n + mu |x_t|) / (1 + mu²). Inside, dividends and
/// divisors are chosen so that x comes back to the last bit: selecting operands instead of results
/// keeps compilers from branching, which would be mispredicted from contact to contact.
template <int Dimension>
inline void project_on_cone(double mu, const double* x, double* y) {
  const double n = x[0];
  const double length = tangential_length<Dimension>(x);
  // Also true for mu = 0, n < 0, x_t = 0: the positive part below makes that the apex.
  const bool inside = length <= mu * n;
  const double height = positive_part((inside ? n : n + mu * length) / (inside ? 1 : 1 + mu * mu));
  if constexpr (Dimension == 2) y[1] = inside ? x[1] : std::copysign(mu * height, x[1]);
  if constexpr (Dimension == 3) {
    const double divisor = length == 0 ? 1 : length; // a zero length is inside or of height 0
    const double shrink = (inside ? divisor : mu * height) / divisor;
    y[1] = shrink * x[1];
    y[2] = shrink * x[2];
  }
  y[0] = height;
}

} // namespace talus
