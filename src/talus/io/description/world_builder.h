#pragma once
// Builds a world from what describes it, one thing after the other. Front ends use it as they read,
// so that a complaint of the world can be blamed on the line that caused it; build_world() uses it
// for all of a description. There is no other way from a description to a world.

#include "talus/io/description/scene_part.h"
#include "talus/io/world_description.h"

#include <set>

namespace talus {

class WorldBuilder {
public:
  /// Everything but shapes, bodies and joints: gravity, plane, materials.
  void set_surroundings(const WorldDescription& description);
  /// Each throws InvalidArgument and then leaves the world as it was.
  void add(const ShapeDescription& shape);
  void add(const FluidDescription& fluid);
  Index add(const BodyDescription& body);
  Index add(const JointDescription& joint);
  void forbid_contact(const std::string& body_a, const std::string& body_b);
  /// Only checks: worlds have no sensors. Whether there is what they ask for is not checked where
  /// bodies may be missing.
  void add(const SensorDescription& sensor, bool has_all_bodies);

  const World& world() const { return world_; }
  World take() { return std::move(world_); }
  const ShapePtr& shape(Index index) const;

private:
  Index body_named(const std::string& name) const;
  Index joint_named(const std::string& name) const;

  World world_;
  std::vector<ShapePtr> shapes_;
  std::set<std::string> sensor_names_;
};

/// A description and its world, which grow together.
struct WorldDraft {
  WorldDescription description;
  WorldBuilder builder;
  /// Where this process builds some of the bodies only: these are not described.
  ScenePart* part = nullptr;

  /// Adds to the world, and if it agrees to the description. Each returns the index.
  Index add(ShapeDescription shape);
  void add(FluidDescription fluid);
  Index add(BodyDescription body);
  Index add(JointDescription joint);
  void add(SensorDescription sensor);
  void forbid_contact(const std::string& body_a, const std::string& body_b);
  const World& world() const { return builder.world(); }
  const Shape& shape(Index index) const { return *builder.shape(index); }
};

} // namespace talus
