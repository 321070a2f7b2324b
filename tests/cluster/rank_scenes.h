#pragma once
// Scenes of which each rank builds its part.

#include "cluster/rank_runs.h"
#include "talus/io/description/scene_part.h"
#include "talus/io/scene.h"

#include <algorithm>

namespace talus::test {

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

/// The simulation of a rank that has built its part of the scene.
inline RankSimulation simulation_of_part(const SceneSource& source, Ranks& ranks) {
  const int rank = ranks.rank(), count = ranks.count();
  auto [scene, part] = build_part(source, rank, count);
  if (count > 1) {
    EXPECT_LT(scene.world.size(), part.colliders.bodies());
  }
  WorldShare share = share_of(std::move(scene.world), std::move(part.numbers), part.everywhere,
                              std::move(part.colliders), rank, count);
  return RankSimulation(std::move(share), scene.options, ranks, small_cells());
}

inline Outcome simulate_parts(const SceneSource& source, int ranks, int steps) {
  Outcome outcome;
  run_ranks(ranks, [&](Ranks& r) {
    RankSimulation simulation = simulation_of_part(source, r);
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
