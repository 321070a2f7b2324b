#pragma once
// Scenes: a YAML description (docs/scene.md) turned into a world ready to be stepped.
//
//     Scene scene = load_scene("scenes/hourglass.yaml", {"solver.tolerance=1e-6"});
//     Simulation simulation(std::move(scene.world), scene.options);

#include "talus/step/step_options.h"
#include "talus/world/world.h"

#include <string>
#include <vector>

namespace talus {

/// A file that a scene names, with its content.
struct SceneFile {
  std::string name; ///< As the scene writes it.
  std::string bytes;
};

/// Everything a scene is made from. A source with its files builds the same scene anywhere: this
/// is what checkpoints keep.
struct SceneSource {
  std::string path; ///< For messages, and the place beside which named files are looked for.
  std::string text;
  std::vector<std::string> overrides; ///< "key.path=value", applied in order.
  std::vector<SceneFile> files;       ///< Those not here are read from disk when building.
};

enum class OutputFormat { trajectory, csv, paraview, plot };
inline constexpr int output_formats = 4;
std::string_view to_string(OutputFormat format);

struct OutputOptions {
  std::int64_t every = 1; ///< Steps from frame to frame.
  bool formats[output_formats] = {true, true, true, true};
  bool writes(OutputFormat format) const { return formats[static_cast<int>(format)]; }
};

struct Scene {
  SceneSource source; ///< With all files it names.
  std::string title;  ///< The file's name without folder and extension unless it gives a title.
  World world;
  StepOptions options;
  double duration = 1; ///< s.
  OutputOptions output;
  double reach = 1; ///< How far from the origin its bounded bodies lie at the start, m.
};

/// How far from the origin the bounded shapes of a world lie, m; at least a millimetre.
double reach_of(const World& world);

/// Steps that take the time from 0 to `time`: the first whose end reaches it, up to rounding.
std::int64_t steps_until(double time, double step);

/// Throws FileError.
SceneSource read_scene_source(const std::string& path, std::vector<std::string> overrides = {});

/// Throws FileError with file and line, the offending key and what is allowed, or InvalidArgument
/// when an override is at fault.
Scene build_scene(SceneSource source);

inline Scene load_scene(const std::string& path, std::vector<std::string> overrides = {}) {
  return build_scene(read_scene_source(path, std::move(overrides)));
}

} // namespace talus
