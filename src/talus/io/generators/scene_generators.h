#pragma once
// Generators of scene files: many bodies from few lines (docs/scene.md). Random ones take a seed
// and give the same bodies on every machine.

#include "talus/io/scene/scene_bodies.h"

#include <array>
#include <set>

namespace talus {

/// The section `generators`, in order.
void run_generators(const SceneValue& section, SceneShapes& shapes, WorldDraft& draft);

inline constexpr Index no_body = -2;
/// That one generator makes of a scene that one process has as a whole.
inline constexpr long most_of_one_process = 10'000'000;

/// Adds the bodies of one generator, named "prefix 0", "prefix 1", ...
class BodyMaker {
public:
  BodyMaker(const SceneFields& fields, WorldDraft& draft, const std::string& prefix);

  /// `shape` is a number of the draft's. Returns the body's; of one that was left out
  /// (scene_part.h) no_body.
  Index add(Index shape, const Transform& pose);
  /// A sphere that shares its shape with nobody.
  Index add_sphere(double radius, const Transform& pose);
  /// A body that is described but for its name, without the generator's traits. Of the bodies of
  /// each list of shapes all processes must build one `everywhere`.
  Index add(BodyDescription body, bool everywhere);
  /// A body that never moves, without the generator's traits but its material.
  Index add_fixed(Index shape, const Transform& pose);
  /// How many of the next bodies, at most so many, this process leaves out before one that it
  /// builds. They count as made. The first body of each shape is never left out.
  Index leave_out(Index shape, Index most);
  /// The same for bodies whose shapes all processes know: so many, of a material of the world.
  Index leave_out_known(Index shapes, Index material, Index most);
  /// All processes build all bodies from now on: joints hold them.
  void build_everywhere() { builds_everywhere_ = true; }
  /// The most bodies that one generator makes in any order: scenes that are built by parts may be
  /// larger than what fits one process.
  long most_bodies() const;
  WorldDraft& draft() { return *draft_; }

private:
  Index traits_material() const;
  BodyDescription next(BodyKind kind, Index shape, const Transform& pose);

  const SceneFields* fields_;
  WorldDraft* draft_;
  std::string prefix_;
  BodyKind kind_;
  long count_ = 0;
  bool builds_everywhere_ = false;
  std::set<Index> built_; ///< Shapes of which all processes have built a body.
};

/// `counts`, of which the product is at most that.
std::array<long, 3> read_counts(const SceneFields& fields, long most);
/// `seed`, 1 by default.
std::uint64_t seed_of(const SceneFields& fields);

/// Bodies at random places; scene_packing.cpp.
void make_packing(const SceneFields& fields, SceneShapes& shapes, BodyMaker& maker);

/// Bodies along lines; scene_tracks.cpp.
void make_track(const SceneFields& fields, SceneShapes& shapes, BodyMaker& maker);
void make_path(const SceneFields& fields, SceneShapes& shapes, BodyMaker& maker);

/// The bodies of a checkpoint; scene_settled.cpp.
WorldDescription read_settled(const SceneFields& fields, SceneSource& source);
/// Adds shapes to the draft, whose parts have numbers among themselves; returns the first one's.
Index add_shapes(std::vector<ShapeDescription> shapes, WorldDraft& draft);
void add_settled(const SceneFields& fields, SceneSource& source, WorldDraft& draft);

/// Images of a settled bed, side by side; scene_tile.cpp.
void make_tile(const SceneFields& fields, SceneSource& source, BodyMaker& maker);

/// Structures that stand by friction; scene_structures.cpp. The fields hold the generator's keys.
void make_wall(const SceneFields& fields, BodyMaker& maker);
void make_arch(const SceneFields& fields, BodyMaker& maker);
void make_dome(const SceneFields& fields, BodyMaker& maker);
void make_card_house(const SceneFields& fields, BodyMaker& maker);

} // namespace talus
