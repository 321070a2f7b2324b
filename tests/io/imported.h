#pragma once
// The models under models/, and their motions.

#include "scene_text.h"
#include "talus/io/import.h"
#include "talus/step/simulation.h"

#include <gtest/gtest.h>

namespace talus::test {

inline const std::vector<std::string> machines = {"double_pendulum", "four_bar", "arm",
                                                  "quadruped",       "gripper",  "car"};

inline std::string model_folder() {
  return (scene_folder().parent_path() / "models").string() + "/";
}

/// Steps of 2 ms, solved as exactly as it goes. Those that are free fall on a slope.
inline std::string settings_of(const std::string& machine) {
  std::string text = "step: 0.002\nsolver: {tolerance: 1e-13}\n";
  if (machine == "quadruped" || machine == "car")
    text += "gravity: [1, 0.3, -9.7]\nno_contacts: []\n";
  return text;
}

/// A floor below those that are free.
inline std::string floor_of(const std::string& machine) {
  const double height = machine == "quadruped" ? -0.36 : -0.11;
  if (machine != "quadruped" && machine != "car") return "";
  return "  - {name: floor, motion: fixed, shape: {type: half_space, offset: " +
         std::to_string(height) + "}}\n";
}

/// A scene that includes the model, with a floor.
inline Scene scene_with(const std::string& machine, const std::string& file,
                        const std::string& more = "") {
  const std::string floor = floor_of(machine);
  const std::string text = settings_of(machine) + "include: {file: " + file + more + "}\n" +
                           (floor.empty() ? "" : "bodies:\n" + floor);
  return build_scene({model_folder() + "test.yaml", text, {}, {}});
}

/// The scene written by hand, with the same floor.
inline Scene scene_by_hand(const std::string& machine) {
  SceneSource source = read_scene_source(model_folder() + machine + ".yaml");
  const std::size_t at = source.text.find("bodies:\n") + 8;
  source.text = settings_of(machine) + source.text.insert(at, floor_of(machine));
  return build_scene(std::move(source));
}

inline ImportOptions from_keyframe(const std::string& name) {
  ImportOptions options;
  options.keyframe = name;
  return options;
}
inline ImportOptions starting_with(const std::string& joint, double position) {
  ImportOptions options;
  options.positions = {{joint, position}};
  return options;
}

/// Poses of the bodies of these names after so many steps.
inline std::vector<Transform> poses_after(Scene scene, int steps,
                                          const std::vector<std::string>& names) {
  Simulation simulation(std::move(scene.world), scene.options);
  for (int i = 0; i < steps; ++i) simulation.step();
  std::vector<Transform> poses;
  for (const std::string& name : names) {
    const Index body = simulation.world().find_body(name);
    EXPECT_GE(body, 0) << name;
    poses.push_back(body < 0 ? Transform{} : simulation.world().pose(body));
  }
  return poses;
}

inline std::vector<std::string> moving_bodies(const Scene& scene) {
  std::vector<std::string> names;
  for (const Body& body : scene.world.bodies())
    if (body.kind == BodyKind::dynamic) names.push_back(body.name);
  return names;
}

inline double largest_difference(const std::vector<Transform>& a, const std::vector<Transform>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, norm(a[i].position - b[i].position));
    largest = std::max(largest, norm(logarithmic_map(conjugate(a[i].rotation) * b[i].rotation)));
  }
  return largest;
}

/// The error that a model gives, written as m.urdf or m.xml.
inline std::string error_of(const std::string& name, const std::string& text) {
  const ScratchFolder folder;
  try {
    const ImportedModel model = import_model(folder.write(name, text));
    build_world(model.description);
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::size_t at = message.find(name);
    return at == std::string::npos ? message : message.substr(at);
  }
  return "";
}

} // namespace talus::test
