// Scenes, recorders, trajectories, checkpoints.

#include "arrays.h"
#include "bindings.h"
#include "contacts.h"
#include "problem_casters.h"
#include "simulation_ref.h"
#include "state_columns.h"
#include "talus/core/error.h"
#include "talus/io/checkpoint.h"
#include "talus/io/output/trajectory.h"
#include "talus/io/recorder.h"
#include "talus/io/scene.h"

namespace talus::python {
namespace {

/// A scene whose world Python can hold.
struct SceneRef {
  explicit SceneRef(Scene made) : held(std::make_shared<Scene>(std::move(made))) {
    *world->world = std::move(scene.world);
    scene.world = {};
    world->base = std::shared_ptr<const WorldDescription>(held, &held->description);
  }

  std::shared_ptr<Scene> held; ///< Without its world.
  Scene& scene = *held;
  std::shared_ptr<WorldRef> world = std::make_shared<WorldRef>();
};
using SceneHolder = std::shared_ptr<SceneRef>;
using SimulationHolder = std::shared_ptr<SimulationRef>;

SceneHolder built(SceneSource source) {
  const py::gil_scoped_release no_gil;
  return std::make_shared<SceneRef>(build_scene(std::move(source)));
}

SceneHolder restored(const Checkpoint& checkpoint) {
  const py::gil_scoped_release no_gil;
  return std::make_shared<SceneRef>(scene_of(checkpoint));
}

void bind_scene(py::module_& m) {
  py::class_<SceneRef, SceneHolder>(m, "Scene", "A scene file turned into a world.")
      .def_property_readonly(
          "title", [](const SceneRef& s) { return s.scene.title; }, "For people.")
      .def_property_readonly(
          "duration", [](const SceneRef& s) { return s.scene.duration; }, "Simulated time, s.")
      .def_property_readonly(
          "options", [](const SceneRef& s) { return s.scene.options; }, "How to step; a copy.")
      .def_property_readonly(
          "world", [](const SceneRef& s) { return s.world; },
          "The world; simulations copy it, so change it before making one.")
      .def_property_readonly(
          "description", [](const SceneRef& s) { return description_text(s.scene.description); },
          "The world as JSON text, independent of the scene file; scene_from_description() reads "
          "it.")
      .def_property_readonly(
          "warnings", [](const SceneRef& s) { return s.scene.warnings; },
          "What of included models was left out, with file and line.")
      .def_property_readonly(
          "_source",
          [](const SceneRef& s) {
            const SceneSource& source = s.scene.source;
            py::list files;
            for (const SceneFile& file : source.files)
              files.append(py::make_tuple(file.name, py::bytes(file.bytes)));
            return py::make_tuple(source.path, source.text, source.overrides, files);
          },
          "(path, text, overrides, files) of the scene file, for copies (talus/_copying.py).")
      .def(
          "simulation",
          [](const SceneRef& s, const py::kwargs& changes) {
            return std::make_shared<SimulationRef>(*s.world, changed(s.scene.options, changes),
                                                   s.scene.description.sensors);
          },
          "A simulation of the scene from its start; keywords replace options of the scene.");
  m.def(
      "load_scene",
      [](const PathText& path, std::vector<std::string> overrides) {
        return built(read_scene_source(path, std::move(overrides)));
      },
      py::arg("path"), py::arg("overrides") = std::vector<std::string>{},
      "Reads a YAML scene; overrides are \"key.path=value\".");
  m.def(
      "load",
      [](const PathText& path, const std::string& base, bool merge_fixed, const std::string& prefix,
         const std::string& keyframe, const std::map<std::string, double>& positions,
         std::vector<std::string> overrides) {
        if (!is_model_file(std::string(path))) {
          if (base != "auto" || merge_fixed || !prefix.empty() || !keyframe.empty() ||
              !positions.empty())
            throw InvalidArgument("base, merge_fixed, prefix, keyframe and positions are for URDF "
                                  "and MJCF models; this is a scene");
          return built(read_scene_source(path, std::move(overrides)));
        }
        if (base != "auto" && base != "fixed" && base != "free")
          throw InvalidArgument("base must be auto, fixed or free, not '" + base + "'");
        ImportOptions options;
        options.base = base == "fixed"  ? BaseKind::fixed
                       : base == "free" ? BaseKind::free
                                        : BaseKind::automatic;
        options.merge_fixed = merge_fixed;
        options.prefix = prefix;
        options.keyframe = keyframe;
        options.positions.assign(positions.begin(), positions.end());
        return built(read_scene_source(path, options, std::move(overrides)));
      },
      py::arg("path"), py::kw_only(), py::arg("base") = "auto", py::arg("merge_fixed") = false,
      py::arg("prefix") = "", py::arg("keyframe") = "",
      py::arg("positions") = std::map<std::string, double>{},
      py::arg("overrides") = std::vector<std::string>{},
      "Reads a URDF or MJCF model, or a YAML scene. `base` is auto, fixed or free; with "
      "`merge_fixed` links that are welded together become one body; `keyframe` is one of an MJCF "
      "file; `positions` are coordinates of joints at the start, rad or m. Scene.warnings lists "
      "what was left out.");
  m.def(
      "parse_scene",
      [](std::string text, std::vector<std::string> overrides, std::string path) {
        return built({std::move(path), std::move(text), std::move(overrides), {}});
      },
      py::arg("text"), py::arg("overrides") = std::vector<std::string>{},
      py::arg("path") = "scene.yaml",
      "The same from text; `path` appears in messages and places the files it names.");
  m.def(
      "_scene_from",
      [](const std::string& description,
         const std::tuple<std::string, std::string, std::vector<std::string>,
                          std::vector<std::pair<std::string, py::bytes>>>& given) {
        SceneSource source{std::get<0>(given), std::get<1>(given), std::get<2>(given), {}};
        for (const auto& [name, bytes] : std::get<3>(given)) source.files.push_back({name, bytes});
        const py::gil_scoped_release no_gil;
        return std::make_shared<SceneRef>(
            build_scene(parse_description(description, "description"), std::move(source)));
      },
      py::arg("description"), py::arg("source"), "A scene from Scene.description and ._source.");
  m.def(
      "scene_from_description",
      [](const std::string& text, const std::string& path) {
        const py::gil_scoped_release no_gil;
        return std::make_shared<SceneRef>(build_scene(parse_description(text, path)));
      },
      py::arg("text"), py::arg("path") = "description",
      "The scene of a description; `path` appears in messages.");
}

OutputOptions output_from(std::int64_t every, const std::vector<std::string>& formats) {
  OutputOptions output{every, {false, false, false, false}};
  if (every < 1) throw InvalidArgument("every must be at least 1");
  for (const std::string& name : formats) {
    bool known = false;
    for (const auto format : {OutputFormat::trajectory, OutputFormat::csv, OutputFormat::paraview})
      if (name == to_string(format)) known = output.formats[static_cast<int>(format)] = true;
    if (!known)
      throw InvalidArgument(
          fmt::format("unknown format '{}'; known: trajectory, csv, paraview", name));
  }
  return output;
}

/// The files of a run; closed by finish(), or by the end of a `with` block.
class Recorder : public StepFollower {
public:
  Recorder(const PathText& folder, SimulationHolder simulation, const SceneRef* scene,
           std::string title, std::int64_t every, const std::vector<std::string>& formats)
      : simulation_(std::move(simulation)) {
    Scene described;
    if (scene != nullptr) {
      described.source = scene->scene.source;
      described.description = scene->scene.description;
    }
    described.description.sensors.clear();
    for (const Sensor& sensor : simulation_->sensors())
      described.description.sensors.push_back(sensor.description());
    described.title = title.empty() && scene != nullptr ? scene->scene.title : std::move(title);
    described.options = (*simulation_)->options();
    described.output = output_from(every, formats);
    described.reach = scene != nullptr ? scene->scene.reach : reach_of((*simulation_)->world());
    recorder_.emplace(folder.text, described, **simulation_);
  }

  void record() { checked().record(**simulation_); }
  void after_step(const Simulation& simulation) override {
    if (recorder_) recorder_->record(simulation);
  }
  void flush() { checked().flush(); }
  void finish() {
    if (!recorder_) return;
    recorder_->finish(**simulation_);
    recorder_.reset();
  }

private:
  RunRecorder& checked() {
    if (!recorder_) throw py::value_error("the recorder is closed");
    return *recorder_;
  }

  SimulationHolder simulation_;
  std::optional<RunRecorder> recorder_;
};

void bind_recorder(py::module_& m) {
  using py::arg;
  py::class_<Recorder, std::shared_ptr<Recorder>>(
      m, "Recorder",
      "Writes the files of a run: trajectory.h5, steps.csv, paraview/. With a scene also a "
      "checkpoint. Use it in a `with` block and call record() after every step.")
      .def(py::init<const PathText&, SimulationHolder, const SceneRef*, std::string, std::int64_t,
                    const std::vector<std::string>&>(),
           arg("folder"), arg("simulation"), arg("scene") = py::none(), py::kw_only(),
           arg("title") = "", arg("every") = 5,
           arg("formats") = std::vector<std::string>{"trajectory", "csv"},
           "Makes the folder and its files, and records the present state. With a scene, a "
           "simulation that has made steps goes on with the folder's files instead.")
      .def("record", &Recorder::record, "Takes the last step in; a frame every `every` steps.")
      .def(
          "_follow",
          [](const std::shared_ptr<Recorder>& self, const SimulationRef& simulation) {
            simulation.add_follower(self);
          },
          arg("simulation"), "Records every step from now on, without calls of record().")
      .def("flush", &Recorder::flush, "Waits until all that was recorded is in the files.")
      .def("finish", &Recorder::finish, "Records the last step too and closes all files.")
      .def(
          "__enter__", [](Recorder& self) -> Recorder& { return self; },
          py::return_value_policy::reference_internal)
      .def("__exit__", [](Recorder& self, const py::args&) { self.finish(); });
}

struct Frame {
  double time = 0;
  std::int64_t step = 0;
  std::vector<BodyState> states;
  Contacts contacts;
  std::map<std::string, std::vector<double>> forces; ///< By the name of their table.
};

constexpr const char* force_tables[] = {"contact_force", "contact_torque", "joint_force",
                                        "joint_torque",  "joint_position", "joint_velocity",
                                        "motor_effort"};

/// Rows of three numbers, or single ones.
auto force_array(const char* name, bool is_vector) {
  return [name, is_vector](const Frame& frame) {
    const std::vector<double>& numbers = frame.forces.at(name);
    const auto size = static_cast<py::ssize_t>(numbers.size());
    return is_vector ? frozen_copy(numbers, {size / 3, 3}) : frozen_copy(numbers, {size});
  };
}

class Trajectory {
public:
  explicit Trajectory(const PathText& path) { reader_.emplace(path.text); }

  Frame frame(Index index) const {
    const TrajectoryReader& file = open();
    if (index < 0) index += file.frames();
    if (index < 0 || index >= file.frames())
      throw py::index_error(fmt::format("of {} frames", file.frames()));
    Frame frame{file.time(index), file.step(index), file.states(index), {}, {}};
    frame.contacts.points = file.contacts(index, frame.contacts.impulses);
    for (const char* name : force_tables) frame.forces[name] = file.forces(name, index);
    return frame;
  }
  const TrajectoryReader& open() const {
    if (!reader_) throw py::value_error("the trajectory is closed");
    return *reader_;
  }
  void close() { reader_.reset(); }

private:
  std::optional<TrajectoryReader> reader_;
};

auto frame_view(StateColumns columns) {
  return [columns](const py::object& self) {
    return view_of(self.cast<const Frame&>().states, columns, self);
  };
}

void bind_trajectory(py::module_& m) {
  py::class_<Frame, std::shared_ptr<Frame>>(m, "Frame", "One recorded step.")
      .def_readonly("time", &Frame::time, "s.")
      .def_readonly("step", &Frame::step, "0 for the initial state.")
      .def_readonly("contacts", &Frame::contacts, "Of the step that led to the frame.")
      .def_property_readonly("positions", frame_view(position_columns), "Centres of mass, (n, 3).")
      .def_property_readonly("orientations", frame_view(orientation_columns),
                             "Quaternions, (n, 4).")
      .def_property_readonly("velocities", frame_view(velocity_columns), "(n, 3).")
      .def_property_readonly("angular_velocities", frame_view(angular_velocity_columns), "(n, 3).")
      .def_property_readonly("contact_forces", force_array("contact_force", true),
                             "Resultant of the contacts on every body, N, (n, 3).")
      .def_property_readonly("contact_torques", force_array("contact_torque", true),
                             "About the centres of mass, N m, (n, 3).")
      .def_property_readonly("joint_forces", force_array("joint_force", true),
                             "On the second bodies, in the joint frames, N, (joints, 3).")
      .def_property_readonly("joint_torques", force_array("joint_torque", true),
                             "About the joints' origins, N m, (joints, 3).")
      .def_property_readonly("joint_positions", force_array("joint_position", false),
                             "rad or m, (joints,).")
      .def_property_readonly("joint_velocities", force_array("joint_velocity", false),
                             "rad/s or m/s, (joints,).")
      .def_property_readonly("motor_efforts", force_array("motor_effort", false),
                             "N m or N, (joints,).");
  py::class_<Trajectory>(m, "Trajectory",
                         "A trajectory file: len(), [i] and iteration give its frames.")
      .def(py::init<const PathText&>(), py::arg("path"),
           "Opens a file, also while it is being written: the frames are those complete now.")
      .def("__len__", [](const Trajectory& t) { return t.open().frames(); })
      .def("__getitem__", &Trajectory::frame, py::arg("index"))
      .def("__iter__", &iterate)
      .def_property_readonly(
          "bodies", [](const Trajectory& t) { return t.open().bodies(); }, "Number of bodies.")
      .def_property_readonly(
          "times",
          [](const Trajectory& t) {
            Vector times;
            for (Index i = 0; i < t.open().frames(); ++i) times.push_back(t.open().time(i));
            return frozen_copy(times);
          },
          "Of all frames, s.")
      .def("close", &Trajectory::close, "Closes the file; frames already read stay.")
      .def(
          "__enter__", [](Trajectory& self) -> Trajectory& { return self; },
          py::return_value_policy::reference_internal)
      .def("__exit__", [](Trajectory& self, const py::args&) { self.close(); });
}

void bind_checkpoints(py::module_& m) {
  m.def(
      "save_checkpoint",
      [](const PathText& path, const SceneRef& scene, const SimulationRef& simulation) {
        write_checkpoint(path, scene.scene.source, description_text(scene.scene.description),
                         simulation->state());
      },
      py::arg("path"), py::arg("scene"), py::arg("simulation"),
      "Writes the scene and the state of its simulation: all that is needed to go on.");
  m.def(
      "load_checkpoint",
      [](const PathText& path) {
        const Checkpoint checkpoint = read_checkpoint(path);
        const SceneHolder scene = restored(checkpoint);
        const auto simulation = std::make_shared<SimulationRef>(*scene->world, scene->scene.options,
                                                                scene->scene.description.sensors);
        (*simulation)->restore(checkpoint.state);
        return std::pair(scene, simulation);
      },
      py::arg("path"), "(scene, simulation), the simulation being where it was saved.");
}

} // namespace

void bind_files(py::module_& m) {
  bind_scene(m);
  bind_recorder(m);
  bind_trajectory(m);
  bind_checkpoints(m);
}

} // namespace talus::python
