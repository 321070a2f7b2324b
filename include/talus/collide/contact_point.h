#pragma once
// One contact between two colliders.

#include "talus/core/types.h"
#include "talus/core/vec3.h"

#include <compare>
#include <cstdint>

namespace talus {

/// Names the features (vertex, edge, face, ring point, ...) that touch, unique among the contacts
/// of one collider pair. It stays the same from step to step while the same features touch, so that
/// (collider_a, collider_b, key) finds the impulse of the last step.
struct FeatureKey {
  std::uint64_t children = 0; ///< Child of A (high half) and of B in compounds, else zero.
  std::uint64_t features = 0; ///< Feature of A (high half) and of B.
  auto operator<=>(const FeatureKey&) const = default;
};

/// A pair of closest points.
struct ContactPoint {
  Index collider_a = 0,
        collider_b = 0;         ///< Positions in the collider list, collider_a < collider_b.
  Index body_a = 0, body_b = 0; ///< The bodies of collider_a and collider_b.
  FeatureKey key;
  Vec3 normal;    ///< Unit, from A to B.
  Vec3 point;     ///< Midway between the closest points, in world coordinates.
  double gap = 0; ///< Positive when apart, negative when penetrating (m).

  /// The closest points on the surfaces of A and B, up to rounding.
  Vec3 point_a() const { return point - 0.5 * gap * normal; }
  Vec3 point_b() const { return point + 0.5 * gap * normal; }
};

} // namespace talus
