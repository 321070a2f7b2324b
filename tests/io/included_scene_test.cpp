// Scene files inside scene files (docs/howto/import.md).

#include "scratch_folder.h"
#include "talus/core/error.h"
#include "talus/io/scene.h"
#include "talus/io/sensor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

namespace talus::test {
namespace {

constexpr const char* cart = R"(materials:
  rubber: {friction: 0.9}
bodies:
- {name: hull, shape: {type: box, size: [1, 0.5, 0.2]}, position: [0, 0, 0.5]}
- {name: wheel, material: rubber, shape: {type: sphere, radius: 0.2}, position: [0.4, 0, 0.2]}
- {name: flag, shape: {type: compound, parts: [{shape: {type: sphere, radius: 0.05}, position: [0, 0, 0.1]}]}, position: [0, 0, 2]}
joints:
- {name: axle, type: revolute, between: [hull, wheel], at: [0.4, 0, 0.2], axis: [0, 1, 0], motor: {speed: 3, max_effort: 5}}
no_contacts: [[hull, flag]]
sensors:
- {name: slip, type: slip, joint: axle, body: hull, radius: 0.2}
- {name: all, type: energy}
)";

Scene scene_with(const ScratchFolder& folder, const std::string& text) {
  std::ofstream(folder.path("cart.yaml")) << cart;
  return build_scene({folder.path("scene.yaml"), text, {}, {}});
}

TEST(IncludedScene, PlacesTurnsAndNamesAMachine) {
  const ScratchFolder folder;
  const Scene scene = scene_with(
      folder, "include:\n- {file: cart.yaml, prefix: a_}\n"
              "- {file: cart.yaml, prefix: b_, at: [0, 3, 0], orientation: {axis: [0, 0, 1], "
              "angle: 90}}\n");
  ASSERT_EQ(scene.world.size(), 6);
  const Vec3 wheel = scene.world.pose(scene.world.find_body("b_wheel")).position;
  EXPECT_NEAR(norm(wheel - Vec3{0, 3.4, 0.2}), 0, 1e-15);
  for (const char* flag : {"a_flag", "b_flag"}) // its part is the small sphere, not another shape
    EXPECT_NEAR(scene.world.body(scene.world.find_body(flag)).mass,
                1000 * 4.0 / 3 * std::numbers::pi * 1.25e-4, 1e-9);
  ASSERT_GE(scene.world.find_joint("b_axle"), 0);
  const auto [frame, other] =
      joint_frames(scene.world, scene.world.joint(scene.world.find_joint("b_axle")));
  EXPECT_NEAR(norm(rotate(frame.rotation, {0, 0, 1}) - Vec3{-1, 0, 0}), 0, 1e-15);
  EXPECT_EQ(scene.description.materials.find("rubber") > 0, true);
  ASSERT_EQ(scene.description.sensors.size(), 2u); // without the energy of the whole world
  EXPECT_EQ(scene.description.sensors[1].joint, "b_axle");
  EXPECT_EQ(scene.world.contact_exclusions().size(),
            4u); // of each cart: by no_contacts, by the joint
}

TEST(IncludedScene, MovesAsTheSceneAlone) {
  const ScratchFolder folder;
  const std::string floor = "bodies:\n- {name: floor, motion: fixed, shape: {type: half_space}}\n";
  const Scene inside = scene_with(folder, "include: {file: cart.yaml}\n" + floor);
  std::string alone = cart;
  alone.insert(alone.find("- {name: hull"),
               "- {name: floor, motion: fixed, shape: {type: half_space}}\n");
  const Scene outside = build_scene({"alone.yaml", alone, {}, {}});
  Simulation a(inside.world, inside.options), b(outside.world, outside.options);
  for (int k = 0; k < 60; ++k) a.step(), b.step();
  const Vec3 one = a.world().pose(a.world().find_body("hull")).position;
  const Vec3 two = b.world().pose(b.world().find_body("hull")).position;
  EXPECT_NEAR(norm(one - two), 0, 1e-9);
}

TEST(IncludedScene, SourceHoldsItsFiles) {
  const ScratchFolder folder;
  const Scene scene = scene_with(folder, "include: {file: cart.yaml}\n");
  std::filesystem::remove(folder.path("cart.yaml"));
  EXPECT_EQ(build_scene(scene.source).world.size(), 3);
}

TEST(IncludedScene, RefusesWhatItCannotDo) {
  const ScratchFolder folder;
  std::ofstream(folder.path("loop.yaml")) << "include: {file: loop.yaml}\n";
  std::ofstream(folder.path("wind.yaml"))
      << "bodies:\n- {name: kite, shape: {type: sphere, radius: 1}, force: [\"sin(t)\", 0, 0]}\n";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"include: {file: loop.yaml}\n", "not scenes"},
      {"include: {file: none.yaml}\n", "no such file"},
      {"include: {file: cart.yaml, angles: {axle: 3}}\n", "for models"},
      {"include: {file: cart.txt}\n", "is no model"},
      {"include: [{file: cart.yaml}, {file: cart.yaml}]\n", "hull"},
      {"include: {file: wind.yaml, orientation: {axis: [0, 0, 1], angle: 90}}\n",
       "cannot be turned"},
  };
  for (const auto& [text, word] : table) {
    try {
      scene_with(folder, text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

TEST(SlipSensor, TellsHowFarAWheelSlips) {
  const auto number = [](double speed, double turn) {
    const Scene scene = build_scene(
        {"slip.yaml",
         fmt::format(
             "gravity: [0, 0, 0]\nbodies:\n- {{name: hull, shape: {{type: sphere, radius: 1}}, "
             "velocity: [{0}, 0, 0]}}\n- {{name: wheel, shape: {{type: sphere, radius: 0.5}}, "
             "velocity: [{0}, 0, 0], angular_velocity: [0, {1}, 0]}}\njoints:\n- {{name: axle, "
             "type: revolute, between: [hull, wheel], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
             "sensors:\n- {{name: slip, type: slip, joint: axle, body: hull, radius: 0.5}}\n",
             speed, turn),
         {},
         {}});
    Simulation simulation(scene.world, scene.options);
    simulation.step();
    std::vector<double> numbers;
    Sensor(scene.description.sensors[0], simulation.world()).read(simulation, numbers);
    return numbers.at(0);
  };
  EXPECT_NEAR(number(1, 2), 0, 1e-12); // rolls
  EXPECT_NEAR(number(0, 2), 1, 1e-12); // turns on the spot
  EXPECT_NEAR(number(0.5, 2), 0.5, 1e-12);
  EXPECT_NEAR(number(2, 2), -0.5, 1e-12); // is pushed
  EXPECT_NEAR(number(1, 0), -1, 1e-12);   // locked
  EXPECT_EQ(number(0, 0), 0);
}

} // namespace
} // namespace talus::test
