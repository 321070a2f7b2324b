#include "talus/io/recorder.h"

#include "talus/core/error.h"
#include "talus/core/files/atomic_file.h"
#include "talus/core/files/folder_lock.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/core/files/path.h"
#include "talus/io/checkpoint.h"
#include "talus/io/output/paraview.h"
#include "talus/io/output/sensor_table.h"
#include "talus/io/output/step_table.h"
#include "talus/io/output/trajectory.h"

#include <filesystem>
#include <optional>

namespace talus {

/// The files of one run while it goes on.
struct RunRecorder::Files {
  Files(const std::string& folder, const Scene& scene, const Simulation& simulation);

  bool has_checkpoints() const { return !source.text.empty() || !description.empty(); }
  std::string trajectory_path() const { return folder + "/trajectory.h5"; }
  std::string checkpoint_path() const { return folder + "/checkpoint.h5"; }
  std::string table_path() const { return folder + "/steps.csv"; }
  std::string sensor_path() const { return folder + "/sensors.csv"; }
  void tidy_up_after_killed_run() const;
  void flush_tables();
  void add_frame(const Simulation& simulation);
  void write_checkpoint(const Simulation& simulation);

  std::string folder;
  SceneSource source;
  std::string description; ///< As text; empty of a world that nobody described.
  OutputOptions output;
  std::int64_t last_frame = -1;
  std::optional<FolderLock> lock;
  std::optional<TrajectoryWriter> trajectory;
  std::optional<StepTable> table;
  std::optional<SensorTable> sensors;
  std::optional<ParaviewSeries> paraview;
};

RunRecorder::Files::Files(const std::string& folder_path, const Scene& scene,
                          const Simulation& simulation)
    : folder(folder_path), source(scene.source), output(scene.output) {
  if (!scene.description.bodies.empty()) description = description_text(scene.description);
  make_folder(folder);
  lock.emplace(folder);
  tidy_up_after_killed_run();
  { const AtomicFile probe(checkpoint_path()); }

  const bool goes_on = simulation.steps() > 0 && has_checkpoints();
  std::optional<KeptFrames> kept;
  if (goes_on) kept = KeptFrames{simulation.steps(), output.every};
  if (output.writes(OutputFormat::trajectory))
    trajectory.emplace(trajectory_path(), scene, simulation.world(), kept);
  if (output.writes(OutputFormat::csv) || output.writes(OutputFormat::plot))
    table.emplace(table_path(), goes_on ? std::optional(simulation.steps()) : std::nullopt);
  if (output.writes(OutputFormat::csv) && !scene.description.sensors.empty())
    sensors.emplace(sensor_path(), scene.description.sensors, simulation.world(),
                    goes_on ? std::optional(simulation.steps()) : std::nullopt);
  if (output.writes(OutputFormat::paraview))
    paraview.emplace(folder + "/paraview", scene, simulation.world(), kept);
  if (goes_on) {
    last_frame = simulation.steps();
    return;
  }
  // The other files are this run's now. What an earlier one left to go on from must not meet them.
  std::error_code ignored;
  std::filesystem::remove(checkpoint_path(), ignored);
  if (!sensors) std::filesystem::remove(sensor_path(), ignored);
  add_frame(simulation);
}

/// What the last run in the folder left, had it no time to finish.
void RunRecorder::Files::tidy_up_after_killed_run() const {
  for (const std::string& path :
       {trajectory_path(), table_path(), sensor_path(), checkpoint_path()})
    remove_stale_temporaries(path);
  try {
    end_stream_of_killed_writer(trajectory_path());
  } catch (const FileError&) {
    // It is something else or damaged. Whoever reads it says so.
  }
}

void RunRecorder::Files::flush_tables() {
  if (table) table->flush();
  if (sensors) sensors->flush();
}

void RunRecorder::Files::add_frame(const Simulation& simulation) {
  last_frame = simulation.steps(); // a frame that fails is not tried again
  flush_tables();
  if (trajectory) trajectory->add(simulation);
  if (paraview) paraview->add(simulation);
}

void RunRecorder::Files::write_checkpoint(const Simulation& simulation) {
  // Frames come first: a checkpoint never knows steps that the other files do not.
  flush_tables();
  if (!has_checkpoints()) return;
  talus::write_checkpoint(checkpoint_path(), source, description, simulation.state());
}

RunRecorder::RunRecorder(const std::string& folder, const Scene& scene,
                         const Simulation& simulation)
    : files_(std::make_unique<Files>(folder, scene, simulation)) {}
RunRecorder::~RunRecorder() = default;
RunRecorder::RunRecorder(RunRecorder&&) noexcept = default;
RunRecorder& RunRecorder::operator=(RunRecorder&&) noexcept = default;

std::string RunRecorder::checkpoint_path() const {
  return files_->checkpoint_path();
}
std::string RunRecorder::table_path() const {
  return files_->table_path();
}

void RunRecorder::record(const Simulation& simulation) {
  if (files_->table) files_->table->add(simulation.report(), force_sums(simulation));
  if (files_->sensors) files_->sensors->add(simulation);
  if (simulation.steps() % files_->output.every == 0) files_->add_frame(simulation);
}

void RunRecorder::checkpoint(const Simulation& simulation) {
  files_->write_checkpoint(simulation);
}

void RunRecorder::finish(const Simulation& simulation) {
  if (files_->last_frame != simulation.steps()) files_->add_frame(simulation);
  if (files_->paraview) files_->paraview->write_index();
  files_->write_checkpoint(simulation);
  if (files_->trajectory) files_->trajectory->close();
}

} // namespace talus
