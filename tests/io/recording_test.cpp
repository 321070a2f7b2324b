// Stepping scenes, checkpoints, trajectories, tables and ParaView files.

#include "scene_text.h"
#include "support/file_size_limit.h"
#include "talus/core/error.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/io/checkpoint.h"
#include "talus/io/output/step_table.h"
#include "talus/io/output/surface_mesh.h"
#include "talus/io/output/trajectory.h"
#include "talus/io/recorder.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

namespace talus::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Simulation simulation_of(Scene& scene) {
  return Simulation(std::move(scene.world), scene.options);
}

void step(Simulation& simulation, int steps) {
  for (int i = 0; i < steps; ++i) simulation.step();
}

class EveryScene : public testing::TestWithParam<std::string> {};

TEST_P(EveryScene, StepsAndGoesOnFromACheckpointBitForBit) {
  const ScratchFolder folder;
  Scene scene = load_scene(shipped_scene(GetParam()));
  Simulation simulation = simulation_of(scene);
  step(simulation, 3);
  write_checkpoint(folder.path("c.h5"), scene.source, description_text(scene.description),
                   simulation.state());
  step(simulation, 3);

  Checkpoint checkpoint = read_checkpoint(folder.path("c.h5"));
  checkpoint.source = {}; // the description alone is enough
  Scene again = scene_of(checkpoint);
  Simulation restored = simulation_of(again);
  restored.restore(checkpoint.state);
  EXPECT_EQ(restored.steps(), 3);
  step(restored, 3);
  EXPECT_TRUE(restored.state() == simulation.state());
  for (const BodyState& state : simulation.world().states()) {
    EXPECT_TRUE(is_finite(state.pose));
    EXPECT_LT(norm(state.velocity), 20);
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryScene, testing::ValuesIn(shipped_scenes()),
                         [](const auto& name) { return name.param; });

TEST(Checkpoints, KeepTheSceneWithItsOverridesAndFiles) {
  const ScratchFolder folder;
  folder.write("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string path =
      folder.write("s.yaml", "bodies:\n- {shape: {type: convex_hull, file: t.obj}, density: 6}\n");
  Scene scene = load_scene(path, {"step=0.5"});
  Simulation simulation = simulation_of(scene);
  write_checkpoint(folder.path("c.h5"), scene.source, description_text(scene.description),
                   simulation.state());
  fs::remove(folder.path("t.obj"));
  fs::remove(path);
  const Checkpoint checkpoint = read_checkpoint(folder.path("c.h5"));
  EXPECT_EQ(checkpoint.source.text, scene.source.text);
  EXPECT_EQ(checkpoint.source.overrides, scene.source.overrides);
  for (Scene again : {build_scene(checkpoint.source), scene_of(checkpoint)}) {
    EXPECT_EQ(again.options.step, 0.5);
    EXPECT_TRUE(simulation_of(again).state() == checkpoint.state);
  }
}

TEST(Checkpoints, OfTheSceneFileAloneAreStillRead) {
  const ScratchFolder folder;
  Scene scene = scene_from(small_scene, {"step=0.02"});
  scene.options.relative_compliance = 0; // as versions that wrote such checkpoints had it
  scene.options.tolerance = 1e-8;
  Simulation simulation = simulation_of(scene);
  step(simulation, 2);
  write_checkpoint(folder.path("c.h5"), scene.source, "", simulation.state());
  const Checkpoint checkpoint = read_checkpoint(folder.path("c.h5"));
  EXPECT_TRUE(checkpoint.description.empty());
  Scene again = scene_of(checkpoint);
  Simulation restored = simulation_of(again);
  restored.restore(checkpoint.state);
  step(simulation, 3);
  step(restored, 3);
  EXPECT_TRUE(restored.state() == simulation.state());
}

TEST(Checkpoints, KeepTheShearOfContactsThatYield) {
  const ScratchFolder folder;
  Scene scene = scene_from(small_scene, {"materials.wood.stiffness=1e5"});
  Simulation simulation = simulation_of(scene);
  step(simulation, 5);
  const SimulationState state = simulation.state();
  EXPECT_FALSE(state.warm_start.normals.empty());
  write_checkpoint(folder.path("c.h5"), scene.source, description_text(scene.description), state);
  EXPECT_TRUE(read_checkpoint(folder.path("c.h5")).state == state);
}

TEST(Checkpoints, KeepTheStiffnessOfContactsOfHertzLaw) {
  const ScratchFolder folder;
  Scene scene = scene_from(small_scene, {"materials.wood.young=1e8"});
  Simulation simulation = simulation_of(scene);
  step(simulation, 5);
  const SimulationState state = simulation.state();
  EXPECT_EQ(state.warm_start.shear.size(), state.warm_start.contacts.size());
  EXPECT_FALSE(state.warm_start.shear.empty());
  write_checkpoint(folder.path("c.h5"), scene.source, description_text(scene.description), state);
  const Checkpoint checkpoint = read_checkpoint(folder.path("c.h5"));
  EXPECT_TRUE(checkpoint.state == state);
  Scene again = scene_of(checkpoint);
  Simulation restored = simulation_of(again);
  restored.restore(checkpoint.state);
  step(simulation, 10);
  step(restored, 10);
  EXPECT_TRUE(restored.state() == simulation.state());
}

TEST(Checkpoints, KeepTheMomentsOfRollingFriction) {
  const ScratchFolder folder;
  Scene scene =
      scene_from(small_scene, {"materials.wood.rolling=0.01", "materials.wood.spinning=0.02",
                               "material_rules={rolling: maximum}"});
  Simulation simulation = simulation_of(scene);
  step(simulation, 5);
  const SimulationState state = simulation.state();
  EXPECT_EQ(state.warm_start.moments.size(), state.warm_start.contacts.size());
  EXPECT_FALSE(state.warm_start.moments.empty());
  write_checkpoint(folder.path("c.h5"), scene.source, description_text(scene.description), state);
  EXPECT_TRUE(read_checkpoint(folder.path("c.h5")).state == state);
}

TEST(Checkpoints, KeepTheBondsOfCohesion) {
  const ScratchFolder folder;
  Scene scene = scene_from(small_scene, {"materials.wood.cohesion={force: 3, range: 0.001}",
                                         "material_rules={cohesion: maximum}"});
  Simulation simulation = simulation_of(scene);
  step(simulation, 5);
  SimulationState state = simulation.state();
  ASSERT_FALSE(state.bonds.empty());
  state.bonds[0].broken = true;
  state.bonds[0].origin = -0.125;
  write_checkpoint(folder.path("c.h5"), scene.source, description_text(scene.description), state);
  EXPECT_TRUE(read_checkpoint(folder.path("c.h5")).state == state);
}

TEST(Checkpoints, RefuseOtherFiles) {
  const ScratchFolder folder;
  EXPECT_THROW(read_checkpoint(folder.path("none.h5")), FileError);
  EXPECT_THROW(read_checkpoint(folder.write("text.h5", "hello")), FileError);
  {
    Hdf5File file = Hdf5File::create(folder.path("other.h5"));
    file.write_value<double>("/x", 1);
    file.close();
  }
  EXPECT_THROW(read_checkpoint(folder.path("other.h5")), FileError);
}

TEST(Checkpoints, WithNumbersThatAreNoneAreRefused) {
  const ScratchFolder folder;
  Scene scene = scene_from(small_scene);
  Simulation simulation = simulation_of(scene);
  step(simulation, 3);
  const auto refused = [&](const std::function<void(SimulationState&)>& spoil) {
    SimulationState state = simulation.state();
    spoil(state);
    write_checkpoint(folder.path("c.h5"), scene.source, description_text(scene.description), state);
    EXPECT_THROW(read_checkpoint(folder.path("c.h5")), FileError);
  };
  refused([](SimulationState& s) { s.bodies.back().velocity.x = NAN; });
  refused([](SimulationState& s) { s.bodies.back().pose.position.y = INFINITY; });
  refused([](SimulationState& s) { s.time = NAN; });
  refused([](SimulationState& s) { s.time = -1; });
  refused([](SimulationState& s) { s.steps = -1; });
  refused([](SimulationState& s) { s.steps = std::numeric_limits<std::int64_t>::max(); });
  refused([](SimulationState& s) { s.warm_start.step = NAN; });
}

TEST(Trajectories, HoldWhatHappened) {
  const ScratchFolder folder;
  Scene scene = scene_from(small_scene, {"output.every=2"});
  Simulation simulation = simulation_of(scene);
  RunRecorder recorder(folder.path("out"), scene, simulation);
  std::vector<SimulationState> states = {simulation.state()};
  for (int i = 0; i < 7; ++i) {
    simulation.step();
    recorder.record(simulation);
    states.push_back(simulation.state());
  }
  recorder.finish(simulation);

  const TrajectoryReader reader(folder.path("out/trajectory.h5"));
  ASSERT_EQ(reader.frames(), 5); // 0, 2, 4, 6 and the last
  EXPECT_EQ(reader.bodies(), 3);
  const std::int64_t steps[] = {0, 2, 4, 6, 7};
  for (Index f = 0; f < 5; ++f) {
    EXPECT_EQ(reader.step(f), steps[f]);
    EXPECT_EQ(reader.time(f), states[steps[f]].time);
    EXPECT_TRUE(reader.states(f) == states[steps[f]].bodies);
  }
  std::vector<Vec3> impulses;
  const auto contacts = reader.contacts(4, impulses);
  ASSERT_EQ(contacts.size(), simulation.contacts().size());
  ASSERT_GE(contacts.size(), 4u); // the box has four points on the floor
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    EXPECT_EQ(contacts[i].body_b, simulation.contacts()[i].body_b);
    EXPECT_EQ(contacts[i].gap, simulation.contacts()[i].gap);
    EXPECT_EQ(impulses[i], simulation.contact_impulses()[i]);
  }
  EXPECT_TRUE(reader.contacts(0, impulses).empty());
}

/// A small trajectory after one change.
std::string changed_trajectory(const ScratchFolder& folder,
                               const std::function<void(Hdf5File&)>& change) {
  Scene scene = scene_from(small_scene);
  Simulation simulation = simulation_of(scene);
  const std::string path = folder.path("out/trajectory.h5");
  {
    RunRecorder recorder(folder.path("out"), scene, simulation);
    recorder.finish(simulation);
  }
  Hdf5File file = Hdf5File::open_to_append(path);
  change(file);
  file.close();
  return path;
}

TEST(Trajectories, OfAnotherVersionOrShapeAreRefused) {
  const ScratchFolder folder;
  const std::string newer = changed_trajectory(
      folder, [](Hdf5File& file) { file.write_attribute<std::int32_t>("/", "version", 2); });
  try {
    const TrajectoryReader reader(newer);
    ADD_FAILURE() << "was read";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("version 2"), std::string::npos) << error.what();
  }
  Hdf5File flat = Hdf5File::create(folder.path("flat.h5"));
  flat.write_string_attribute("/", "format", "talus trajectory");
  flat.write_attribute<std::int32_t>("/", "version", 1);
  for (const char* name : {"time", "step", "contact_start", "contact_count", "position",
                           "orientation", "velocity", "angular_velocity"})
    flat.write_value<double>(std::string("/frames/") + name, 0);
  flat.close();
  EXPECT_THROW(TrajectoryReader(folder.path("flat.h5")), FileError);
}

/// The mode in which growing files are read waits for a writer to repair checksums; no writer will.
TEST(Trajectories, ThatAreDamagedAreRefusedAndNotWaitedFor) {
  const ScratchFolder folder;
  Scene scene = scene_from(small_scene);
  Simulation simulation = simulation_of(scene);
  RunRecorder(folder.path("out"), scene, simulation).finish(simulation);
  const std::string whole = text_of(folder.path("out/trajectory.h5"));
  const auto refused = [&](const std::string& bytes) {
    folder.write("damaged.h5", bytes);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(TrajectoryReader(folder.path("damaged.h5")), FileError);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  };
  for (const std::size_t place : {10, 30, 45, 50}) { // in the superblock
    std::string bytes = whole;
    bytes[place] = static_cast<char>(~bytes[place]);
    refused(bytes);
  }
  refused(whole.substr(0, whole.size() / 2));
}

TEST(StepTables, AFullDiskLosesAndRepeatsNoLine) {
  const ScratchFolder folder;
  const std::string path = folder.path("steps.csv");
  StepTable table(path, std::nullopt);
  const auto add = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t step = first; step <= last; ++step) {
      StepReport report;
      report.step = step;
      table.add(report);
    }
  };
  add(1, 200);
  table.append(table.take_lines());
  {
    const FileSizeLimit full(4001);
    EXPECT_THROW(table.flush(), FileError);
  }
  add(201, 210);
  table.append(table.take_lines());
  table.flush();
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line + '\n', step_table_header());
  std::int64_t expected = 0;
  while (std::getline(file, line)) EXPECT_EQ(std::stoll(line), ++expected) << line;
  EXPECT_EQ(expected, 210);
}

TEST(Recorder, RestartIntoTheSameFolderEqualsContinuation) {
  const ScratchFolder folder;
  const auto run = [&](const std::string& out, int steps) {
    Scene scene = scene_from(small_scene, {"output.every=3"});
    Simulation simulation = simulation_of(scene);
    RunRecorder recorder(folder.path(out), scene, simulation);
    for (int i = 0; i < steps; ++i) {
      simulation.step();
      recorder.record(simulation);
    }
    recorder.finish(simulation);
  };
  const auto go_on = [&](int steps, bool to_the_end) {
    Checkpoint checkpoint = read_checkpoint(folder.path("parts/checkpoint.h5"));
    Scene scene = build_scene(checkpoint.source);
    Simulation simulation = simulation_of(scene);
    simulation.restore(checkpoint.state);
    RunRecorder recorder(folder.path("parts"), scene, simulation);
    for (int i = 0; i < steps; ++i) {
      simulation.step();
      recorder.record(simulation);
    }
    if (to_the_end) recorder.finish(simulation);
  };
  run("whole", 20);
  run("parts", 10);
  go_on(6, false); // killed after step 16, and gone on from step 10 again
  go_on(10, true);
  EXPECT_TRUE(text_of(folder.path("whole/checkpoint.h5")) ==
              text_of(folder.path("parts/checkpoint.h5")));
  const TrajectoryReader whole(folder.path("whole/trajectory.h5"));
  const TrajectoryReader parts(folder.path("parts/trajectory.h5"));
  ASSERT_EQ(whole.frames(), parts.frames());
  for (Index f = 0; f < whole.frames(); ++f) {
    EXPECT_EQ(whole.step(f), parts.step(f));
    EXPECT_TRUE(whole.states(f) == parts.states(f)) << f;
    std::vector<Vec3> a, b;
    whole.contacts(f, a);
    parts.contacts(f, b);
    EXPECT_EQ(a, b) << f;
  }
  std::vector<std::string> names[2];
  for (int i = 0; i < 2; ++i) {
    const char* out = i == 0 ? "whole/paraview" : "parts/paraview";
    for (const auto& entry : fs::directory_iterator(folder.path(out)))
      names[i].push_back(entry.path().filename().string());
    std::sort(names[i].begin(), names[i].end());
  }
  EXPECT_EQ(names[0], names[1]);
  for (const std::string& name : names[0])
    EXPECT_TRUE(text_of(folder.path("whole/paraview/" + name)) ==
                text_of(folder.path("parts/paraview/" + name)))
        << name;
  const auto lines = [&](const std::string& path) {
    const std::string text = text_of(folder.path(path));
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines("whole/steps.csv"), 21);
  EXPECT_EQ(lines("parts/steps.csv"), 21);
}

/// Runs to step 20 in `folder`/whole, and leaves in `folder`/killed what a process that dies after
/// step 16 leaves, the last checkpoint being that of step 12.
void run_and_kill(const ScratchFolder& folder) {
  Scene scene = scene_from(small_scene, {"output.every=3"});
  Simulation simulation = simulation_of(scene);
  RunRecorder recorder(folder.path("whole"), scene, simulation);
  for (int i = 1; i <= 20; ++i) {
    simulation.step();
    recorder.record(simulation);
    if (i == 12) recorder.checkpoint(simulation);
    if (i != 16) continue;
    recorder.flush();
    fs::copy(folder.path("whole"), folder.path("killed"), fs::copy_options::recursive);
  }
  recorder.finish(simulation);
}

/// Goes on in `folder`/killed up to step 20.
void go_on_after_kill(const ScratchFolder& folder, const std::vector<std::string>& overrides = {}) {
  Checkpoint checkpoint = read_checkpoint(folder.path("killed/checkpoint.h5"));
  ASSERT_EQ(checkpoint.state.steps, 12);
  checkpoint.source.overrides.insert(checkpoint.source.overrides.end(), overrides.begin(),
                                     overrides.end());
  Scene scene = build_scene(checkpoint.source);
  Simulation simulation = simulation_of(scene);
  simulation.restore(checkpoint.state);
  RunRecorder recorder(folder.path("killed"), scene, simulation);
  for (int i = 13; i <= 20; ++i) {
    simulation.step();
    recorder.record(simulation);
  }
  recorder.finish(simulation);
}

TEST(Recorder, AfterAKillTheParaviewIndexListsEveryFrameAgain) {
  const ScratchFolder folder;
  run_and_kill(folder);
  const std::string whole = text_of(folder.path("whole/paraview/bodies.pvd"));
  // An index of the time before the first frame, as a run has in its first second.
  const std::size_t head = whole.find("<DataSet"), tail = whole.find("</Collection>");
  for (const char* series : {"bodies", "contacts"})
    folder.write(std::string("killed/paraview/") + series + ".pvd",
                 whole.substr(0, head) + whole.substr(tail));
  go_on_after_kill(folder);
  for (const char* series : {"bodies.pvd", "contacts.pvd"})
    EXPECT_EQ(text_of(folder.path(std::string("whole/paraview/") + series)),
              text_of(folder.path(std::string("killed/paraview/") + series)));
}

TEST(Recorder, ListsFramesOfVersionsThatDidNotWriteTheirTime) {
  const ScratchFolder folder;
  run_and_kill(folder);
  const std::string index = text_of(folder.path("whole/paraview/bodies.pvd"));
  for (const auto& entry : fs::directory_iterator(folder.path("killed/paraview"))) {
    if (entry.path().extension() != ".vtp") continue;
    std::string text = text_of(entry.path());
    const std::size_t begin = text.find("<FieldData>"), end = text.find("<Piece");
    ASSERT_LT(begin, end);
    text.erase(begin, end - begin);
    std::ofstream(entry.path(), std::ios::binary) << text;
  }
  folder.write("killed/paraview/bodies.pvd", index);
  go_on_after_kill(folder);
  EXPECT_EQ(text_of(folder.path("killed/paraview/bodies.pvd")), index);
}

TEST(Recorder, RemovesWhatAKilledRunLeftHalfDone) {
  const ScratchFolder folder;
  run_and_kill(folder);
  const std::vector<std::string> stale = {
      "trajectory.h5.123.tmp", "steps.csv.5.tmp", "checkpoint.h5.4294967295.tmp",
      "paraview/bodies.pvd.part", "paraview/contacts_000015.vtp.part"};
  const std::vector<std::string> foreign = {"mine.tmp", "other.h5.7.tmp", "paraview/mine.part"};
  for (const std::string& name : stale) folder.write("killed/" + name, "half");
  for (const std::string& name : foreign) folder.write("killed/" + name, "whole");
  go_on_after_kill(folder);
  for (const std::string& name : stale) EXPECT_FALSE(fs::exists(folder.path("killed/" + name)));
  for (const std::string& name : foreign) EXPECT_TRUE(fs::exists(folder.path("killed/" + name)));
  EXPECT_FALSE(fs::exists(folder.path("killed/.talus-lock")));
}

TEST(Recorder, AfterARestartAnyProgramOpensTheTrajectoryOfAKilledRun) {
  const auto opens_plainly = [](const std::string& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file >= 0) H5Fclose(file);
    return file >= 0;
  };
  // Whether the rest of the run goes into the file or not.
  for (const char* formats : {"[trajectory, csv]", "[csv]"}) {
    const ScratchFolder folder;
    run_and_kill(folder);
    const std::string path = folder.path("killed/trajectory.h5");
    EXPECT_FALSE(opens_plainly(path));
    go_on_after_kill(folder, {std::string("output.formats=") + formats});
    EXPECT_TRUE(opens_plainly(path)) << formats;
    EXPECT_GE(TrajectoryReader(path).frames(), 6) << formats;
  }
}

TEST(Recorder, HasItsFolderForItself) {
  const ScratchFolder folder;
  Scene scene = scene_from(small_scene);
  Simulation simulation = simulation_of(scene);
  {
    RunRecorder first(folder.path("out"), scene, simulation);
    simulation.step();
    first.record(simulation);
    first.checkpoint(simulation);
    const std::string before = text_of(folder.path("out/checkpoint.h5"));
    Scene other = scene_from(small_scene);
    const Simulation fresh = simulation_of(other);
    EXPECT_THROW(RunRecorder(folder.path("out"), other, fresh), FileError);
    EXPECT_EQ(text_of(folder.path("out/checkpoint.h5")), before);
    first.finish(simulation);
  }
  EXPECT_NO_THROW(RunRecorder(folder.path("out"), scene, simulation));
}

TEST(Recorder, FilesOfTwoRunsAreNeverMixed) {
  const ScratchFolder folder;
  Scene first = scene_from(small_scene);
  Simulation simulation = simulation_of(first);
  {
    RunRecorder recorder(folder.path("out"), first, simulation);
    simulation.step();
    recorder.record(simulation);
    recorder.finish(simulation);
  }
  ASSERT_TRUE(fs::exists(folder.path("out/checkpoint.h5")));
  // The first run cannot go on in the folder of another scene.
  {
    Scene other = scene_from("title: another\n" + std::string(small_scene));
    const Simulation fresh = simulation_of(other);
    const RunRecorder killed(folder.path("other"), other, fresh);
  }
  EXPECT_THROW(RunRecorder(folder.path("other"), first, simulation), FileError);
  EXPECT_NO_THROW(RunRecorder(folder.path("out"), first, simulation));
  // A second run in its folder, killed before its first checkpoint, leaves none to go on from.
  Scene second = scene_from(small_scene, {"gravity=[0,0,-1]"});
  const Simulation fresh = simulation_of(second);
  const RunRecorder killed(folder.path("out"), second, fresh);
  EXPECT_FALSE(fs::exists(folder.path("out/checkpoint.h5")));
}

TEST(Recorder, UnwritableFolderIsAnErrorAtOnce) {
  const ScratchFolder folder;
  folder.write("file", "x");
  Scene scene = scene_from(small_scene);
  Simulation simulation = simulation_of(scene);
  EXPECT_THROW(RunRecorder(folder.path("file/out"), scene, simulation), FileError);
  EXPECT_THROW(RunRecorder(folder.path("file"), scene, simulation), FileError);
}

TEST(Surfaces, AreClosedAndOfTheRightSize) {
  const std::vector<std::pair<ShapePtr, double>> shapes = {
      {make_box({0.5, 1, 1.5}), 6},
      {make_sphere(1), 4.18879},
      {make_capsule(0.5, 1), 2.0944},
      {make_cylinder(0.5, 1), 1.5708},
      {make_ellipsoid({1, 2, 3}), 25.1327},
      {make_convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), 1.0 / 6},
  };
  for (const auto& [shape, volume] : shapes) {
    const SurfaceMesh mesh = surface_of(*shape, 1);
    double sum = 0;
    for (const Triangle& t : mesh.triangles)
      sum += dot(mesh.points[t[0]], cross(mesh.points[t[1]], mesh.points[t[2]])) / 6;
    const char* name = name_of(kind_of(*shape)).data();
    EXPECT_LE(sum, volume * (1 + 1e-5)) << name;
    EXPECT_GE(sum, 0.8 * volume) << name;
  }
}

} // namespace
} // namespace talus::test
