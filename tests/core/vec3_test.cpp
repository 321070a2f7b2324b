#include "talus/core/vec3.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

Vec3 on_sphere(double height, double angle) {
  const double radius = std::sqrt(1 - height * height);
  return {radius * std::cos(angle), radius * std::sin(angle), height};
}

TEST(OrthogonalUnit, IsOrthogonalAndOfLengthOneUpToThePolesAndTheEquator) {
  for (const double height :
       {-1.0, -1 + 1e-15, -0.5, -1e-300, -0.0, 0.0, 1e-300, 0.5, 1 - 1e-15, 1.0})
    for (int k = 0; k < 16; ++k) {
      const Vec3 n = on_sphere(height, k * std::numbers::pi / 8);
      const Vec3 t = orthogonal_unit(n);
      EXPECT_NEAR(dot(n, t), 0, 1e-14) << height << " " << k;
      EXPECT_NEAR(norm(t), 1, 1e-14) << height << " " << k;
    }
}

/// The largest |t(m) - t(n)| over steps along the circle of the given height.
double largest_change_around(double height, int steps) {
  double largest = 0;
  for (int k = 0; k < steps; ++k) {
    const double angle = 2 * std::numbers::pi / steps;
    largest = std::max(largest, norm(orthogonal_unit(on_sphere(height, (k + 1) * angle)) -
                                     orthogonal_unit(on_sphere(height, k * angle))));
  }
  return largest;
}

TEST(OrthogonalUnit, VariesContinuouslyOverEachHalfOfTheSphere) {
  constexpr int steps = 1000;
  for (const double height : {-0.999999, -0.5, -1e-12, 0.0, 1e-12, 0.5, 0.999999})
    EXPECT_LT(largest_change_around(height, steps), 20.0 / steps) << height;
  for (int k = 0; k < steps; ++k) {
    const double up = static_cast<double>(k) / steps, next = up + 1e-9;
    for (const double half : {-1.0, 1.0}) {
      const Vec3 from = on_sphere(half * (up + 1e-12), 0.7), to = on_sphere(half * next, 0.7);
      EXPECT_LT(norm(orthogonal_unit(to) - orthogonal_unit(from)), 1e-6) << half * up;
    }
  }
}

TEST(OrthogonalUnit, JumpsAcrossTheEquator) {
  const Vec3 above = orthogonal_unit({std::sqrt(0.5), std::sqrt(0.5), 0.0});
  const Vec3 below = orthogonal_unit({std::sqrt(0.5), std::sqrt(0.5), -0.0});
  EXPECT_GT(norm(above - below), 0.5);
}

} // namespace
} // namespace talus
