#pragma once
// Leaves: what remains of the colliders once compounds are taken apart. Both phases work on leaves.

#include "talus/collide/collision.h"
#include "talus/shape/bounds.h"

#include <vector>

namespace talus {

/// One cache line: leaves are visited in random order.
struct alignas(64) Leaf {
  Vec3 centre;       ///< Of the bounding sphere, in the world.
  double radius = 0; ///< Infinite for half-spaces. The exact radius for spheres.
  Index collider = 0, child = 0, body = 0;
  std::uint32_t group = 1, mask = 1;
  ShapeKind kind = ShapeKind::sphere;
  bool movable = true;
};

/// Structure of arrays over all leaves. Spheres leave their shape, pose and bounds unset: their
/// Leaf tells all.
struct Leaves {
  std::vector<Leaf> leaf;
  std::vector<const Shape*> shape;
  std::vector<Transform> pose;
  std::vector<Bounds> bounds;

  /// Replaces the leaves. Throws InvalidArgument as documented at CollisionDetector::detect.
  void assign(std::span<const Collider> colliders);
  Index count() const { return static_cast<Index>(leaf.size()); }
  /// Without compounds, leaf i is collider i.
  bool one_each() const { return leaf.empty() || leaf.back().collider + 1 == count(); }

private:
  std::vector<Index> first_leaf_;
};

/// Leaves of two colliders, `first` < `second`.
struct LeafPair {
  Index first = 0, second = 0;
};

inline Bounds bounds_of_sphere(const Leaf& leaf) {
  const Vec3 r{leaf.radius, leaf.radius, leaf.radius};
  return {leaf.centre - r, leaf.centre + r};
}

} // namespace talus
