#pragma once
// All files of a run, in one folder:
//
//     trajectory.h5    states and contacts of every recorded step
//     steps.csv        the report of every step
//     sensors.csv      what the scene's sensors measure, if it has any
//     paraview/        bodies.pvd, contacts.pvd and their frames
//     checkpoint.h5    the last checkpoint; none of a world without a description
//
// Killing the process at any moment leaves the last complete frame and checkpoint readable. A
// restart into the same folder goes on with its files: they end up as if the run had never been
// interrupted. A run from the start replaces the files of an earlier one, its checkpoint too. The
// folder is locked meanwhile: two runs never write to one.
//
// Files are written by a thread of their own, in the order of the calls; up to four frames wait for
// it in memory. Trouble with a file is therefore thrown by a later call.

#include "talus/io/scene.h"
#include "talus/step/forces.h"
#include "talus/step/simulation.h"

#include <memory>
#include <string>

namespace talus {

class RunRecorder {
public:
  /// Makes the folder and all files, so that trouble shows before the first step, and records the
  /// present state. A simulation that goes on from a checkpoint (one with a description and steps()
  /// > 0) goes on with the files of the folder instead. Uses the scene's source, description, title
  /// and output options. Throws FileError, also when another recorder is writing to the folder.
  RunRecorder(const std::string& folder, const Scene& scene, const Simulation& simulation);
  ~RunRecorder();
  RunRecorder(RunRecorder&&) noexcept;
  RunRecorder& operator=(RunRecorder&&) noexcept;

  /// To be called after every step; records a frame every `output.every` steps. Throws FileError of
  /// this or an earlier frame; the others are still written.
  void record(const Simulation& simulation);
  /// The same with sums of the step's forces that the caller has made (force_sums() of
  /// step/forces.h).
  void record(const Simulation& simulation, const ForceSums& sums);
  void checkpoint(const Simulation& simulation);
  /// Waits until all that was recorded is in the files.
  void flush();
  /// Records the last step too, brings all files up to date, and writes a checkpoint. Everything is
  /// tried; throws the first FileError at the end.
  void finish(const Simulation& simulation);

  std::string checkpoint_path() const;
  std::string table_path() const;

private:
  struct Files;
  std::unique_ptr<Files> files_;
};

} // namespace talus
