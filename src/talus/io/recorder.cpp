#include "talus/io/recorder.h"

#include "talus/core/atomic_file.h"
#include "talus/core/error.h"
#include "talus/core/hdf5_file.h"
#include "talus/core/path.h"
#include "talus/io/checkpoint.h"

#include <filesystem>

namespace talus {

RunRecorder::RunRecorder(const std::string& folder, const Scene& scene,
                         const Simulation& simulation)
    : folder_(folder), source_(scene.source), output_(scene.output) {
  make_folder(folder);
  lock_.emplace(folder);
  tidy_up_after_killed_run();
  { const AtomicFile probe(checkpoint_path()); }

  const bool goes_on = simulation.steps() > 0 && has_checkpoints();
  std::optional<KeptFrames> kept;
  if (goes_on) kept = KeptFrames{simulation.steps(), output_.every};
  if (output_.writes(OutputFormat::trajectory))
    trajectory_.emplace(trajectory_path(), scene, simulation.world(), kept);
  if (output_.writes(OutputFormat::csv) || output_.writes(OutputFormat::plot))
    table_.emplace(table_path(), goes_on ? std::optional(simulation.steps()) : std::nullopt);
  if (output_.writes(OutputFormat::paraview))
    paraview_.emplace(folder + "/paraview", scene, simulation.world(), kept);
  if (goes_on) {
    last_frame_ = simulation.steps();
    return;
  }
  // The other files are this run's now. What an earlier one left to go on from must not meet them.
  std::error_code ignored;
  std::filesystem::remove(checkpoint_path(), ignored);
  add_frame(simulation);
}

/// What the last run in the folder left, had it no time to finish.
void RunRecorder::tidy_up_after_killed_run() const {
  for (const std::string& path : {trajectory_path(), table_path(), checkpoint_path()})
    remove_stale_temporaries(path);
  try {
    end_stream_of_killed_writer(trajectory_path());
  } catch (const FileError&) {
    // It is something else or damaged. Whoever reads it says so.
  }
}

void RunRecorder::add_frame(const Simulation& simulation) {
  last_frame_ = simulation.steps(); // a frame that fails is not tried again
  if (table_) table_->flush();
  if (trajectory_) trajectory_->add(simulation);
  if (paraview_) paraview_->add(simulation);
}

void RunRecorder::record(const Simulation& simulation) {
  if (table_) table_->add(simulation.report());
  if (simulation.steps() % output_.every == 0) add_frame(simulation);
}

void RunRecorder::checkpoint(const Simulation& simulation) {
  // Frames come first: a checkpoint never knows steps that the other files do not.
  if (table_) table_->flush();
  if (!has_checkpoints()) return;
  write_checkpoint(checkpoint_path(), source_, simulation.state());
}

void RunRecorder::finish(const Simulation& simulation) {
  if (last_frame_ != simulation.steps()) add_frame(simulation);
  if (paraview_) paraview_->write_index();
  checkpoint(simulation);
  if (trajectory_) trajectory_->close();
}

} // namespace talus
