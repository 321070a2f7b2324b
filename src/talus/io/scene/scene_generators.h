#pragma once
// Generators of scene files: many bodies from few lines (docs/scene.md). Random ones take a seed
// and give the same bodies on every machine.

#include "talus/io/scene/scene_bodies.h"

namespace talus {

/// The section `generators`, in order.
void run_generators(const SceneValue& section, SceneShapes& shapes, World& world);

/// Adds the bodies of one generator, named "prefix 0", "prefix 1", ...
class BodyMaker {
public:
  BodyMaker(const SceneFields& fields, World& world, const std::string& prefix);

  Index add(const ShapePtr& shape, const Transform& pose);
  /// A body that never moves, without the generator's traits but its material.
  Index add_fixed(const ShapePtr& shape, const Transform& pose);
  World& world() { return *world_; }

private:
  BodyBuilder next(BodyKind kind);

  const SceneFields* fields_;
  World* world_;
  std::string prefix_;
  BodyKind kind_;
  long count_ = 0;
};

/// Structures that stand by friction; scene_structures.cpp. The fields hold the generator's keys.
void make_wall(const SceneFields& fields, BodyMaker& maker);
void make_arch(const SceneFields& fields, BodyMaker& maker);
void make_card_house(const SceneFields& fields, BodyMaker& maker);

} // namespace talus
