#pragma once
// Elementary functions with the same bits on every machine.
//
// The functions of the C library may differ in their last bit between versions of it, and between
// processors, for which it has different versions of some. These use additions, multiplications,
// divisions and square roots alone, which IEEE 754 fixes to the last bit. Talus uses no others
// (std::sqrt, std::fma, std::floor and the like are exact); tests/repository checks it.
//
// Errors are given in units in the last place of the result (ulp); tests/core/elementary_test.cpp
// compares with long double.

namespace talus {

struct SineCosine {
  double sine, cosine;
};

/// Within 1 ulp, or 1e-18 where that is more, for angles up to 1.6e6 (after the quarter turns are
/// taken off). Larger angles are taken modulo the double nearest to 2π, which costs
/// 4e-17 |angle|. NaN for angles that are not finite.
SineCosine sine_cosine(double angle);
inline double sine(double angle) {
  return sine_cosine(angle).sine;
}
inline double cosine(double angle) {
  return sine_cosine(angle).cosine;
}

/// The angle of the point (x, y) from the x axis, in [-π, π]; as std::atan2, within 3 ulp.
double angle_of(double y, double x);

/// e to the power of x, within 1 ulp; infinite above 709.78, 0 below -745.13.
double exponential(double x);
/// The natural logarithm, within 1 ulp; -infinity for 0, NaN for negative numbers.
double logarithm(double x);

/// sqrt(x² + y²) without overflow and underflow on the way, within 1.5 ulp.
double hypotenuse(double x, double y);

/// The least k with 2^k ≥ x, for positive finite x.
int ceil_log2(double x);

/// base^exponent by repeated multiplication; exponent ≥ 0.
constexpr double power(double base, int exponent) {
  double result = 1;
  for (int k = 0; k < exponent; ++k) result *= base;
  return result;
}

} // namespace talus
