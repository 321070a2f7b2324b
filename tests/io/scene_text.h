#pragma once
// Scenes as text, for tests.

#include "scratch_folder.h"
#include "talus/io/scene.h"

#include <filesystem>
#include <string>
#include <vector>

namespace talus::test {

inline std::filesystem::path scene_folder() {
  return std::filesystem::path(TALUS_TEST_DATA_DIR).parent_path().parent_path() / "scenes";
}

inline std::vector<std::string> shipped_scenes() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(scene_folder()))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline std::string shipped_scene(const std::string& name) {
  return (scene_folder() / (name + ".yaml")).string();
}

inline Scene scene_from(const std::string& text, std::vector<std::string> overrides = {}) {
  return build_scene({"test.yaml", text, std::move(overrides), {}});
}

/// A ball above a floor, and a box that slides.
inline const std::string small_scene = R"(step: 1/100
duration: 0.3
materials:
  wood: {friction: 0.3}
bodies:
  - {name: floor, motion: fixed, shape: {type: half_space}}
  - {name: ball, shape: {type: sphere, radius: 0.1}, position: [0, 0, 0.15], velocity: [1, 0.5, 0]}
  - {name: box, material: wood, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [1, 0, 0.1], velocity: [1, 0, 0]}
)";

} // namespace talus::test
