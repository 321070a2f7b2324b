#pragma once
// Checkpoints: one HDF5 file that holds the description of a world (world_description.h) and the
// state of its simulation. Nothing else is needed to go on, and going on equals never having
// stopped, bit for bit. The scene file (text, overrides, the files it names) is kept beside them,
// so that values of the scene can be changed when going on. The layout is in docs/output.md.

#include "talus/io/scene.h"
#include "talus/step/simulation_state.h"

namespace talus {

struct Checkpoint {
  std::string path; ///< For messages.
  SceneSource source;
  std::string description; ///< description_text(); empty in files that only hold the scene file.
  SimulationState state;
  /// The scene file describes the world: of scenes that nobody has as a whole (talus-mpi).
  bool built_from_scene = false;
};

/// Replaces the file at `path` in one instant. Throws FileError; an old file is then untouched.
void write_checkpoint(const std::string& path, const SceneSource& source,
                      const std::string& description, const SimulationState& state);

/// Throws FileError for anything that is not a whole, consistent checkpoint.
Checkpoint read_checkpoint(const std::string& path);

/// The scene of a checkpoint: of its description, in older files of its scene file. Throws as
/// build_scene() does.
Scene scene_of(const Checkpoint& checkpoint);

/// Layout of the scene part, shared with trajectories.
class Hdf5File;
void write_scene_source(Hdf5File& file, const SceneSource& source);

} // namespace talus
