#include "talus/contact/cone_spectrum.h"

#include "talus/core/elementary.h"

#include <algorithm>
#include <cmath>

namespace talus::lorentz {
namespace {

/// The matrix with eigenvalues `plus` and `minus` along the spectrum's directions and `across` on
/// tangential vectors that are orthogonal to them.
void fill_matrix(const Spectrum& spectrum, double plus, double minus, double across, double* h) {
  const int n = spectrum.size;
  if (n == 1) {
    h[0] = plus;
    return;
  }
  const double* t = spectrum.direction;
  const double mean = (plus + minus) / 2, half = (plus - minus) / 2;
  h[0] = mean;
  for (int i = 1; i < n; ++i) {
    h[i] = h[n * i] = half * t[i - 1];
    for (int j = 1; j < n; ++j)
      h[n * i + j] = (mean - across) * t[i - 1] * t[j - 1] + (i == j ? across : 0.0);
  }
}

} // namespace

Spectrum spectrum(const double* p, int size, double epsilon) {
  Spectrum s;
  s.size = size;
  double length = 0;
  if (size > 1) {
    length = size == 2 ? std::abs(p[1]) : hypotenuse(p[1], p[2]);
    for (int i = 1; i < size && length > 0; ++i) s.direction[i - 1] = p[i] / length;
  }
  for (int k = 0; k < 2; ++k) {
    const double lambda = k == 0 ? p[0] + length : p[0] - length;
    s.root[k] = hypotenuse(lambda, 2 * std::sqrt(epsilon));
    const double larger = (std::abs(lambda) + s.root[k]) / 2, smaller = epsilon / larger;
    s.x[k] = lambda > 0 ? larger : smaller;
    s.y[k] = lambda > 0 ? smaller : larger;
  }
  return s;
}

void compose(const Spectrum& spectrum, const double* eigenvalue, double* v) {
  if (spectrum.size == 1) {
    v[0] = eigenvalue[0];
    return;
  }
  v[0] = (eigenvalue[0] + eigenvalue[1]) / 2;
  for (int i = 1; i < spectrum.size; ++i)
    v[i] = (eigenvalue[0] - eigenvalue[1]) / 2 * spectrum.direction[i - 1];
}

void slope(const Spectrum& s, double* h) {
  fill_matrix(s, s.y[0] / s.x[0], s.y[1] / s.x[1], (s.y[0] + s.y[1]) / (s.x[0] + s.x[1]), h);
}

void inverse_slope(const Spectrum& s, double* h) {
  fill_matrix(s, s.x[0] / s.y[0], s.x[1] / s.y[1], (s.x[0] + s.x[1]) / (s.y[0] + s.y[1]), h);
}

double relative_change(const Spectrum& s, const double* dp) {
  if (s.size == 1) return std::abs(dp[0]) / s.root[0];
  double along = 0, squared = 0;
  for (int i = 1; i < s.size; ++i) {
    along += s.direction[i - 1] * dp[i];
    squared += dp[i] * dp[i];
  }
  const double across = std::sqrt(std::max(0.0, squared - along * along));
  return std::max({std::abs(dp[0] + along) / s.root[0], std::abs(dp[0] - along) / s.root[1],
                   2 * across / (s.root[0] + s.root[1])});
}

} // namespace talus::lorentz
