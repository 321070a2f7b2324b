#include "talus/io/divided/divided_recorder.h"

#include "talus/core/error.h"
#include "talus/core/files/folder_lock.h"
#include "talus/core/files/path.h"
#include "talus/io/checkpoint_blocks.h"
#include "talus/io/divided/rank_sensors.h"
#include "talus/io/output/paraview.h"
#include "talus/io/output/sensor_table.h"
#include "talus/io/output/step_table.h"
#include "talus/io/run_folder.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace talus {

struct DividedRecorder::Files {
  Files(const std::string& path, const Scene& scene, RankSimulation& of_run, Ranks& of_all,
        PieceSizes pieces);

  bool is_first() const { return ranks.rank() == 0; }
  /// Work of the first rank alone; all throw what it throws.
  template <class Work>
  void on_first(Work&& work) {
    ranks.together([&] {
      if (is_first()) work();
    });
  }
  bool has_frames() const {
    return output.writes(OutputFormat::trajectory) || output.writes(OutputFormat::paraview);
  }
  void look_at_bodies();
  std::vector<Index> bodies_of_small_world() const;
  void make_small_world();
  void make_trajectory(const Scene& scene);
  void make_tables(const Scene& scene);
  void record_step();
  void write_frame() { pass_step(false, true); }
  void pass_step(bool with_lines, bool with_frame);
  void update_small_world();
  void take_contacts(std::span<const ActingContact> contacts, bool with_frame);
  void take_bodies(const RankSimulation::BodyPiece& piece);
  void add_lines();
  void write_lines();
  void write_checkpoint();
  void finish();

  RunFolder folder;
  SceneSource source;
  OutputOptions output;
  RankSimulation& simulation;
  Ranks& ranks;
  PieceSizes sizes;
  double plane_side = 1;
  bool goes_on = false, has_table = false, has_sensors = false;
  std::optional<KeptFrames> kept;
  std::int64_t last_frame = -1;
  RankSensors sensors;
  std::vector<Index> named, large; ///< Bodies that sensors name; those that all ranks have.

  // On the first rank.
  TableSizes table_sizes;
  bool has_particles = false;
  std::vector<Index> fixed;              ///< The large bodies that do not move by forces.
  std::vector<Wrench> forces_on_large;   ///< Of the step that passes.
  std::optional<Simulation> small_world; ///< Of the large and the named bodies.
  std::optional<FolderLock> lock;
  std::optional<TrajectoryWriter> trajectory;
  std::optional<StepTable> table;
  std::optional<SensorTable> sensor_table;
  std::optional<ParaviewSeries> paraview;
  std::vector<ContactPoint> points; ///< Of contacts on their way.
  std::vector<Vec3> impulses;
  std::vector<double> numbers;
};

DividedRecorder::Files::Files(const std::string& path, const Scene& scene, RankSimulation& of_run,
                              Ranks& of_all, PieceSizes pieces)
    : folder{path}, source(scene.source), output(scene.output), simulation(of_run), ranks(of_all),
      sizes(pieces), plane_side(4 * of_all.max(scene.reach)), goes_on(of_run.steps() > 0),
      has_table(output.writes(OutputFormat::csv) || output.writes(OutputFormat::plot)),
      has_sensors(output.writes(OutputFormat::csv) && !scene.description.sensors.empty()),
      sensors(scene.description.sensors, scene.source.path) {
  if (goes_on) kept = KeptFrames{simulation.steps(), output.every};
  on_first([&] {
    make_folder(folder.path);
    lock.emplace(folder.path);
    folder.tidy_up_after_killed_run();
    const AtomicFile probe(folder.checkpoint());
  });
  if (has_sensors || has_frames()) simulation.keep_contacts();
  look_at_bodies();
  make_small_world();
  make_trajectory(scene);
  make_tables(scene);
  last_frame = simulation.steps();
  if (!goes_on) write_frame();
}

/// All bodies pass once before their tables are made: how much there is in them, and who is named.
void DividedRecorder::Files::look_at_bodies() {
  simulation.for_bodies(sizes.bodies, false, [&](const RankSimulation::BodyPiece& piece) {
    table_sizes.include(piece.bodies, surface_of(piece.bodies, plane_side));
    has_particles = has_particles || !spheres_of(piece.bodies).empty();
    sensors.look_at(piece.first, piece.bodies);
  });
  named = sensors.named_bodies(ranks);
  large = simulation.large_bodies();
}

/// Their numbers in the whole world.
std::vector<Index> DividedRecorder::Files::bodies_of_small_world() const {
  std::vector<Index> bodies;
  std::ranges::set_union(large, named, std::back_inserter(bodies));
  return bodies;
}

void DividedRecorder::Files::make_small_world() {
  World world = simulation.small_world(named);
  on_first([&] {
    small_world.emplace(std::move(world), simulation.options());
    sensors.find(small_world->world());
  });
  const std::vector<Index> in_small_world = bodies_of_small_world();
  for (std::size_t k = 0; small_world && k < in_small_world.size(); ++k)
    if (small_world->world().bodies()[k].kind != BodyKind::dynamic)
      fixed.push_back(in_small_world[k]);
}

void DividedRecorder::Files::make_trajectory(const Scene& scene) {
  if (!output.writes(OutputFormat::trajectory)) return;
  on_first([&] {
    const std::vector<Index> in_small_world = bodies_of_small_world();
    const World& world = small_world->world();
    std::vector<Joint> in_whole_world(world.joints().begin(), world.joints().end());
    for (Joint& joint : in_whole_world)
      for (Index* body : {&joint.body_a, &joint.body_b})
        if (*body != ground) *body = in_small_world[static_cast<std::size_t>(*body)];
    trajectory.emplace(folder.trajectory(), scene, table_sizes, world, in_whole_world);
  });
  simulation.for_bodies(sizes.bodies, false, [&](const RankSimulation::BodyPiece& piece) {
    trajectory->add_bodies(piece.bodies, surface_of(piece.bodies, plane_side));
  });
  on_first([&] { trajectory->begin(kept); });
}

void DividedRecorder::Files::make_tables(const Scene& scene) {
  const auto keep_until = goes_on ? std::optional(simulation.steps()) : std::nullopt;
  on_first([&] {
    if (has_table) table.emplace(folder.step_table(), keep_until);
    if (has_sensors)
      sensor_table.emplace(folder.sensor_table(), scene.description.sensors, keep_until);
    if (output.writes(OutputFormat::paraview))
      paraview.emplace(folder.paraview(), has_particles, simulation.joints() > 0, kept);
    if (!goes_on) folder.remove_what_new_run_replaces(has_sensors);
  });
}

void DividedRecorder::Files::update_small_world() {
  if (simulation.joints() == 0 && !has_sensors) return;
  const SimulationState state = simulation.state_of_small_world(named);
  const RankSimulation::JointAnswers answers = simulation.joint_answers();
  on_first([&] {
    small_world->adopt(state, simulation.report(),
                       {.contacts = {},
                        .impulses = {},
                        .moments = {},
                        .rows = answers.rows,
                        .multipliers = answers.multipliers});
  });
}

void DividedRecorder::Files::record_step() {
  const bool frame = simulation.steps() % output.every == 0;
  if (frame || has_table || has_sensors) pass_step(true, frame);
}

/// With a frame the contacts of the last step pass, and the bodies; for sensors the contacts do.
void DividedRecorder::Files::pass_step(bool with_lines, bool with_frame) {
  if (with_frame) last_frame = simulation.steps(); // a frame that fails is not tried again
  update_small_world();
  on_first([&] {
    const double h = simulation.options().step;
    forces_on_large.assign(large.size(), {});
    sensors.begin(h, simulation.contacts_have_moments());
    if (!with_frame) return;
    const FrameHead head{simulation.steps(), simulation.time(), h, joint_readings(*small_world)};
    if (trajectory) trajectory->begin_frame(head);
    if (paraview) paraview->begin_frame(head);
  });
  if (has_sensors || with_frame)
    simulation.for_contacts(sizes.contacts, [&](std::span<const ActingContact> contacts) {
      take_contacts(contacts, with_frame);
    });
  if (with_lines) add_lines();
  if (!with_frame) return;
  on_first([&] { write_lines(); });
  if (has_frames())
    simulation.for_bodies(sizes.bodies, true,
                          [&](const RankSimulation::BodyPiece& piece) { take_bodies(piece); });
  on_first([&] {
    if (trajectory) trajectory->end_frame();
    if (paraview) paraview->end_frame();
  });
}

void DividedRecorder::Files::take_contacts(std::span<const ActingContact> contacts,
                                           bool with_frame) {
  const double h = simulation.options().step;
  points.clear();
  impulses.clear();
  for (const ActingContact& contact : contacts) {
    const Index a = contact.point.body_a, b = contact.point.body_b;
    for (const bool on_b : {false, true}) {
      const auto found = std::ranges::lower_bound(large, on_b ? b : a);
      if (found != large.end() && *found == (on_b ? b : a))
        add_contact(contact, simulation.contacts_have_moments(), on_b, h,
                    forces_on_large[static_cast<std::size_t>(found - large.begin())]);
    }
    points.push_back(contact.point);
    impulses.push_back(contact.impulse);
  }
  if (has_sensors) sensors.add(contacts, fixed);
  if (with_frame && trajectory) trajectory->add_contacts(points, impulses);
  if (with_frame && paraview) paraview->add_contacts(points, impulses);
}

void DividedRecorder::Files::take_bodies(const RankSimulation::BodyPiece& piece) {
  std::vector<Wrench> forces = piece.forces;
  const auto end = piece.first + static_cast<Index>(piece.bodies.size());
  for (auto k =
           static_cast<std::size_t>(std::ranges::lower_bound(large, piece.first) - large.begin());
       k < large.size() && large[k] < end; ++k)
    forces[static_cast<std::size_t>(large[k] - piece.first)] = forces_on_large[k];
  std::vector<Index> removed;
  for (Index k = piece.first; k < end; ++k)
    if (piece.bodies[static_cast<std::size_t>(k - piece.first)].removed) removed.push_back(k);
  const FramePiece frame{piece.first, piece.states, forces, removed};
  if (trajectory) trajectory->add_bodies(frame);
  if (paraview)
    paraview->add_bodies(frame,
                         {surface_of(piece.bodies, plane_side, false), spheres_of(piece.bodies)});
}

/// They wait in memory for the next frame or checkpoint.
void DividedRecorder::Files::add_lines() {
  numbers.clear();
  if (has_sensors) sensors.read(simulation, small_world ? &*small_world : nullptr, ranks, numbers);
  const ContactSums sums = has_table ? simulation.contact_sums() : ContactSums();
  on_first([&] {
    const double largest_joint = simulation.joints() > 0 ? largest_joint_force(*small_world) : 0;
    if (table) table->add(simulation.report(), {sums.support, sums.largest, largest_joint});
    if (sensor_table) sensor_table->add(simulation.steps(), simulation.time(), numbers);
  });
}

void DividedRecorder::Files::write_lines() {
  if (table) table->append(table->take_lines());
  if (sensor_table) sensor_table->append(sensor_table->take_lines());
  if (table) table->flush();
  if (sensor_table) sensor_table->flush();
}

/// Frames and lines come first: a checkpoint never knows steps that the other files do not.
void DividedRecorder::Files::write_checkpoint() {
  on_first([&] { write_lines(); });
  const SimulationState block = simulation.block_of_state();
  std::optional<AtomicFile> target;
  on_first([&] {
    target.emplace(folder.checkpoint());
    begin_checkpoint_of_blocks(*target, source, block);
  });
  Bytes name;
  if (target)
    for (const char letter : target->temporary_path()) append(name, letter);
  const std::vector<char> letters = values_in<char>(ranks.gather(name)[0]);
  for (int next = 1; next < ranks.count(); ++next)
    ranks.together([&] {
      if (ranks.rank() == next) append_checkpoint_block({letters.begin(), letters.end()}, block);
    });
  on_first([&] { target->commit(); });
}

/// All of it is tried, whatever fails on all ranks. What fails on one alone ends the run: the
/// others wait for it.
void DividedRecorder::Files::finish() {
  std::exception_ptr trouble;
  const auto keep = [&] {
    if (!trouble) trouble = std::current_exception();
  };
  const auto attempt = [&](auto&& work) {
    try {
      work();
    } catch (const RankFailed&) {
      keep();
    } catch (...) {
      if (ranks.count() > 1) throw;
      keep();
    }
  };
  attempt([&] {
    if (last_frame != simulation.steps())
      write_frame();
    else
      on_first([&] { write_lines(); });
  });
  attempt([&] {
    on_first([&] {
      if (paraview) paraview->write_index();
    });
  });
  attempt([&] { write_checkpoint(); });
  attempt([&] {
    on_first([&] {
      if (trajectory) trajectory->close();
    });
  });
  if (trouble) std::rethrow_exception(trouble);
}

DividedRecorder::DividedRecorder(const std::string& folder, const Scene& scene,
                                 RankSimulation& simulation, Ranks& ranks, PieceSizes sizes)
    : files_(std::make_unique<Files>(folder, scene, simulation, ranks, sizes)) {}
DividedRecorder::~DividedRecorder() = default;
DividedRecorder::DividedRecorder(DividedRecorder&&) noexcept = default;
DividedRecorder& DividedRecorder::operator=(DividedRecorder&&) noexcept = default;

void DividedRecorder::record() {
  files_->record_step();
}
void DividedRecorder::checkpoint() {
  files_->write_checkpoint();
}
void DividedRecorder::finish() {
  files_->finish();
}

} // namespace talus
