#pragma once
// Where a ray first meets the surface of one shape.

#include "talus/shape/shape.h"

#include <optional>

namespace talus {

/// A half-line origin + s direction, s ≥ 0, with a direction of unit length.
struct Ray {
  Vec3 origin, direction;
};

struct SurfaceHit {
  double distance = 0;
  Vec3 normal; ///< Unit, against the ray.
};

/// The first surface met from outside within `limit`; open meshes count from both sides. Not for
/// compounds and height fields, which come taken apart (placed_leaf.h).
std::optional<SurfaceHit> first_hit(const Shape& shape, const Transform& pose, const Ray& ray,
                                    double limit);

/// Whether the ray passes through the box before `limit`; `inverse` is 1 / direction, entry by
/// entry. Rounding never loses a box that is met.
inline bool meets(const Bounds& box, const Ray& ray, const Vec3& inverse, double limit) {
  constexpr double slack = 1 + 1e-15;
  double begin = 0, end = limit;
  for (int i = 0; i < 3; ++i) {
    if (ray.direction[i] == 0) {
      if (ray.origin[i] < box.lower[i] || ray.origin[i] > box.upper[i]) return false;
      continue;
    }
    const double a = (box.lower[i] - ray.origin[i]) * inverse[i];
    const double b = (box.upper[i] - ray.origin[i]) * inverse[i];
    begin = std::max(begin, std::min(a, b));
    end = std::min(end, std::max(a, b) * slack);
  }
  return begin <= end;
}

} // namespace talus
