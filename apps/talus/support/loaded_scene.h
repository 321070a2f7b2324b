#pragma once
// A scene file or checkpoint, opened and ready to be stepped, and the arguments that change it.

#include "stop_signals.h"
#include "talus/io/description/scene_part.h"
#include "talus/io/scene.h"
#include "talus/step/simulation.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace talus::cli {

struct SceneArguments {
  std::string scene;   ///< A scene file, or a checkpoint.
  std::string restart; ///< A checkpoint to go on from; `scene` may then be empty.
  std::vector<std::string> overrides;
  std::string formulation, solver, law, tolerance, max_products; ///< Empty: as the scene says.
  int threads = 0;
};

/// --formulation, --solver, --law, --tol, --max-products, --threads, --set.
void add_scene_options(CLI::App& command, SceneArguments& arguments);

struct LoadedScene {
  Scene scene; ///< Its world has moved into the simulation.
  Simulation simulation;
};

/// Throws FileError for scenes and checkpoints, InvalidArgument for options.
LoadedScene open_scene(const SceneArguments& arguments);

/// A scene of which this process, one of several, has built a part.
struct PartOfScene {
  Scene scene;
  ScenePart part;
  std::optional<SimulationState> state; ///< The block to go on from (io/checkpoint_blocks.h).
};

/// From a scene file, or a checkpoint of blocks. Throws as open_scene() does.
PartOfScene open_scene_part(const SceneArguments& arguments, int rank, int ranks, ScenePart part);

/// While it lives, a signal ends a step that is being solved (StepStopped).
class StoppableSteps {
public:
  StoppableSteps(Simulation& simulation, const StopSignals& signals) : simulation_(simulation) {
    set_stop(signals.flag());
  }
  ~StoppableSteps() { set_stop(nullptr); }
  StoppableSteps(const StoppableSteps&) = delete;
  StoppableSteps& operator=(const StoppableSteps&) = delete;

private:
  void set_stop(const std::atomic<bool>* stop) {
    StepOptions options = simulation_.options();
    options.stop = stop;
    simulation_.set_options(std::move(options));
  }

  Simulation& simulation_;
};

} // namespace talus::cli
