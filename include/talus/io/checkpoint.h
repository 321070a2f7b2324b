#pragma once
// Checkpoints: one HDF5 file that holds the scene (text, overrides, the files it names) and the
// state of its simulation. Nothing else is needed to go on, and going on equals never having
// stopped, bit for bit. The layout is described in docs/output.md.

#include "talus/io/scene.h"
#include "talus/step/simulation_state.h"

namespace talus {

struct Checkpoint {
  SceneSource source;
  SimulationState state;
};

/// Replaces the file at `path` in one instant. Throws FileError; an old file is then untouched.
void write_checkpoint(const std::string& path, const SceneSource& source,
                      const SimulationState& state);

/// Throws FileError for anything that is not a whole, consistent checkpoint.
Checkpoint read_checkpoint(const std::string& path);

/// Layout of the scene part, shared with trajectories.
class Hdf5File;
void write_scene_source(Hdf5File& file, const SceneSource& source);

} // namespace talus
