// Sensors against closed forms, and the forces that files of a run hold.

#include "scene_text.h"
#include "talus/core/error.h"
#include "talus/core/files/hdf5_file.h"
#include "talus/io/checkpoint.h"
#include "talus/io/output/trajectory.h"
#include "talus/io/recorder.h"
#include "talus/io/sensor.h"
#include "talus/step/forces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

namespace talus::test {
namespace {

constexpr double g = 9.81;

/// What a scene's sensors read after some steps, by the names of their columns.
class Readings {
public:
  explicit Readings(const std::string& text) : scene_(scene_from(text)) {
    for (const SensorDescription& each : scene_.description.sensors)
      sensors_.emplace_back(each, scene_.world);
    simulation_.emplace(std::move(scene_.world), scene_.options);
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) simulation_->step();
  }
  double operator[](const std::string& column) const {
    std::vector<double> numbers;
    std::vector<std::string> names;
    for (const Sensor& sensor : sensors_) {
      sensor.read(*simulation_, numbers);
      for (const std::string& name : sensor.columns()) names.push_back(name);
    }
    EXPECT_EQ(names.size(), numbers.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == column) return numbers[i];
    ADD_FAILURE() << "no column " << column;
    return 0;
  }
  const Simulation& simulation() const { return *simulation_; }
  const std::vector<Sensor>& sensors() const { return sensors_; }

private:
  Scene scene_;
  std::vector<Sensor> sensors_;
  std::optional<Simulation> simulation_;
};

/// A plate that a force of 50 N pushes against a block at a wall: the wall feels 50 N.
TEST(Sensors, PlateThatPushesAWallIsAskedHowHard) {
  Readings readings(R"(
gravity: [0, 0, 0]
step: 1/500
bodies:
  - {name: wall, motion: fixed, shape: {type: box, size: [0.1, 2, 2]}, position: [1.05, 0, 0]}
  - {name: block, shape: {type: box, size: [0.4, 0.4, 0.4]}, position: [0.8, 0, 0]}
  - {name: plate, shape: {type: box, size: [0.1, 1, 1]}, position: [0.55, 0, 0], mass: 4}
joints:
  - {name: slide, type: prismatic, between: [ground, plate], at: [0.55, 0, 0], axis: [1, 0, 0],
     effort: 50}
sensors:
  - {name: wall, type: contact_force, body: wall}
  - {name: pair, type: contact_force, body: plate, other: block}
  - {name: both, type: contact_force, body: [plate, block]}
  - {name: slide, type: joint_force, joint: slide}
  - {name: effort, type: motor_effort, joint: slide}
)");
  readings.run(200);
  EXPECT_NEAR(readings["wall.force_x"], 50, 1e-4);
  EXPECT_NEAR(readings["pair.force_x"], -50, 1e-4);
  EXPECT_NEAR(readings["both.force_x"], -50, 1e-4); // the contact inside the group cancels
  EXPECT_NEAR(readings["slide.force_x"], 0, 5e-3);  // the guide has nothing to hold
  EXPECT_EQ(readings["effort"], 0);
  const ForceSums sums = force_sums(readings.simulation());
  EXPECT_NEAR(sums.support.x, -50, 1e-4); // of the wall on what moves
}

/// Balls on a tray: the group of all of them weighs what they weigh together, and its torque about
/// the origin is that of the weights.
TEST(Sensors, GroupsOfBodiesWeighTheirSum) {
  Readings readings(R"(
step: 1/200
bodies:
  - {name: tray, motion: fixed, shape: {type: half_space}}
  - {name: ball 1, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [1, 0, 0.1], mass: 1}
  - {name: ball 2, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [1, 0, 0.3], mass: 2}
  - {name: ball 3, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [-1, 0, 0.1], mass: 4}
  - {name: stone, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [3, 0, 0.1], mass: 8}
sensors:
  - {name: balls, type: contact_force, body: "ball*"}
  - {name: first, type: contact_force, body: "ball*", other: tray}
  - {name: lower, type: contact_force, body: [ball 1], other: [ball 2, ball 3]}
)");
  readings.run(60);
  EXPECT_NEAR(readings["balls.force_z"], 7 * g, 1e-4);
  EXPECT_NEAR(readings["first.force_z"], 7 * g, 1e-4);
  EXPECT_NEAR(readings["lower.force_z"], -2 * g, 1e-4);
  // r × F with F along z: torque_y = -x F.
  EXPECT_NEAR(readings["balls.torque_y"], -(3 * g) * 1 + 4 * g * 1, 1e-4);
  EXPECT_NEAR(force_sums(readings.simulation()).support.z, 15 * g, 1e-3);
}

/// A column of N blocks, each of height d and mass m on area A. In the lower half, in a box that
/// cuts no contact, the mean of σ_zz is that of the weight above the contacts: Σ f d / V.
TEST(Sensors, StressUnderAColumnIsTheWeightAbove) {
  std::string text = R"(
step: 1/200
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
)";
  constexpr int blocks = 10;
  constexpr double side = 0.2, mass = 3;
  for (int i = 0; i < blocks; ++i)
    text += fmt::format("  - {{name: b{}, shape: {{type: box, size: [0.2, 0.2, 0.2]}}, mass: 3, "
                        "position: [0, 0, {}]}}\n",
                        i, side * (i + 0.5));
  // From the middle of block 1 to the middle of block 4: the contacts under blocks 2, 3 and 4.
  text += R"(
sensors:
  - {name: s, type: stress, box: {min: [-0.2, -0.2, 0.3], max: [0.2, 0.2, 0.9]}}
)";
  Readings readings(text);
  readings.run(100);
  // Half of the arm of a contact belongs to either block; the mean weight above is that of 7
  // blocks.
  const double pressure = 7 * mass * g / (0.4 * 0.4); // over the area of the box
  EXPECT_NEAR(readings["s.zz"] / pressure, 1, 1e-3);
  EXPECT_NEAR(readings["s.xx"] / pressure, 0, 1e-3);
  EXPECT_NEAR(readings["s.xz"] / pressure, 0, 1e-3);
}

/// Balls that fall through a plane one after the other: the flux, summed over time, is their mass.
TEST(Sensors, FluxOfFallingBallsIsTheirMass) {
  std::string text = "step: 1/250\nbodies:\n";
  for (int i = 0; i < 12; ++i)
    text += fmt::format("  - {{name: b{}, shape: {{type: sphere, radius: 0.05}}, mass: 0.25, "
                        "position: [{}, 0, {}]}}\n",
                        i, 0.2 * i, 0.5 + 0.1 * i);
  text += "sensors:\n  - {name: down, type: flux, point: [0, 0, 0], normal: [0, 0, -1]}\n";
  Readings readings(text);
  double mass = 0;
  int fallen = 0;
  const double h = 1.0 / 250;
  for (int step = 1; step <= 200; ++step) {
    readings.run(1);
    mass += h * readings["down"];
    fallen = 0;
    // z after n implicit steps: z0 - g h² n (n + 1) / 2.
    for (int i = 0; i < 12; ++i) fallen += 0.5 + 0.1 * i - g * h * h * step * (step + 1) / 2 < 0;
    ASSERT_NEAR(mass, 0.25 * fallen, 1e-9) << "after step " << step;
  }
  EXPECT_EQ(fallen, 12);
}

/// A pendulum: position, velocity, distance and energy of its bob.
TEST(Sensors, PositionVelocityDistanceAndEnergyOfAPendulum) {
  Readings readings(R"(
step: 1/1000
bodies:
  - {name: bob, shape: {type: sphere, radius: 0.01}, mass: 2, position: [1, 0, 0]}
joints:
  - {name: pin, type: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}
sensors:
  - {name: x, type: position, body: bob}
  - {name: v, type: velocity, body: bob}
  - {name: far, type: distance, between: [bob, ground]}
  - {name: e, type: energy}
  - {name: q, type: joint_position, joint: pin}
  - {name: w, type: joint_velocity, joint: pin}
)");
  readings.run(200);
  const double x = readings["x.x"], z = readings["x.z"];
  EXPECT_NEAR(readings["far"], 1, 1e-5); // joints drift by O(h²) in a step
  EXPECT_NEAR(std::hypot(x, z), readings["far"], 1e-12);
  EXPECT_NEAR(readings["q"], std::atan2(-z, x), 1e-5); // about +y
  EXPECT_NEAR(readings["w"], std::hypot(readings["v.x"], readings["v.z"]), 1e-5);
  EXPECT_NEAR(readings["e.potential"], 2 * g * z, 1e-9);
  const double inertia = 2 * (1 + 0.4 * 0.01 * 0.01);
  EXPECT_NEAR(readings["e.kinetic"], 0.5 * inertia * readings["w"] * readings["w"], 1e-4);
  for (const Sensor& sensor : readings.sensors())
    EXPECT_EQ(sensor.columns().size(), sensor.units(readings.simulation().world()).size());
}

TEST(Sensors, MistakesInGroupsAreNamedWithTheirLine) {
  const std::string start = "bodies:\n- {name: a, shape: {type: sphere, radius: 0.1}}\nsensors:\n";
  const std::pair<std::string, std::string> cases[] = {
      {"- {name: s, type: contact_force, body: [a, b]}", "there is no body 'b'"},
      {"- {name: s, type: contact_force, body: []}", "body is empty"},
      {"- {name: s, type: contact_force, body: 'x*'}", "no body has a name like 'x*'"},
      {"- {name: s, type: contact_force, body: a, other: [a]}", "'a' is on both sides"},
      {"- {name: s, type: contact_force}", "'body' is missing"},
      {"- {name: s, type: position, body: [a]}", "body"},
  };
  for (const auto& [sensor, words] : cases) {
    try {
      scene_from(start + sensor + "\n");
      ADD_FAILURE() << sensor << " was read";
    } catch (const FileError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("test.yaml:4"), std::string::npos) << text;
      EXPECT_NE(text.find(words), std::string::npos) << words << " is not in: " << text;
    }
  }
}

constexpr const char* recorded_scene = R"(
step: 1/200
output: {every: 2, formats: [trajectory, csv, paraview]}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: block, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [0, 0, 0.1], mass: 2}
  - {name: bob, shape: {type: sphere, radius: 0.1}, position: [3, 0, 1], mass: 3}
joints:
  - {name: weld, type: fixed, between: [ground, bob], at: [3, 0, 1]}
sensors:
  - {name: scale, type: contact_force, body: "bl*"}
)";

void record_until(const ScratchFolder& folder, const std::string& out, const Scene& scene,
                  Simulation& simulation, int steps) {
  RunRecorder recorder(folder.path(out), scene, simulation);
  while (simulation.steps() < steps) {
    simulation.step();
    recorder.record(simulation);
  }
  recorder.finish(simulation);
}

TEST(RecordedForces, AreInTheTrajectoryAndInSteps) {
  const ScratchFolder folder;
  const Scene scene = scene_from(recorded_scene);
  Simulation simulation(scene.world, scene.options);
  record_until(folder, "o", scene, simulation, 20);
  const TrajectoryReader reader(folder.path("o/trajectory.h5"));
  const Index last = reader.frames() - 1;
  const auto contact = reader.forces("contact_force", last);
  ASSERT_EQ(contact.size(), 9u);
  EXPECT_NEAR(contact[2], -2 * g, 1e-4);
  EXPECT_NEAR(contact[5], 2 * g, 1e-4);
  EXPECT_EQ(contact[8], 0);
  const auto joint = reader.forces("joint_force", last);
  ASSERT_EQ(joint.size(), 3u);
  EXPECT_NEAR(joint[2], 3 * g, 1e-4);
  EXPECT_EQ(reader.forces("joint_position", last).size(), 1u);
  EXPECT_EQ(reader.file().read_string("/sensors/columns").substr(0, 14), "scale.force_x\n");
  EXPECT_EQ(reader.file().read_string("/sensors/units"), "N\nN\nN\nN m\nN m\nN m\n");
  std::ifstream table(folder.path("o/steps.csv"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);) lines.push_back(line);
  EXPECT_TRUE(
      lines[0].ends_with(",support_x,support_y,support_z,max_contact_force,max_joint_force"));
  std::vector<double> values;
  std::istringstream cells(
      lines.back().substr(lines.back().rfind(',', lines.back().rfind(',') - 1)));
  std::string cell;
  std::getline(cells, cell, ',');
  while (std::getline(cells, cell, ',')) values.push_back(std::stod(cell));
  ASSERT_EQ(values.size(), 2u);
  EXPECT_NEAR(values[0], 2 * g / 4, 1e-4); // the floor holds the block at four corners
  EXPECT_NEAR(values[1], 3 * g, 1e-4);
  EXPECT_TRUE(std::filesystem::exists(folder.path("o/paraview/joints.pvd")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("o/paraview/joints_000020.vtp")));
}

TEST(RecordedForces, GoOnAfterARestart) {
  const ScratchFolder folder;
  const Scene scene = scene_from(recorded_scene);
  Simulation whole(scene.world, scene.options), first(scene.world, scene.options);
  record_until(folder, "whole", scene, whole, 12);
  record_until(folder, "parts", scene, first, 6);
  const Checkpoint checkpoint = read_checkpoint(folder.path("parts/checkpoint.h5"));
  const Scene again = scene_of(checkpoint);
  EXPECT_EQ(again.description.sensors.at(0).group, std::vector<std::string>{"bl*"});
  Simulation rest(again.world, again.options);
  rest.restore(checkpoint.state);
  record_until(folder, "parts", again, rest, 12);
  const TrajectoryReader a(folder.path("whole/trajectory.h5"));
  const TrajectoryReader b(folder.path("parts/trajectory.h5"));
  ASSERT_EQ(a.frames(), b.frames());
  for (const char* name : {"contact_force", "contact_torque", "joint_force", "joint_torque",
                           "joint_position", "joint_velocity", "motor_effort"})
    for (Index f = 0; f < a.frames(); ++f) EXPECT_EQ(a.forces(name, f), b.forces(name, f)) << name;
}

} // namespace
} // namespace talus::test
