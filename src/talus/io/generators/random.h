#pragma once
// Random numbers that are the same everywhere: the distributions of the standard library differ
// between its implementations, these do not. Only + - * / and square roots are used, which IEEE
// arithmetic rounds alike on every machine.

#include "talus/core/quaternion.h"

#include <cstdint>

namespace talus {

/// The generator splitmix64 (Steele, Lea, Flood 2014): 64 bits of state, every seed is good.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += step);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// As if so many numbers had been drawn.
  void skip(std::uint64_t draws) { state_ += draws * step; }

  /// In [0, 1), a multiple of 2⁻⁵³.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double lower, double upper) { return lower + (upper - lower) * unit(); }
  Vec3 inside(const Vec3& lower, const Vec3& upper) {
    const double x = between(lower.x, upper.x), y = between(lower.y, upper.y);
    return {x, y, between(lower.z, upper.z)};
  }
  /// Uniform over all rotations: a point of the ball in four dimensions, brought to its surface.
  Quaternion rotation() {
    while (true) {
      const double w = between(-1, 1), x = between(-1, 1), y = between(-1, 1), z = between(-1, 1);
      const double square = w * w + x * x + y * y + z * z;
      if (square <= 1 && square > 1e-4) return normalized(Quaternion{w, x, y, z});
    }
  }

private:
  static constexpr std::uint64_t step = 0x9E3779B97F4A7C15u;

  std::uint64_t state_;
};

} // namespace talus
