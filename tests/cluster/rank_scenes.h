#pragma once
// Scenes of which each rank builds its part.

#include "cluster/rank_runs.h"
#include "talus/io/description/scene_part.h"
#include "talus/io/scene.h"

#include <algorithm>

namespace talus::test {

/// Files that are in memory are found there first, by their names.
inline SceneSource source_of(const std::string& text, std::vector<SceneFile> files = {}) {
  return {"scene.yaml", text, {}, std::move(files)};
}

struct BuiltPart {
  Scene scene;
  ScenePart part;
};

inline BuiltPart build_part(const SceneSource& source, int rank, int count) {
  BuiltPart built;
  built.part.next_kept = [=](Index number) { return next_owned(number, rank, count); };
  built.scene = build_scene_part(source, built.part);
  return built;
}

/// What a rank has built of a scene, and the simulation that all of them make.
struct PartOfRun {
  Scene scene;
  RankSimulation simulation;
};

inline PartOfRun part_of_run(const SceneSource& source, Ranks& ranks) {
  const int rank = ranks.rank(), count = ranks.count();
  auto [scene, part] = build_part(source, rank, count);
  if (count > 1) {
    EXPECT_LT(scene.world.size(), part.colliders.bodies());
  }
  WorldShare share = share_of(std::move(scene.world), std::move(part.numbers), part.everywhere,
                              std::move(part.colliders), rank, count);
  RankSimulation simulation(std::move(share), scene.options, ranks, small_cells());
  return {std::move(scene), std::move(simulation)};
}

inline Outcome simulate_parts(const SceneSource& source, int ranks, int steps) {
  Outcome outcome;
  run_ranks(ranks, [&](Ranks& r) {
    RankSimulation simulation = part_of_run(source, r).simulation;
    for (int k = 0; k < steps; ++k) {
      simulation.step();
      const std::uint64_t hash = simulation.hash();
      if (r.rank() != 0) continue;
      outcome.hashes.push_back(hash);
      outcome.reports.push_back(simulation.report());
    }
    SimulationState state = simulation.gather_state();
    if (r.rank() == 0) outcome.state = std::move(state);
  });
  return outcome;
}

} // namespace talus::test
