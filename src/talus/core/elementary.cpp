#include "talus/core/elementary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

// Every function reduces its argument to a small interval and sums a Taylor series there, with so
// many terms that what is left out is below rounding.

namespace talus {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// c[0] + z c[1] + z² c[2] + ...
template <std::size_t n>
double horner(double z, const std::array<double, n>& c) {
  double sum = c[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) sum = sum * z + c[k];
  return sum;
}

/// (-1)^k / (first + 2k)!
template <std::size_t n>
constexpr std::array<double, n> alternating_factorials(int first) {
  std::array<double, n> c{};
  double factorial = 1; // exact up to 18!
  int last = 0;
  for (std::size_t k = 0; k < n; ++k) {
    while (last < first + 2 * static_cast<int>(k)) factorial *= ++last;
    c[k] = (k % 2 == 0 ? 1.0 : -1.0) / factorial;
  }
  return c;
}

/// r + r³ (-1/3! + r²/5! - ...) for |r| ≤ π/4, at r + low.
double sine_near_zero(double r, double low) {
  static constexpr auto c = alternating_factorials<8>(3);
  const double z = r * r;
  return r + (low - r * (z * horner(z, c)));
}

/// 1 - r²/2 + r⁴ (1/4! - r²/6! + ...) for |r| ≤ π/4; what 1 - r²/2 loses in rounding is added.
double cosine_near_zero(double r, double low) {
  static constexpr auto c = alternating_factorials<8>(4);
  const double z = r * r, half = 0.5 * z, sum = 1 - half;
  return sum + (((1 - sum) - half) + (z * z * horner(z, c) - r * low));
}

} // namespace

SineCosine sine_cosine(double angle) {
  constexpr double most_quarter_turns = 0x1p20;
  if (!(std::abs(angle) < most_quarter_turns * (std::numbers::pi / 2))) {
    if (!std::isfinite(angle)) return {nan, nan};
    angle = std::fmod(angle, 2 * std::numbers::pi); // exact
  }
  // π/2 = sum of three parts, of which the first two have 32 bits: products with the number of
  // quarter turns are exact (Cody and Waite 1980).
  constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34,
                   third = 0x1.3198a2e037073p-69;
  const double turns = std::floor(angle * (2 / std::numbers::pi) + 0.5);
  const double after_first = angle - turns * first; // exact
  const double after_second = after_first - turns * second;
  const double left = turns * third - ((after_first - after_second) - turns * second);
  const double r = after_second - left, low = (after_second - r) - left;
  const double s = sine_near_zero(r, low), c = cosine_near_zero(r, low);
  switch (static_cast<long>(turns) & 3) {
  case 0:
    return {s, c};
  case 1:
    return {c, -s};
  case 2:
    return {-s, -c};
  default:
    return {-c, s};
  }
}

double angle_of(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return nan;
  const double width = std::abs(x), height = std::abs(y);
  const double shorter = std::min(width, height), longer = std::max(width, height);
  const double ratio = std::isinf(shorter) ? 1 : longer > 0 ? shorter / longer : 0;
  // atan(ratio) = atan(near) + atan((ratio - near) / (1 + near ratio)), near the next eighth.
  static constexpr std::array eighths = {0.0,
                                         0.12435499454676144,
                                         0.24497866312686414,
                                         0.35877067027057225,
                                         0.4636476090008061,
                                         0.5585993153435624,
                                         0.6435011087932844,
                                         0.7188299996216245,
                                         0.7853981633974483};
  const int eighth = static_cast<int>(8 * ratio + 0.5);
  const double near = eighth / 8.0;
  const double t = (ratio - near) / (1 + near * ratio), z = t * t;
  static constexpr std::array c = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13};
  double angle = eighths[eighth] + (t + t * (z * horner(z, c)));
  if (height > width) angle = std::numbers::pi / 2 - angle;
  if (std::signbit(x)) angle = std::numbers::pi - angle;
  return std::copysign(angle, y);
}

namespace {

/// ln 2 = sum of both; the first has 40 bits, so that products with exponents are exact.
constexpr double ln2_first = 0x1.62e42fefa2p-1, ln2_second = 0x1.9ef35793c7673p-41;

} // namespace

double exponential(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.79) return infinity;
  if (x < -745.2) return 0;
  // x = k ln 2 + r with |r| ≤ ln 2 / 2
  const double k = std::floor(x / std::numbers::ln2 + 0.5);
  const double r = (x - k * ln2_first) - k * ln2_second;
  static constexpr auto c = [] {
    std::array<double, 12> inverse_factorials{}; // from 2!
    double factorial = 1;
    for (int n = 2; n < 14; ++n) inverse_factorials[n - 2] = 1 / (factorial *= n);
    return inverse_factorials;
  }();
  return std::ldexp(1 + (r + r * r * horner(r, c)), static_cast<int>(k));
}

double logarithm(double x) {
  if (std::isnan(x) || x < 0) return nan;
  if (x == 0) return -infinity;
  if (std::isinf(x)) return x;
  // x = 2^k (1 + f) with sqrt(1/2) ≤ 1 + f < sqrt(2)
  int k = 0;
  double f = std::frexp(x, &k);
  if (f < std::numbers::sqrt2 / 2) {
    f *= 2;
    --k;
  }
  f -= 1;
  // log(1 + f) = 2 atanh(s) = 2 s + s R with s = f / (2 + f), and 2 s = f - s f
  const double s = f / (2 + f), z = s * s;
  static constexpr auto c = [] {
    std::array<double, 11> odd{};
    for (int n = 0; n < 11; ++n) odd[n] = 2.0 / (2 * n + 3);
    return odd;
  }();
  return k * ln2_first - ((s * (f - z * horner(z, c)) - k * ln2_second) - f);
}

double hypotenuse(double x, double y) {
  const double squares = x * x + y * y;
  if (squares > 1e-280 && squares < 1e290) return std::sqrt(squares);
  if (std::isinf(x) || std::isinf(y)) return infinity;
  const double largest = std::max(std::abs(x), std::abs(y));
  if (largest == 0 || std::isnan(squares)) return squares;
  int exponent = 0;
  std::frexp(largest, &exponent);
  const double a = std::ldexp(x, -exponent), b = std::ldexp(y, -exponent);
  return std::ldexp(std::sqrt(a * a + b * b), exponent);
}

int ceil_log2(double x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5 ? exponent - 1 : exponent;
}

} // namespace talus
