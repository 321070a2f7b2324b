#pragma once
// Ranks that build their part of a scene each.

#include "cluster/rank_runs.h"
#include "talus/io/description/scene_part.h"
#include "talus/io/scene.h"

namespace talus::test {

inline SceneSource source_of(const std::string& text) {
  return {"parts.yaml", text, {}, {}};
}

/// What a rank has built of a scene, and the simulation that all of them make.
struct PartOfRun {
  Scene scene;
  RankSimulation simulation;
};

inline PartOfRun part_of_run(const std::string& text, Ranks& ranks) {
  const int rank = ranks.rank(), count = ranks.count();
  ScenePart part;
  part.keeps = [=](Index number) { return first_owner(number, count) == rank; };
  Scene scene = build_scene_part(source_of(text), part);
  if (count > 1) {
    EXPECT_LT(scene.world.size(), part.colliders.bodies());
  }
  WorldShare share = share_of(std::move(scene.world), std::move(part.numbers), part.everywhere,
                              std::move(part.colliders), rank, count);
  RankSimulation simulation(std::move(share), scene.options, ranks, small_cells());
  return {std::move(scene), std::move(simulation)};
}

} // namespace talus::test
