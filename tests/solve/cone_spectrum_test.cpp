#include "support/random_problems.h"
#include "talus/contact/cone_spectrum.h"
#include "talus/contact/second_order_cone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using test::Random;
using test::uniform;

struct Pair {
  double x[3], y[3];
};

Pair pair_at(const double* p, int size, double epsilon) {
  const lorentz::Spectrum spectrum = lorentz::spectrum(p, size, epsilon);
  Pair pair{};
  lorentz::compose(spectrum, spectrum.x, pair.x);
  lorentz::compose(spectrum, spectrum.y, pair.y);
  return pair;
}

TEST(ConeSpectrum, SplitsEveryVectorIntoAPointOfTheCentralPath) {
  Random random(1);
  for (int size : {1, 2, 3})
    for (double epsilon : {1e-2, 1.0, 100.0})
      for (int trial = 0; trial < 50; ++trial) {
        double p[3], product[3];
        for (double& entry : p) entry = uniform(random, -3, 3);
        const Pair pair = pair_at(p, size, epsilon);
        lorentz::multiply(pair.x, pair.y, size, product);
        for (int i = 0; i < size; ++i) {
          EXPECT_NEAR(p[i], pair.x[i] - pair.y[i], 1e-12);
          EXPECT_NEAR(i == 0 ? epsilon : 0.0, product[i], 1e-12 * std::max(1.0, epsilon));
        }
        for (const double* v : {pair.x, pair.y}) {
          EXPECT_GT(v[0], 0);
          EXPECT_GT(lorentz::determinant(v, size), 0);
        }
      }
}

TEST(ConeSpectrum, KeepsTheRelativeAccuracyOfWhatIsSmall) {
  for (double epsilon : {1e-8, 1e-16, 1e-30})
    for (double p : {2.0, -2.0}) {
      const lorentz::Spectrum spectrum = lorentz::spectrum(&p, 1, epsilon);
      EXPECT_NEAR(1, spectrum.x[0] * spectrum.y[0] / epsilon, 1e-14);
      EXPECT_NEAR(1, std::min(spectrum.x[0], spectrum.y[0]) / (epsilon / 2), 1e-7);
    }
}

TEST(ConeSpectrum, SlopesAreThoseOfTheCurve) {
  Random random(2);
  constexpr double epsilon = 0.3, h = 1e-6;
  for (int size : {1, 2, 3})
    for (int trial = 0; trial < 50; ++trial) {
      double p[3], dp[3], ahead[3], behind[3], slope[9], inverse[9];
      for (int i = 0; i < 3; ++i) {
        p[i] = uniform(random, -2, 2);
        dp[i] = uniform(random, -1, 1);
        ahead[i] = p[i] + h * dp[i];
        behind[i] = p[i] - h * dp[i];
      }
      const Pair first = pair_at(behind, size, epsilon), last = pair_at(ahead, size, epsilon);
      const lorentz::Spectrum spectrum = lorentz::spectrum(p, size, epsilon);
      lorentz::slope(spectrum, slope);
      lorentz::inverse_slope(spectrum, inverse);
      for (int i = 0; i < size; ++i) {
        double h_dx = 0, inverse_dy = 0;
        for (int j = 0; j < size; ++j) {
          h_dx += slope[size * i + j] * (last.x[j] - first.x[j]) / (2 * h);
          inverse_dy += inverse[size * i + j] * (last.y[j] - first.y[j]) / (2 * h);
        }
        EXPECT_NEAR(-(last.y[i] - first.y[i]) / (2 * h), h_dx, 1e-6 * (1 + std::abs(h_dx)));
        EXPECT_NEAR(-(last.x[i] - first.x[i]) / (2 * h), inverse_dy,
                    1e-6 * (1 + std::abs(inverse_dy)));
      }
    }
}

TEST(ConeSpectrum, MeasuresChangesRelativeToBothPoints) {
  const double p[3] = {0, 0, 0}, along[3] = {0, 3, 0}, across[3] = {4, 0, 0};
  const lorentz::Spectrum spectrum = lorentz::spectrum(p, 3, 4.0); // x = y = 2 e
  EXPECT_DOUBLE_EQ(0.75, lorentz::relative_change(spectrum, along));
  EXPECT_DOUBLE_EQ(1, lorentz::relative_change(spectrum, across));
}

} // namespace
} // namespace talus
