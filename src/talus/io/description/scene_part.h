#pragma once
// Building a scene by several processes, of which each keeps some of the bodies. Every process runs
// the generators; those that place like bodies leave out what another process keeps, so that the
// time grows with all bodies, and memory with those of the process.

#include "talus/io/scene.h"
#include "talus/step/collider_runs.h"

#include <functional>
#include <vector>

namespace talus {

struct ScenePart {
  /// Whether this process keeps a body that a generator makes, by its number in the whole world.
  std::function<bool(Index number)> keeps;

  // The result.
  std::vector<Index> numbers;   ///< Of the bodies of the world that was built, ascending.
  std::vector<char> everywhere; ///< Which of them all processes have built, one mark for each.
  ColliderRuns colliders;       ///< Of the whole world.

  bool next_is_everywhere = true; ///< Said by a generator of the body that it adds next.
};

/// As build_scene() of io/scene.h, but its world has a part of the bodies, and there is no
/// description of bodies. Throws InvalidArgument or FileError also for scenes that say something of
/// a body that was left out; they can be built as a whole only.
Scene build_scene_part(SceneSource source, ScenePart& part);

} // namespace talus
