#pragma once
// Collision detection: from placed shapes to contact points.
//
// Every pair that comes within the envelope δ is reported, and nothing is dropped or reduced: each
// contact point with gap ≤ δ between two colliders of different bodies, at least one of them
// movable, whose filters accept each other. Polyhedra give clipped manifolds (a box on a plane:
// four points), smooth bodies the closest points.
//
// Results are sorted by (collider_a, collider_b, key) and bitwise equal for every thread count.
// Time is linear in the number of bodies for like-sized bodies in packings of bounded density, and
// bodies of other sizes cost only what they touch. The threads are those of the surrounding
// with_threads.

#include "talus/collide/contact_point.h"
#include "talus/core/error.h"
#include "talus/core/transform.h"
#include "talus/shape/shape.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace talus {

/// A shape in the world. `pose` takes the shape frame to world coordinates.
struct Collider {
  ShapePtr shape;
  Transform pose;
  Index body = 0;
  bool movable = true; ///< False for fixed and kinematic bodies: two such never touch.
  /// Two colliders may touch when each one's group shares a bit with the other's mask.
  std::uint32_t group = 1, mask = ~std::uint32_t{0};
};

/// Two colliders that came near each other and have no rule of contact.
class UnsupportedPair : public Error {
public:
  UnsupportedPair(const std::string& what, Index a, Index b)
      : Error(what), collider_a(a), collider_b(b) {}
  Index collider_a, collider_b;
};

/// Counts of one detection.
struct CollisionReport {
  std::int64_t candidate_pairs = 0; ///< Pairs the broad phase passed on.
  std::int64_t contacts = 0;
};

/// Holds the work space of repeated detections: once warm, like scenes allocate nothing. One
/// detector serves one thread of control at a time.
class CollisionDetector {
public:
  CollisionDetector();
  ~CollisionDetector();
  CollisionDetector(CollisionDetector&&) noexcept;
  CollisionDetector& operator=(CollisionDetector&&) noexcept;

  /// Bodies that never touch each other, for instance because a joint connects them. Order within
  /// a pair does not matter. Replaces the list given before.
  void exclude_body_pairs(std::vector<std::pair<Index, Index>> pairs);

  /// Gives the work space back: the next detection allocates anew.
  void release_memory();

  /// Replaces `contacts` with all contacts of gap ≤ envelope. Throws InvalidArgument for an
  /// envelope that is negative or not finite and for a collider without shape or with a pose that
  /// is not finite, UnsupportedPair for two meshes or height fields that come near each other with
  /// one of them movable (there is no contact rule for them: use hulls or compounds for moving
  /// bodies).
  CollisionReport detect(std::span<const Collider> colliders, double envelope,
                         std::vector<ContactPoint>& contacts);

private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

} // namespace talus
