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
#include "talus/io/output/writer_thread.h"
#include "talus/io/run_folder.h"

#include <optional>

namespace talus {

namespace {

/// Frames that are larger are not copied but written while the simulation waits.
constexpr std::size_t largest_copy = std::size_t{64} << 20;

/// Lines for steps.csv and sensors.csv.
struct TableLines {
  std::string steps, sensors;
};

} // namespace

/// The files of one run while it goes on. After the first frame they belong to the writer's thread;
/// lines of tables gather here until they go with a frame or a checkpoint.
struct RunRecorder::Files {
  Files(const std::string& folder, const Scene& scene, const Simulation& simulation);

  bool has_checkpoints() const { return !source.text.empty() || !description.empty(); }
  void add_lines(const Simulation& simulation, const ForceSums& sums);
  void write_frame(const FrameView& frame, const TableLines& lines);
  void write_checkpoint(const SimulationState& state, const TableLines& lines);
  TableLines take_lines();
  void write_lines(const TableLines& lines);
  void add_frame(const Simulation& simulation);
  void add_checkpoint(const Simulation& simulation);
  void finish(const Simulation& simulation);

  RunFolder folder;
  SceneSource source;
  std::string description; ///< As text; empty of a world that nobody described.
  OutputOptions output;
  std::int64_t last_frame = -1;
  TableLines refused; ///< Lines that the writer did not take; they go with the next frame.
  std::optional<FolderLock> lock;
  std::optional<TrajectoryWriter> trajectory;
  std::optional<StepTable> table;
  std::vector<Sensor> sensors;
  std::vector<double> numbers; ///< Of the sensors.
  std::optional<SensorTable> sensor_table;
  std::optional<ParaviewSeries> paraview;
  WriterThread writer{4}; ///< The last member: it ends before the files do.
};

RunRecorder::Files::Files(const std::string& folder_path, const Scene& scene,
                          const Simulation& simulation)
    : folder{folder_path}, source(scene.source), output(scene.output) {
  if (!scene.description.bodies.empty()) description = description_text(scene.description);
  make_folder(folder.path);
  lock.emplace(folder.path);
  folder.tidy_up_after_killed_run();
  { const AtomicFile probe(folder.checkpoint()); }

  const bool goes_on = simulation.steps() > 0 && has_checkpoints();
  std::optional<KeptFrames> kept;
  if (goes_on) kept = KeptFrames{simulation.steps(), output.every};
  if (output.writes(OutputFormat::trajectory))
    trajectory.emplace(folder.trajectory(), scene, simulation.world(), kept);
  if (output.writes(OutputFormat::csv) || output.writes(OutputFormat::plot))
    table.emplace(folder.step_table(), goes_on ? std::optional(simulation.steps()) : std::nullopt);
  if (output.writes(OutputFormat::csv) && !scene.description.sensors.empty()) {
    for (const SensorDescription& each : scene.description.sensors)
      sensors.emplace_back(each, simulation.world());
    sensor_table.emplace(folder.sensor_table(), scene.description.sensors,
                         goes_on ? std::optional(simulation.steps()) : std::nullopt);
  }
  if (output.writes(OutputFormat::paraview))
    paraview.emplace(folder.paraview(), scene, simulation.world(), kept);
  if (goes_on) {
    last_frame = simulation.steps();
    return;
  }
  folder.remove_what_new_run_replaces(sensor_table.has_value());
  last_frame = simulation.steps();
  write_frame(frame_of(simulation), {});
}

void RunRecorder::Files::add_lines(const Simulation& simulation, const ForceSums& sums) {
  if (table) table->add(simulation.report(), sums);
  if (!sensor_table) return;
  numbers.clear();
  for (const Sensor& sensor : sensors) sensor.read(simulation, numbers);
  sensor_table->add(simulation.steps(), simulation.time(), numbers);
}

TableLines RunRecorder::Files::take_lines() {
  TableLines lines = std::exchange(refused, {});
  if (table) lines.steps += table->take_lines();
  if (sensor_table) lines.sensors += sensor_table->take_lines();
  return lines;
}

void RunRecorder::Files::write_lines(const TableLines& lines) {
  if (table) table->append(lines.steps);
  if (sensor_table) sensor_table->append(lines.sensors);
  if (table) table->flush();
  if (sensor_table) sensor_table->flush();
}

void RunRecorder::Files::write_frame(const FrameView& frame, const TableLines& lines) {
  write_lines(lines);
  if (trajectory) trajectory->add(frame);
  if (paraview) paraview->add(frame);
}

void RunRecorder::Files::write_checkpoint(const SimulationState& state, const TableLines& lines) {
  // Frames come first: a checkpoint never knows steps that the other files do not.
  write_lines(lines);
  if (has_checkpoints()) talus::write_checkpoint(folder.checkpoint(), source, description, state);
}

void RunRecorder::Files::add_frame(const Simulation& simulation) {
  FrameView frame = frame_of(simulation);
  if (frame.bytes() > largest_copy) {
    writer.wait();
    last_frame = frame.step; // a frame that fails is not tried again
    write_frame(frame, take_lines());
    return;
  }
  auto lines = std::make_shared<TableLines>(take_lines());
  const auto copy = std::make_shared<const FrameCopy>(std::move(frame));
  try {
    writer.give([this, copy, lines] { write_frame(copy->view, *lines); });
  } catch (...) {
    refused = std::move(*lines);
    throw;
  }
  last_frame = copy->view.step;
}

void RunRecorder::Files::add_checkpoint(const Simulation& simulation) {
  auto lines = std::make_shared<TableLines>(take_lines());
  const auto state = std::make_shared<const SimulationState>(simulation.state());
  try {
    writer.give([this, state, lines] { write_checkpoint(*state, *lines); });
  } catch (...) {
    refused = std::move(*lines);
    throw;
  }
}

/// All of it is tried, whatever fails.
void RunRecorder::Files::finish(const Simulation& simulation) {
  const TableLines lines = take_lines();
  writer.finish({[&] {
                   if (last_frame != simulation.steps())
                     write_frame(frame_of(simulation), lines);
                   else
                     write_lines(lines);
                 },
                 [&] {
                   if (paraview) paraview->write_index();
                 },
                 [&] { write_checkpoint(simulation.state(), {}); },
                 [&] {
                   if (trajectory) trajectory->close();
                 }});
  last_frame = simulation.steps();
}

RunRecorder::RunRecorder(const std::string& folder, const Scene& scene,
                         const Simulation& simulation)
    : files_(std::make_unique<Files>(folder, scene, simulation)) {}
RunRecorder::~RunRecorder() = default;
RunRecorder::RunRecorder(RunRecorder&&) noexcept = default;
RunRecorder& RunRecorder::operator=(RunRecorder&&) noexcept = default;

std::string RunRecorder::checkpoint_path() const {
  return files_->folder.checkpoint();
}
std::string RunRecorder::table_path() const {
  return files_->folder.step_table();
}

void RunRecorder::record(const Simulation& simulation) {
  record(simulation, files_->table ? force_sums(simulation) : ForceSums());
}

void RunRecorder::record(const Simulation& simulation, const ForceSums& sums) {
  files_->add_lines(simulation, sums);
  if (simulation.steps() % files_->output.every == 0) files_->add_frame(simulation);
}

void RunRecorder::checkpoint(const Simulation& simulation) {
  files_->add_checkpoint(simulation);
}

void RunRecorder::flush() {
  files_->writer.wait();
}

void RunRecorder::finish(const Simulation& simulation) {
  files_->finish(simulation);
}

} // namespace talus
