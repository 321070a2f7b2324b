#pragma once
// Random vectors, poses and shapes for property tests, from a fixed seed.

#include "talus/core/transform.h"
#include "talus/shape/shape.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace talus::test {

class RandomGeometry {
public:
  explicit RandomGeometry(std::uint64_t seed) : engine_(seed) {}

  double uniform(double a, double b) { return std::uniform_real_distribution<>(a, b)(engine_); }
  int integer(int a, int b) { return std::uniform_int_distribution<>(a, b)(engine_); }
  Vec3 vector(double size = 1) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 v = vector();
      const double length = norm(v);
      if (length > 0.1 && length < 1) return v / length;
    }
  }
  Quaternion rotation() { return exponential_map(uniform(0, 3.14159) * direction()); }
  Transform pose(double size = 1) { return {vector(size), rotation()}; }
  Vec3 positive(double low, double high) {
    return {uniform(low, high), uniform(low, high), uniform(low, high)};
  }
  std::vector<Vec3> points(int count, double size = 1) {
    std::vector<Vec3> p;
    for (int i = 0; i < count; ++i) p.push_back(vector(size));
    return p;
  }
  /// A convex body of a size near one.
  ShapePtr convex(ShapeKind kind) {
    switch (kind) {
    case ShapeKind::sphere:
      return make_sphere(uniform(0.3, 1));
    case ShapeKind::box:
      return make_box(positive(0.3, 1));
    case ShapeKind::capsule:
      return make_capsule(uniform(0.2, 0.6), uniform(0.3, 1));
    case ShapeKind::cylinder:
      return make_cylinder(uniform(0.3, 1), uniform(0.3, 1));
    case ShapeKind::ellipsoid:
      return make_ellipsoid(positive(0.3, 1));
    default:
      return make_convex_hull(points(integer(4, 20)));
    }
  }

private:
  std::mt19937_64 engine_;
};

inline constexpr ShapeKind convex_kinds[] = {ShapeKind::sphere,    ShapeKind::box,
                                             ShapeKind::capsule,   ShapeKind::cylinder,
                                             ShapeKind::ellipsoid, ShapeKind::convex_hull};

} // namespace talus::test
