#pragma once
// Building a scene by several processes, of which each keeps some of the bodies. Every process runs
// the generators, which leave out what other processes keep. Those that place bodies by a formula
// skip them, so that time and memory are those of the part; random packings draw all places.

#include "talus/io/scene.h"
#include "talus/step/collider_runs.h"

#include <functional>
#include <vector>

namespace talus {

struct ScenePart {
  /// The first of the bodies from this number on (in the whole world) that this process keeps,
  /// where a generator makes them.
  std::function<Index(Index number)> next_kept;
  /// Whether the scene describes the bodies that were built: a scene that is included in another.
  bool describes_bodies = false;

  // The result.
  std::vector<Index> numbers;   ///< Of the bodies of the world that was built, ascending.
  std::vector<char> everywhere; ///< Which of them all processes have built, one mark for each.
  ColliderRuns colliders;       ///< Of the whole world.

  bool next_is_everywhere = true; ///< Said by a generator of the body that it adds next.
};

/// As build_scene() of io/scene.h, but its world has a part of the bodies, and there is no
/// description of bodies unless the part says so. Throws InvalidArgument or FileError also for
/// scenes that say something of a body that was left out; they can be built as a whole only.
Scene build_scene_part(SceneSource source, ScenePart& part);

} // namespace talus
