#pragma once
// Where a straight line passes through a convex body.

#include "talus/core/transform.h"
#include "talus/shape/shape.h"

namespace talus {

/// The points origin + s direction with begin ≤ s ≤ end; begin > end: none.
struct RayInterval {
  double begin = Bounds::inf, end = -Bounds::inf;
};

/// For the convex kinds (is_convex_body); others are not met. The direction has unit length.
RayInterval ray_interval(const Shape& shape, const Transform& pose, const Vec3& origin,
                         const Vec3& direction);

} // namespace talus
