#include "talus/step/colliders.h"

#include "talus/step/error.h"

#include <fmt/format.h>

namespace talus {

void list_colliders(const World& world, std::vector<Collider>& colliders) {
  colliders.clear();
  for (Index i = 0; i < world.size(); ++i) {
    const Body& body = world.bodies()[i];
    for (const BodyShape& shape : body.shapes)
      colliders.push_back({.shape = shape.shape,
                           .pose = shape.pose,
                           .body = i,
                           .movable = body.kind == BodyKind::dynamic,
                           .group = body.removed ? 0 : shape.group, // it keeps its number
                           .mask = body.removed ? 0 : shape.mask});
  }
}

void detect_contacts(const World& world, CollisionDetector& detector,
                     std::span<const Collider> colliders, double envelope,
                     std::vector<ContactPoint>& contacts) {
  try {
    detector.detect(colliders, envelope, contacts);
  } catch (const UnsupportedPair& pair) {
    const auto name = [&](Index collider) { return world.bodies()[colliders[collider].body].name; };
    throw ImpossibleStep(fmt::format("bodies '{}' and '{}' come near each other: {}",
                                     name(pair.collider_a), name(pair.collider_b), pair.what()));
  }
}

} // namespace talus
