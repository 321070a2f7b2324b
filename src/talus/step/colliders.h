#pragma once
// The shapes of a world as collision detection sees them.

#include "talus/collide/collision.h"
#include "talus/world/world.h"

#include <span>
#include <vector>

namespace talus {

/// Replaces `colliders` with the shapes of all bodies, in the order of the bodies. Their poses are
/// still those in the bodies' frames.
void list_colliders(const World& world, std::vector<Collider>& colliders);

/// Detects contacts with gaps up to the envelope between placed colliders of the world. Throws
/// ImpossibleStep that names the bodies where shapes meet that cannot touch.
void detect_contacts(const World& world, CollisionDetector& detector,
                     std::span<const Collider> colliders, double envelope,
                     std::vector<ContactPoint>& contacts);

} // namespace talus
