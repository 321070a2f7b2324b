#pragma once
// Generators of scene files: many bodies from few lines (docs/scene.md). Random ones take a seed
// and give the same bodies on every machine.

#include "talus/io/scene/scene_bodies.h"

#include <set>

namespace talus {

/// The section `generators`, in order.
void run_generators(const SceneValue& section, SceneShapes& shapes, WorldDraft& draft);

/// Adds the bodies of one generator, named "prefix 0", "prefix 1", ...
class BodyMaker {
public:
  BodyMaker(const SceneFields& fields, WorldDraft& draft, const std::string& prefix);

  /// `shape` is a number of the draft's; returns the body's, which may have been left out
  /// (scene_part.h): then there is no body of this number.
  Index add(Index shape, const Transform& pose);
  /// A body that never moves, without the generator's traits but its material.
  Index add_fixed(Index shape, const Transform& pose);
  WorldDraft& draft() { return *draft_; }

private:
  bool leaves_out(Index shape);
  BodyDescription next(BodyKind kind, Index shape, const Transform& pose);

  const SceneFields* fields_;
  WorldDraft* draft_;
  std::string prefix_;
  BodyKind kind_;
  long count_ = 0;
  std::set<Index> built_; ///< Shapes of which all processes have built a body.
};

inline constexpr long most_bodies = 10'000'000;
/// `seed`, 1 by default.
std::uint64_t seed_of(const SceneFields& fields);

/// Bodies at random places; scene_packing.cpp.
void make_packing(const SceneFields& fields, SceneShapes& shapes, BodyMaker& maker);

/// Bodies along lines; scene_tracks.cpp.
void make_track(const SceneFields& fields, SceneShapes& shapes, BodyMaker& maker);
void make_path(const SceneFields& fields, SceneShapes& shapes, BodyMaker& maker);

/// The bodies of a checkpoint; scene_settled.cpp.
void add_settled(const SceneFields& fields, SceneSource& source, WorldDraft& draft);

/// Structures that stand by friction; scene_structures.cpp. The fields hold the generator's keys.
void make_wall(const SceneFields& fields, BodyMaker& maker);
void make_arch(const SceneFields& fields, BodyMaker& maker);
void make_dome(const SceneFields& fields, BodyMaker& maker);
void make_card_house(const SceneFields& fields, BodyMaker& maker);

} // namespace talus
