// Wind, fluids, drag, loads, drives, removal, clumps and decomposed meshes in scene files.

#include "scene_text.h"
#include "talus/core/error.h"
#include "talus/io/checkpoint.h"
#include "talus/io/output/trajectory.h"
#include "talus/io/recorder.h"
#include "talus/step/forces.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numbers>

namespace talus::test {
namespace {

void expect_scene_error(const std::string& text, const std::string& words) {
  try {
    scene_from(text);
    ADD_FAILURE() << "accepted: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

/// A ball with more keys, which are in line 3.
std::string with_ball(const std::string& keys, const std::string& rest = "") {
  return "gravity: [0, 0, 0]\nbodies:\n- {name: ball, shape: {type: sphere, radius: 0.1}, mass: "
         "2, " +
         keys + "}\n" + rest;
}

Vec3 velocity_after(const std::string& text, double seconds) {
  Scene scene = scene_from(text);
  Simulation simulation(std::move(scene.world), scene.options);
  while (simulation.time() < seconds - 1e-9) simulation.step();
  return simulation.world().state(0).velocity;
}

TEST(LoadScenes, TakeFormulasForForces) {
  // ∫ 4 cos(π t) dt from 0 to 1/2 is 4 / π.
  const Vec3 v = velocity_after("step: 1e-4\n" + with_ball("force: [\"4*cos(pi*t)\", 0, 6]"), 0.5);
  EXPECT_NEAR(2 * v.x, 4 / std::numbers::pi, 1e-3);
  EXPECT_NEAR(2 * v.z, 3, 1e-9);
}

TEST(LoadScenes, ReadPointLoadsAndDrag) {
  const Scene scene = scene_from(with_ball(
      "drag: {linear: 1, quadratic: 2, angular: 3, coefficient: 0.9, area: 0.5}, remove_at: 2,\n"
      "  point_loads: [{point: [0, 0.1, 0], force: [[0, [0, 0, 0]], [1, [5, 0, 0]]], axes: "
      "body}]"));
  const Drag expected{1, 2, 3, 0.9, 0.5};
  EXPECT_EQ(scene.world.body(0).drag(), expected);
  std::vector<Wrench> wrenches(1);
  for (const ForceFunction& force : scene.world.forces()) force(scene.world, 0.5, wrenches);
  EXPECT_NEAR(wrenches[0].force.x, 2.5, 1e-15);
  EXPECT_NEAR(wrenches[0].torque.z, -0.25, 1e-15);
}

TEST(LoadScenes, ReadWindAndFluids) {
  const Scene scene = scene_from(
      "wind: [\"z + t\", 0, 1]\n"
      "fluids:\n"
      "- {name: oil, density: 800, level: [[0, 0], [2, 1]], viscosity: 0.1, flow: [1, 0, 0]}\n"
      "- {name: air, density: 1.2, drag_coefficient: 1, buoyancy: false}\n" +
      with_ball("position: [0, 0, 1]"));
  const World& world = scene.world;
  EXPECT_EQ(world.wind()({0, 0, 4}, 3), (Vec3{7, 0, 1}));
  ASSERT_EQ(world.fluids().size(), 2U);
  EXPECT_EQ(world.fluids()[0].level_at(1), 0.5);
  EXPECT_EQ(world.fluids()[0].flow({}, 0), (Vec3{1, 0, 0}));
  EXPECT_EQ(world.fluids()[0].viscosity, 0.1);
  EXPECT_FALSE(world.fluids()[1].buoyancy);
  EXPECT_EQ(world.fluids()[1].level, std::numeric_limits<double>::infinity());
}

Vec3 place_of_drive(const std::string& drive, double time) {
  const Scene scene =
      scene_from("bodies:\n- {name: plate, motion: kinematic, shape: {type: sphere, "
                 "radius: 0.1}, drive: " +
                 drive + "}\n");
  return std::get<PoseFunction>(scene.world.body(0).motion())(time).position;
}

TEST(LoadScenes, DriveByFormulasAndSumsOfSines) {
  EXPECT_NEAR(place_of_drive("{displacement: [\"0.5*t^2\", 0, \"min(t, 1)\"]}", 2).x, 2, 1e-15);
  EXPECT_NEAR(place_of_drive("{displacement: [\"0.5*t^2\", 0, \"min(t, 1)\"]}", 2).z, 1, 1e-15);
  const Vec3 sum = place_of_drive(
      "{sines: [{amplitude: [1, 0, 0], frequency: 1}, {amplitude: [2, 0, 0], frequency: 2, phase: "
      "30}]}",
      0.1);
  const double expected = std::sin(0.2 * std::numbers::pi) +
                          2 * (std::sin(0.4 * std::numbers::pi + std::numbers::pi / 6) - 0.5);
  EXPECT_NEAR(sum.x, expected, 1e-14);
  const Scene turning = scene_from("bodies:\n- {motion: kinematic, shape: {type: sphere, radius: "
                                   "1}, drive: {angle: \"90*t\", axis: [0, 0, 2]}}\n");
  const Quaternion q = std::get<PoseFunction>(turning.world.body(0).motion())(1).rotation;
  EXPECT_NEAR(q.z, std::sin(std::numbers::pi / 4), 1e-14);
}

/// A plate presses a fixed ball with its limit, not more.
TEST(LoadScenes, ServosPushWithLimitedForce) {
  Scene scene = scene_from(
      "gravity: [0, 0, 0]\ncontact: rigid\nbodies:\n"
      "- {name: plate, shape: {type: box, size: [1, 1, 0.1]}, position: [0, 0, 0.25], mass: 5,\n"
      "   servo: {axis: [0, 0, -1], speed: 0.5, max_force: 40}}\n"
      "- {name: rest, motion: fixed, shape: {type: sphere, radius: 0.1}}\n");
  EXPECT_EQ(scene.world.find_joint("plate servo"), 0);
  Simulation simulation(std::move(scene.world), scene.options);
  simulation.step();
  for (int k = 0; k < 20; ++k) simulation.step();
  EXPECT_NEAR(simulation.world().state(0).velocity.z, -0.5, 1e-6);
  for (int k = 0; k < 200; ++k) simulation.step();
  EXPECT_NEAR(contact_force(simulation, 1).force.z, -40, 1e-3);
}

TEST(LoadScenes, ReadClumps) {
  const Scene scene =
      scene_from("bodies:\n- {name: c, density: 1000, shape: {type: clump, parts: [\n"
                 "  {shape: {type: sphere, radius: 0.5}}, {shape: {type: sphere, radius: 0.5}, "
                 "position: [0.6, 0, 0]}]}}\n");
  const double lens = std::numbers::pi * (2 + 0.6) * (1 - 0.6) * (1 - 0.6) / 12;
  EXPECT_NEAR(scene.world.body(0).mass, 1000 * (std::numbers::pi / 3 - lens), 1e-9);
}

/// Two boxes as an L: a closed mesh that is not convex.
const char* const l_shape = R"(v 0 0 0
v 2 0 0
v 2 1 0
v 1 1 0
v 1 2 0
v 0 2 0
v 0 0 1
v 2 0 1
v 2 1 1
v 1 1 1
v 1 2 1
v 0 2 1
f 1 4 3 2
f 1 6 5 4
f 7 8 9 10
f 7 10 11 12
f 1 2 8 7
f 2 3 9 8
f 3 4 10 9
f 4 5 11 10
f 5 6 12 11
f 6 1 7 12
)";

TEST(LoadScenes, DecomposeMeshes) {
  const SceneSource source{"test.yaml",
                           "bodies:\n- {name: l, density: 100, shape: {type: mesh, file: l.obj, "
                           "decompose: {parts: 4}}}\n",
                           {},
                           {{"l.obj", l_shape}}};
  const Scene scene = build_scene(source);
  const auto& shape = std::get<Compound>(scene.world.body(0).shapes[0].shape->geometry);
  EXPECT_EQ(shape.children.size(), 2U) << "one cut is enough";
  EXPECT_NEAR(scene.world.body(0).mass, 300, 1e-9);
  EXPECT_NEAR(shape.solid->sum_of_parts, 3, 1e-9);
  // Again from its text, without the file.
  const WorldDescription again =
      parse_description(description_text(scene.description), "description");
  EXPECT_EQ(description_text(again), description_text(scene.description));
  EXPECT_EQ(build_world(again).body(0).moments, scene.world.body(0).moments);
}

const std::string surroundings_scene = R"yaml(step: 1/100
wind: ["sin(3*t)", "0.1*x", 0]
fluids:
- {name: water, density: 1000, level: "0.1*sin(t)", viscosity: 1, flow: [0.1, 0, 0]}
bodies:
- {name: floor, motion: fixed, shape: {type: half_space, offset: -0.6}}
- {name: box, shape: {type: box, size: [0.3, 0.2, 0.2]}, density: 600, drag: {linear: 1, quadratic: 2},
   orientation: {axis: [1, 0, 0], angle: 20}}
- {name: stone, shape: {type: sphere, radius: 0.1}, density: 2500, position: [0, 0, 0.3],
   point_loads: [{point: [0.1, 0, 0], force: ["20*sin(9*t)", 0, 0], axes: body}]}
- {name: gone, shape: {type: sphere, radius: 0.1}, density: 500, position: [1, 0, 0], remove_at: 0.25}
- {name: plate, shape: {type: box, size: [0.2, 0.2, 0.02]}, position: [0, 0, 0.5],
   servo: {axis: [0, 0, -1], position: "0.2*t", max_force: 50}}
)yaml";

/// Restored in the middle, before and after the removal, it goes on to the same bits.
TEST(LoadScenes, GoOnFromCheckpointsToTheSameBits) {
  const ScratchFolder scratch;
  Scene scene = scene_from(surroundings_scene);
  Simulation whole(scene.world, scene.options);
  for (int k = 0; k < 60; ++k) whole.step();
  for (const int pause : {13, 25, 40}) {
    Simulation first(scene.world, scene.options);
    for (int k = 0; k < pause; ++k) first.step();
    const std::string path = scratch.path("checkpoint.h5");
    write_checkpoint(path, scene.source, description_text(scene.description), first.state());
    const Checkpoint checkpoint = read_checkpoint(path);
    Scene again = scene_of(checkpoint);
    Simulation second(std::move(again.world), again.options);
    second.restore(checkpoint.state);
    EXPECT_EQ(second.state(), first.state());
    for (int k = pause; k < 60; ++k) second.step();
    EXPECT_EQ(second.state(), whole.state()) << pause;
  }
  EXPECT_EQ(whole.state().removed, std::vector<Index>{3});
}

TEST(LoadScenes, TrajectoriesTellWhenBodiesWereRemoved) {
  const ScratchFolder scratch;
  Scene scene = scene_from(surroundings_scene, {"output.every=5"});
  const std::string folder = scratch.path("out");
  Simulation simulation(scene.world, scene.options);
  RunRecorder recorder(folder, scene, simulation);
  for (int k = 0; k < 40; ++k) {
    simulation.step();
    recorder.record(simulation);
  }
  recorder.finish(simulation);
  const TrajectoryReader reader(folder + "/trajectory.h5");
  const auto removals = reader.removal_steps();
  ASSERT_EQ(removals.size(), 5U);
  EXPECT_EQ(removals[3], 30); // the first frame after the removal in step 26
  EXPECT_EQ(removals[1], std::numeric_limits<std::int64_t>::max());
}

TEST(LoadScenes, SayWhereTheyAreWrong) {
  expect_scene_error(with_ball("force: [\"4*foo\", 0, 0]"),
                     "test.yaml:3: body 'ball': force: formula '4*foo', column 3: unknown name");
  expect_scene_error(with_ball("drag: {linear: -1}"), "test.yaml:3: body 'ball': drag: linear");
  expect_scene_error(with_ball("drag: {lineal: 1}"), "unknown key 'lineal'");
  expect_scene_error(with_ball("point_loads: [{point: [0, 0, 0]}]"), "force");
  expect_scene_error(with_ball("point_loads: [{force: [0, 0, 1], axes: bodily}]"),
                     "unknown axes 'bodily'");
  expect_scene_error(with_ball("remove_at: -1"), "remove_at");
  expect_scene_error(with_ball("servo: {speed: 1}"), "max_force");
  expect_scene_error(with_ball("motion: kinematic, servo: {speed: 1, max_force: 2}"),
                     "only a dynamic body has a servo");
  expect_scene_error("fluids: [{density: -3}]\n" + with_ball("gravity: true"), "density");
  expect_scene_error("fluids: [{name: a}, {name: a}]\n" + with_ball("gravity: true"),
                     "fluid 'a': the name is taken");
  expect_scene_error("wind: [\"w\", 0, 0]\n" + with_ball("gravity: true"),
                     "known are t, x, y, z, pi");
  expect_scene_error("bodies:\n- {shape: {type: clump, parts: [{shape: {type: half_space}}]}}\n",
                     "half_space");
  expect_scene_error("bodies:\n- {motion: kinematic, shape: {type: sphere, radius: 1}, drive: "
                     "{displacement: [1, 0, 0]}}\n",
                     "displacement must be a time table or three formulas");
}

} // namespace
} // namespace talus::test
