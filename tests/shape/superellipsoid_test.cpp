// Superellipsoids (shape/superellipsoid.h).

#include "talus/core/error.h"
#include "talus/shape/mass_properties.h"
#include "talus/shape/superellipsoid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace talus {
namespace {

struct Blocky {
  double n1, n2;
};
constexpr Blocky all_kinds[] = {{2, 2}, {1, 1}, {4, 4}, {8, 2}, {2, 8}, {1, 2}, {3, 1.5}};

TEST(Superellipsoids, HaveTheVolumesOfTheShapesTheyContain) {
  const Vec3 r{0.3, 0.2, 0.5};
  const double box = r.x * r.y * r.z, ball = 4 * std::numbers::pi / 3 * box;
  EXPECT_NEAR(superellipsoid_volume(r, 2, 2), ball, 1e-12);          // ellipsoid
  EXPECT_NEAR(superellipsoid_volume(r, 1, 1), 4.0 / 3 * box, 1e-12); // octahedron
  EXPECT_NEAR(superellipsoid_volume(r, 1, 2), ball / 2, 1e-12);      // two cones
  EXPECT_NEAR(superellipsoid_volume(r, 100, 100), 8 * box, 5e-3 * box);
}

TEST(Superellipsoids, PointsLieOnTheSurface) {
  const Vec3 r{0.3, 0.2, 0.5};
  for (const auto [n1, n2] : all_kinds) {
    const auto points = superellipsoid_points(r, n1, n2, 6);
    EXPECT_EQ(points.size(), 6 * 6 * 6 + 2);
    for (const Vec3& p : points) {
      const double around =
          std::pow(std::pow(std::abs(p.x) / r.x, n2) + std::pow(std::abs(p.y) / r.y, n2), n1 / n2);
      EXPECT_NEAR(around + std::pow(std::abs(p.z) / r.z, n1), 1, 1e-12);
    }
  }
}

TEST(Superellipsoids, HullsConvergeWithTheSquareOfTheSegments) {
  const Vec3 r{0.3, 0.2, 0.5};
  for (const auto [n1, n2] : all_kinds) {
    const double exact = superellipsoid_volume(r, n1, n2);
    double before = std::numeric_limits<double>::infinity();
    for (const int segments : {8, 16, 32}) {
      const double volume = mass_properties(*make_superellipsoid(r, n1, n2, segments), 1).mass;
      const double error = 1 - volume / exact;
      EXPECT_GE(error, -1e-12) << n1 << ' ' << n2; // inscribed
      EXPECT_LE(error, std::max(before / 3.5, 1e-12)) << n1 << ' ' << n2 << ' ' << segments;
      before = error;
    }
    EXPECT_LE(before, 3.0 / (32 * 32)) << n1 << ' ' << n2;
  }
}

TEST(Superellipsoids, BadArgumentsAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(make_superellipsoid({0, 1, 1}, 2, 2), InvalidArgument);
  EXPECT_THROW(make_superellipsoid({1, nan, 1}, 2, 2), InvalidArgument);
  EXPECT_THROW(make_superellipsoid({1, 1, 1}, 0.9, 2), InvalidArgument);
  EXPECT_THROW(make_superellipsoid({1, 1, 1}, 2, nan), InvalidArgument);
  EXPECT_THROW(make_superellipsoid({1, 1, 1}, 2, 101), InvalidArgument);
  EXPECT_THROW(make_superellipsoid({1, 1, 1}, 2, 2, 1), InvalidArgument);
}

} // namespace
} // namespace talus
