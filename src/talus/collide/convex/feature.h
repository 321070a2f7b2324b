#pragma once
// Names of features, and the contacts of one pair of leaf shapes while they are being found.

#include "talus/collide/contact_point.h"
#include "talus/core/vec3.h"

#include <cstdint>
#include <vector>

namespace talus {

/// What part of a shape touches: a kind in the top three bits and a number among its kind.
using Feature = std::uint32_t;

enum class FeatureKind : std::uint32_t {
  vertex,
  edge,
  face,
  ring,  ///< A fixed point on the rim of a cylinder.
  rim,   ///< The lowest point of a cylinder's rim, wherever it is.
  smooth ///< The closest point of a curved surface.
};

constexpr Feature make_feature(FeatureKind kind, std::uint32_t number = 0) {
  return static_cast<std::uint32_t>(kind) << 29 | number;
}
constexpr std::uint64_t feature_pair(Feature a, Feature b) {
  return static_cast<std::uint64_t>(a) << 32 | b;
}

/// A contact of two leaf shapes, A to B, before it gets the names of its colliders.
struct PairContact {
  std::uint64_t features = 0;
  Vec3 normal, point_a, point_b;
  double gap = 0;
};

/// The same contact seen from B.
inline PairContact swapped(const PairContact& c) {
  return {c.features << 32 | c.features >> 32, -c.normal, c.point_b, c.point_a, c.gap};
}

using PairContacts = std::vector<PairContact>;

} // namespace talus
