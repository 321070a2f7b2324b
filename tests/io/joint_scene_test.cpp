// Springs, friction, servos, time tables and sensors in scene files.

#include "scene_text.h"
#include "talus/core/error.h"
#include "talus/io/checkpoint.h"
#include "talus/io/recorder.h"
#include "talus/step/forces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numbers>
#include <sstream>

namespace talus::test {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// A scene of two balls and these joints, which begin in line 6.
std::string with_joints(const std::string& joints) {
  return "gravity: [0, 0, 0]\nbodies:\n- {name: a, shape: {type: sphere, radius: 0.1}}\n"
         "- {name: b, shape: {type: sphere, radius: 0.1}, position: [1, 0, 0]}\njoints:\n" +
         joints;
}

Joint only_joint(const std::string& text) {
  return scene_from(with_joints(text)).world.joint(0);
}

TEST(JointScenes, ReadSpringsFrictionArmatureAndEfforts) {
  const Joint j =
      only_joint("- {type: revolute, between: [ground, a], at: [0, 0, 0], limits: [-10, 20],\n"
                 "   limit_spring: {stiffness: 50, damping: 2}, spring: {stiffness: 3, damping: 4, "
                 "rest: 90},\n"
                 "   friction: 0.2, armature: 0.3, effort: 5, bearing: {friction: 0.1, "
                 "radius: 0.02}}\n");
  EXPECT_EQ(j.spring, (JointSpring{3, 4, 90 * degree}));
  EXPECT_EQ(j.limits->stiffness, 50);
  EXPECT_EQ(j.limits->damping, 2);
  EXPECT_EQ(j.friction, 0.2);
  EXPECT_EQ(j.armature, 0.3);
  EXPECT_EQ(j.bearing, (Bearing{0.1, 0.02}));
  EXPECT_EQ(j.effort, 5);
  const Joint table = only_joint("- {type: prismatic, between: [ground, a], at: [0, 0, 0], effort: "
                                 "[[0, 0], [2, 10]], spring: {stiffness: 3, rest: 0.5}}\n");
  ASSERT_TRUE(table.effort_at);
  EXPECT_EQ(table.effort_at(1), 5);
  EXPECT_EQ(table.spring->rest, 0.5);
}

TEST(JointScenes, ReadServosAndCurves) {
  const Joint servo = only_joint("- {type: revolute, between: [ground, a], at: [0, 0, 0], motor: "
                                 "{position: [[0, 0], [1, 90]], stiffness: 9, damping: 2}}\n");
  EXPECT_EQ(servo.motor->mode, MotorMode::position);
  EXPECT_EQ(servo.motor->target_at(0.5), 0.5 * (90 * degree));
  EXPECT_EQ(servo.motor->stiffness, 9);
  EXPECT_EQ(servo.motor->damping, 2);
  const Joint curve = only_joint("- {type: revolute, between: [ground, a], at: [0, 0, 0], motor: "
                                 "{curve: {stall: 6, speed: 30, level: 0.5}}}\n");
  EXPECT_EQ(curve.motor->mode, MotorMode::velocity);
  EXPECT_EQ(curve.motor->target, 15);
  EXPECT_EQ(curve.motor->damping, 0.2);
  EXPECT_EQ(curve.motor->max_effort, 6);
}

TEST(JointScenes, ReadSpringsAndBushings) {
  const Joint s =
      only_joint("- {type: spring, between: [a, b], at: [0, 0, 0], second_at: [1, 0, 0], "
                 "length: 0.7, spring: {stiffness: 9, damping: 1}}\n");
  EXPECT_EQ(s.kind, JointKind::spring);
  EXPECT_EQ(s.distance, 0.7);
  EXPECT_TRUE(s.bodies_collide);
  const Joint m =
      only_joint("- {type: bushing, between: [a, b], at: [0, 0, 0], stiffness: [1, 2, 3], "
                 "damping: [4, 5, 6], angular_stiffness: [7, 8, 9]}\n");
  EXPECT_EQ(m.bushing, (Bushing{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {}}));
  EXPECT_FALSE(m.bodies_collide);
}

TEST(JointScenes, MistakesAreNamedWithTheirLine) {
  const std::string hinge = "- {type: revolute, between: [ground, a], at: [0, 0, 0]";
  const struct {
    std::string joint;
    std::vector<std::string> words;
  } cases[] = {
      {hinge + ",\n   spring: {rest: 3}}", {"test.yaml:7", "spring: needs stiffness or damping"}},
      {hinge + ", spring: {stiffness: -3}}", {"test.yaml:6", "spring: stiffness must be"}},
      {hinge + ",\n   limit_spring: {stiffness: 3}}", {"test.yaml:6", "limit_spring needs limits"}},
      {hinge + ", limits: [90, -90]}", {"test.yaml:6", "limits: 90 is not below -90"}},
      {"- {name: pin, type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 0]}",
       {"test.yaml:6: joint 'pin' (revolute): its axis is zero"}},
      {hinge + ", friction: -1}", {"test.yaml:6", "friction must be"}},
      {hinge + ",\n   effort: [[1, 2], [1, 3]]}", {"test.yaml:7", "effort", "not after"}},
      {hinge + ", effort: [[1, 2, 3]]}", {"test.yaml:6", "[time, value]"}},
      {hinge + ", stiffness: [1, 2, 3]}", {"test.yaml:6", "unknown key 'stiffness'"}},
      {hinge + ", motor: {speed: 3, stiffness: 2}}", {"test.yaml:6", "stiffness needs a position"}},
      {hinge + ", motor: {speed: 3, max_effort: -2}}", {"test.yaml:6", "max_effort must be"}},
      {hinge + ", motor: {speed: 3, max_effort: [[0, 1], [2, -1]]}}",
       {"test.yaml:6", "max_effort is -1 at 2 s, it must not be negative"}},
      {hinge + ", motor: {speed: 3, max_effort: 2*foo}}", {"test.yaml:6", "unknown name 'foo'"}},
      {hinge + ", motor: {speed: 3, curve: {stall: 1, speed: 2}}}", {"exclude each other"}},
      {"- {type: spherical, between: [ground, a], at: [0, 0, 0], friction: 3}",
       {"test.yaml:6", "no coordinate"}},
      {"- {type: spring, between: [a, b], at: [0, 0, 0]}", {"needs a stiffness"}},
  };
  for (const auto& [joint, words] : cases) {
    try {
      scene_from(with_joints(joint + "\n"));
      ADD_FAILURE() << joint << " was read";
    } catch (const FileError& error) {
      for (const std::string& word : words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
            << word << " is not in: " << error.what();
    }
  }
}

TEST(TimeTableScenes, LoadsAndDrivesFollowTheirTables) {
  Scene scene = scene_from(
      "gravity: [0, 0, 0]\nstep: 0.01\nbodies:\n"
      "- {name: a, shape: {type: sphere, radius: 0.1}, mass: 2, force: [[0, [0, 0, 0]], [1, [4, 0, "
      "0]]]}\n"
      "- {name: k, motion: kinematic, shape: {type: sphere, radius: 0.1}, position: [0, 5, 0],\n"
      "   drive: {displacement: [[0, [0, 0, 0]], [2, [0, 0, 3]]], axis: [0, 0, 1], angle: [[0, 0], "
      "[2, 90]]}}\n");
  Simulation simulation(std::move(scene.world), scene.options);
  for (int i = 0; i < 100; ++i) simulation.step();
  // Σ h F(t) / m at the starts of the steps: 4 (0 + 0.01 + ... + 0.99) 0.01 / 2.
  EXPECT_NEAR(simulation.world().state(0).velocity.x, 0.99, 1e-12);
  EXPECT_NEAR(simulation.world().pose(1).position.z, 1.5, 1e-12);
  EXPECT_NEAR(logarithmic_map(simulation.world().pose(1).rotation).z, 45 * degree, 1e-9);
}

/// A plate and a slide whose motors would be faster if they were stronger: v = ∫ F dt / m. Through
/// a description, too, as from a checkpoint.
TEST(TimeTableScenes, MotorsAreAsStrongAsTheirTablesSay) {
  for (const char* strength : {"[[0, 0], [1, 4]]", "4*t", "\"max(0, 4*t)\""}) {
    const Scene scene = scene_from(fmt::format(
        "gravity: [0, 0, 0]\nstep: 0.01\nbodies:\n"
        "- {{name: plate, shape: {{type: sphere, radius: 0.1}}, mass: 2,\n"
        "   servo: {{axis: [1, 0, 0], speed: 9, max_force: {0}}}}}\n"
        "- {{name: a, shape: {{type: sphere, radius: 0.1}}, mass: 2, position: [0, 1, 0]}}\n"
        "joints:\n- {{type: prismatic, between: [ground, a], at: [0, 1, 0], axis: [1, 0, 0],\n"
        "   motor: {{speed: 9, max_effort: {0}}}}}\n",
        strength));
    const std::string text = description_text(scene.description);
    for (World world : {scene.world, build_world(parse_description(text, "text"))}) {
      Simulation simulation(std::move(world), scene.options);
      for (int i = 0; i < 100; ++i) simulation.step();
      // Σ h F(t) / m at the ends of the steps: 4 (0.01 + 0.02 + ... + 1) 0.01 / 2.
      for (const Index body : {0, 1})
        EXPECT_NEAR(simulation.world().state(body).velocity.x, 1.01, 1e-9) << strength;
    }
  }
}

const std::string measured_scene = R"(step: 1/200
duration: 0.2
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: block, shape: {type: box, size: [0.2, 0.2, 0.2]}, mass: 2, position: [0, 0, 0.1]}
  - {name: bob, shape: {type: sphere, radius: 0.1}, mass: 3, position: [2, 0, 2]}
joints:
  - {name: weld, type: fixed, between: [ground, bob], at: [2, 0, 2]}
sensors:
  - {name: scale, type: contact_force, body: floor}
  - {name: pair, type: contact_force, body: block, other: floor}
  - {name: weld, type: joint_force, joint: weld}
  - {name: corner, type: position, body: block, point: [0.1, 0.1, 0.1]}
  - {name: speed, type: velocity, body: bob}
  - {name: apart, type: distance, between: [block, ground], points: [[0, 0, 0], [0, 3, 0.1]]}
  - {name: "all, in", type: energy}
  - {name: stress, type: stress, box: {min: [-1, -1, -1], max: [1, 1, 1]}}
  - {name: flow, type: flux, point: [0, 0, 1]}
)";

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(SensorScenes, WriteWhatTheyMeasure) {
  const ScratchFolder folder;
  Scene scene = scene_from(measured_scene, {"output={formats: [csv]}"});
  Simulation simulation(std::move(scene.world), scene.options);
  RunRecorder recorder(folder.path("o"), scene, simulation);
  for (int i = 0; i < 40; ++i) {
    simulation.step();
    recorder.record(simulation);
  }
  recorder.finish(simulation);
  const auto lines = lines_of(folder.path("o/sensors.csv"));
  ASSERT_EQ(lines.size(), 41u);
  EXPECT_EQ(lines[0].substr(0, 28), "step,time,scale.force_x,scal");
  EXPECT_NE(lines[0].find(",\"all, in.kinetic\","), std::string::npos);
  std::vector<double> values;
  std::istringstream last(lines.back());
  for (std::string cell; std::getline(last, cell, ',');) values.push_back(std::stod(cell));
  ASSERT_EQ(values.size(), 2u + 6 + 6 + 6 + 3 + 3 + 1 + 3 + 6 + 1);
  constexpr double g = 9.81;
  EXPECT_EQ(values[0], 40);
  EXPECT_NEAR(values[4], -2 * g, 1e-6);           // scale.force_z
  EXPECT_NEAR(values[10], 2 * g, 1e-6);           // pair.force_z
  EXPECT_NEAR(values[16], 3 * g, 1e-6);           // weld.force_z
  EXPECT_NEAR(values[22], 0.2, 1e-6);             // corner.z
  EXPECT_NEAR(values[26], 3, 1e-6);               // apart
  EXPECT_NEAR(values[32], 2 * g * 0.1 / 8, 1e-6); // stress.zz: weight × arm / volume
  EXPECT_EQ(values[36], 0);                       // flow
}

TEST(SensorScenes, GoOnAfterARestart) {
  const ScratchFolder folder;
  const auto run_to = [&](Simulation& simulation, const Scene& scene, const std::string& out,
                          int steps) {
    RunRecorder recorder(folder.path(out), scene, simulation);
    while (simulation.steps() < steps) {
      simulation.step();
      recorder.record(simulation);
    }
    recorder.finish(simulation);
  };
  Scene scene = scene_from(measured_scene);
  Simulation whole(scene.world, scene.options), first(scene.world, scene.options);
  run_to(whole, scene, "whole", 12);
  run_to(first, scene, "parts", 7);
  const Checkpoint checkpoint = read_checkpoint(folder.path("parts/checkpoint.h5"));
  Scene again = scene_of(checkpoint);
  Simulation rest(again.world, again.options);
  rest.restore(checkpoint.state);
  run_to(rest, again, "parts", 12);
  EXPECT_EQ(lines_of(folder.path("parts/sensors.csv")), lines_of(folder.path("whole/sensors.csv")));
}

TEST(SensorScenes, MistakesAreNamedWithTheirLine) {
  const std::string start = "bodies:\n- {name: a, shape: {type: sphere, radius: 0.1}}\nsensors:\n";
  const struct {
    std::string sensor;
    std::vector<std::string> words;
  } cases[] = {
      {"- {name: s}", {"test.yaml:4", "'type' is missing"}},
      {"- {name: s, type: smell}", {"test.yaml:4", "unknown sensor 'smell'"}},
      {"- {name: s, type: position, body: x}", {"test.yaml:4", "there is no body 'x'"}},
      {"- {name: s, type: joint_force, joint: x}", {"test.yaml:4", "there is no joint 'x'"}},
      {"- {name: s, type: energy, body: a}", {"test.yaml:4", "unknown key 'body'"}},
      {"- {name: s, type: energy}\n- {name: s, type: energy}",
       {"test.yaml:5", "the name is taken"}},
      {"- {name: s, type: stress, box: {min: [0, 0, 0], max: [1, 0, 1]}}", {"box is empty"}},
      {"- {name: s, type: flux, point: [0, 0, 0], normal: [0, 0, 0]}", {"normal must not be zero"}},
      {"- {name: s, type: distance, between: [a]}", {"test.yaml:4", "two bodies"}},
  };
  for (const auto& [sensor, words] : cases) {
    try {
      scene_from(start + sensor + "\n");
      ADD_FAILURE() << sensor << " was read";
    } catch (const FileError& error) {
      for (const std::string& word : words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
            << word << " is not in: " << error.what();
    }
  }
}

} // namespace
} // namespace talus::test
