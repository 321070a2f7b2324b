#pragma once
// Axis-aligned bounding boxes.

#include "talus/core/vec3.h"

#include <algorithm>
#include <limits>

namespace talus {

struct Bounds {
  static constexpr double inf = std::numeric_limits<double>::infinity();
  Vec3 lower{inf, inf, inf}, upper{-inf, -inf, -inf}; ///< Empty by default.

  static constexpr Bounds everything() { return {{-inf, -inf, -inf}, {inf, inf, inf}}; }
  constexpr bool empty() const {
    return lower.x > upper.x || lower.y > upper.y || lower.z > upper.z;
  }
  constexpr Vec3 centre() const { return 0.5 * (lower + upper); }
  constexpr Vec3 extents() const { return upper - lower; }
  constexpr void include(const Vec3& p) {
    for (int i = 0; i < 3; ++i) {
      lower[i] = std::min(lower[i], p[i]);
      upper[i] = std::max(upper[i], p[i]);
    }
  }
  constexpr void include(const Bounds& b) {
    include(b.lower);
    include(b.upper);
  }
};

constexpr bool overlap(const Bounds& a, const Bounds& b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
         b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}
/// b grown by `margin` on every side.
constexpr Bounds grown(const Bounds& b, double margin) {
  const Vec3 m{margin, margin, margin};
  return {b.lower - m, b.upper + m};
}

} // namespace talus
