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
  Index placed = -1; ///< Where `Leaves::placed` has its shape; -1 for a sphere on its own.
  std::uint32_t group = 1, mask = 1;
  ShapeKind kind = ShapeKind::sphere;
  bool movable = true;
};

/// A shape in the world; `bounds` is unset for spheres and half-spaces.
struct PlacedShape {
  const Shape* shape = nullptr;
  Transform pose;
  Bounds bounds;
};

/// All leaves. Of a sphere its Leaf tells all, and nothing else is kept of those that are colliders
/// of their own.
struct Leaves {
  std::vector<Leaf> leaf;
  std::vector<PlacedShape> placed;

  const Shape& shape(Index i) const { return *placed[leaf[i].placed].shape; }
  const Transform& pose(Index i) const { return placed[leaf[i].placed].pose; }
  const Bounds& bounds(Index i) const { return placed[leaf[i].placed].bounds; }

  /// Replaces the leaves. Throws InvalidArgument as documented at CollisionDetector::detect.
  void assign(std::span<const Collider> colliders);
  Index count() const { return static_cast<Index>(leaf.size()); }
  /// Without compounds, leaf i is collider i.
  bool one_each() const { return leaf.empty() || leaf.back().collider + 1 == count(); }

private:
  struct First {
    Index leaf, placed;
  };
  std::vector<First> first_; ///< Of each collider.
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
