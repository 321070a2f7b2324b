#pragma once
// Rays through a world as it lies: what a laser scanner or a picture sees.
//
//     const RayCaster rays(world);                            // for many rays in one state
//     if (const auto hit = rays.cast({0, 0, 5}, {0, 0, -1})) use(hit->body, hit->distance);
//
// Surfaces are met from outside: a ray that begins inside a convex shape, a closed mesh or below a
// plane passes out of it unseen. Open meshes and height fields are met from both sides. Shapes are
// exact, no triangles stand for round ones.

#include "talus/world/world.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

namespace talus {

struct RayHit {
  Index body = 0;
  Index shape = 0;     ///< Among the shapes of the body.
  double distance = 0; ///< From the origin of the ray, m.
  Vec3 point;
  Vec3 normal; ///< Of the surface, unit, against the ray.
};

/// What a ray may meet.
struct RayFilter {
  double max_distance = std::numeric_limits<double>::infinity();
  std::uint32_t mask = ~std::uint32_t{0}; ///< Shapes whose group shares no bit are passed through.
  Index ignore = -2;                      ///< A body that is passed through.
};

/// The shapes of a world in a tree of bounds. It keeps nothing of the world but its shapes, where
/// they were when it was made. O(n log n) to make, some O(log n) per ray. Safe to use from several
/// threads.
class RayCaster {
public:
  explicit RayCaster(const World& world);
  ~RayCaster();
  RayCaster(RayCaster&&) noexcept;
  RayCaster& operator=(RayCaster&&) noexcept;

  /// The nearest surface; of several at the same distance that of the first body. The direction
  /// need not be of unit length. Throws InvalidArgument for a direction of length zero and for
  /// numbers that are not finite.
  std::optional<RayHit> cast(const Vec3& origin, const Vec3& direction,
                             const RayFilter& filter = {}) const;

private:
  struct Tree;
  std::unique_ptr<const Tree> tree_;
};

/// A single ray.
inline std::optional<RayHit> ray_cast(const World& world, const Vec3& origin, const Vec3& direction,
                                      const RayFilter& filter = {}) {
  return RayCaster(world).cast(origin, direction, filter);
}

} // namespace talus
