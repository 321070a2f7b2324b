#include "talus/shape/superellipsoid.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/shape/require_positive.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

/// x^n for x ≥ 0.
double raised(double x, double n) {
  return x > 0 ? exponential(n * logarithm(x)) : 0;
}

/// Radius of the surface with unit radii along a direction: its gauge is homogeneous of degree 1.
double reach(const Vec3& d, double n1, double n2) {
  const double around = raised(raised(std::abs(d.x), n2) + raised(std::abs(d.y), n2), n1 / n2);
  return 1 / raised(around + raised(std::abs(d.z), n1), 1 / n1);
}

void check_blockiness(double n) {
  if (!(n >= 1 && n <= 100))
    throw InvalidArgument(
        fmt::format("superellipsoid: the blockiness must be from 1 to 100, not {}", n));
}

/// ln Γ(x) for x > 0: Stirling's series from 20 on, where its last term is 2e-15, and
/// Γ(x) = Γ(x + 1)/x below.
double log_gamma(double x) {
  double product = 1;
  for (; x < 20; ++x) product *= x;
  const double y = 1 / (x * x);
  const double series =
      (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
  return (x - 0.5) * logarithm(x) - x + 0.5 * logarithm(2 * std::numbers::pi) + series -
         logarithm(product);
}

double beta(double a, double b) {
  return exponential(log_gamma(a) + log_gamma(b) - log_gamma(a + b));
}

void check_superellipsoid(const Vec3& radii, double n1, double n2) {
  for (int i = 0; i < 3; ++i) require_positive(radii[i], "superellipsoid", "each radius");
  check_blockiness(n1);
  check_blockiness(n2);
}

} // namespace

/// Directions are those of a grid on the faces of a cube, at equal angles from the middles of
/// faces: edges and corners, where blocky shapes are curved, have points of their own.
std::vector<Vec3> superellipsoid_points(const Vec3& radii, double n1, double n2, int segments) {
  check_superellipsoid(radii, n1, n2);
  if (segments < 2 || segments > 64)
    throw InvalidArgument(
        fmt::format("superellipsoid: the segments must be from 2 to 64, not {}", segments));
  const auto station = [&](int i) {
    if (i == 0 || i == segments) return i == 0 ? -1.0 : 1.0;
    const double angle = std::numbers::pi / 4 * (2.0 * i / segments - 1);
    return sine(angle) / cosine(angle);
  };
  std::vector<Vec3> points;
  for (int i = 0; i <= segments; ++i)
    for (int j = 0; j <= segments; ++j)
      for (int k = 0; k <= segments; ++k) {
        const auto outer = [&](int at) { return at == 0 || at == segments; };
        if (!outer(i) && !outer(j) && !outer(k)) continue;
        const Vec3 d{station(i), station(j), station(k)};
        const double r = reach(d, n1, n2);
        points.push_back({r * radii.x * d.x, r * radii.y * d.y, r * radii.z * d.z});
      }
  return points;
}

ShapePtr make_superellipsoid(const Vec3& radii, double n1, double n2, int segments) {
  return make_convex_hull(superellipsoid_points(radii, n1, n2, segments));
}

double superellipsoid_volume(const Vec3& radii, double n1, double n2) {
  check_superellipsoid(radii, n1, n2);
  const double e1 = 2 / n1, e2 = 2 / n2;
  return 2 * radii.x * radii.y * radii.z * e1 * e2 * beta(e1 / 2 + 1, e1) * beta(e2 / 2, e2 / 2);
}

} // namespace talus
