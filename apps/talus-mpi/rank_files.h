#pragma once
// The files of a run over ranks.

#include "support/loaded_scene.h"
#include "talus/cluster/rank_simulation.h"

#include <memory>
#include <string>

namespace talus::mpi {

/// All functions are for all ranks together. This class itself is for runs that write none.
class RankFiles {
public:
  RankFiles() = default;
  virtual ~RankFiles() = default;
  RankFiles(const RankFiles&) = delete;
  RankFiles& operator=(const RankFiles&) = delete;

  /// After every step, with or without a checkpoint.
  virtual void record(bool checkpoint) { (void)checkpoint; }
  virtual void finish() {}
};

/// The first rank has the whole world: its recorder sees what the ranks have computed in the
/// simulation of the loaded scene.
std::unique_ptr<RankFiles> files_of_whole_scene(const std::string& folder, cli::LoadedScene& loaded,
                                                RankSimulation& simulation, Ranks& ranks);
/// No rank has it (io/divided/divided_recorder.h).
std::unique_ptr<RankFiles> files_of_divided_scene(const std::string& folder, const Scene& scene,
                                                  RankSimulation& simulation, Ranks& ranks);

} // namespace talus::mpi
