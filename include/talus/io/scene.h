#pragma once
// Scenes: a YAML file (docs/scene.md) turned into a description of a world (world_description.h),
// and that into a world ready to be stepped.
//
//     Scene scene = load_scene("scenes/hourglass.yaml", {"solver.tolerance=1e-6"});
//     Simulation simulation(std::move(scene.world), scene.options);

#include "talus/io/import.h"
#include "talus/io/world_description.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace talus {

/// A file that a scene names, with its content.
struct SceneFile {
  std::string name; ///< As the scene writes it.
  std::string bytes;
};

/// Everything a scene is made from. A source with its files builds the same scene anywhere.
struct SceneSource {
  std::string path; ///< For messages, and the place beside which named files are looked for.
  std::string text;
  std::vector<std::string> overrides; ///< "key.path=value", applied in order.
  std::vector<SceneFile> files;       ///< Those not here are read from disk when building.
};

/// What a run of the scene is to show: a number made of one column of its sensors, and the range in
/// which it is expected.
struct Finding {
  enum class Value { last, largest, smallest, mean, change, span };

  std::string says;   ///< In words.
  std::string column; ///< Of sensors.csv.
  Value value = Value::last;
  double after = 0; ///< Only steps that end after this time count, s.
  double before = std::numeric_limits<double>::infinity();
  double least = -std::numeric_limits<double>::infinity(); ///< Of the expected range.
  double most = std::numeric_limits<double>::infinity();
};

struct Scene {
  SceneSource source;           ///< With all files it names.
  WorldDescription description; ///< What the rest was built from.
  std::string title; ///< The file's name without folder and extension unless it gives a title.
  World world;
  StepOptions options;
  double duration = 1; ///< s.
  OutputOptions output;
  /// What of an included model was left out, "robot.urdf:12: ...".
  std::vector<std::string> warnings;
  std::optional<Finding> finding; ///< Of scene files only; checkpoints do not keep it.
  double reach = 1; ///< How far from the origin its bounded bodies lie at the start, m.
};

/// How far from the origin the bounded shapes of a world lie, m; at least a millimetre.
double reach_of(const World& world);

/// Steps that take the time from 0 to `time`: the first whose end reaches it, up to rounding.
std::int64_t steps_until(double time, double step);

/// Of a model (io/import.h), the source of a scene that includes it with its settings. Throws
/// FileError.
SceneSource read_scene_source(const std::string& path, std::vector<std::string> overrides = {});
/// The options are for models only.
SceneSource read_scene_source(const std::string& path, const ImportOptions& options,
                              std::vector<std::string> overrides = {});

/// Throws FileError with file and line, the offending key and what is allowed, or InvalidArgument
/// when an override is at fault.
Scene build_scene(SceneSource source);

/// The scene of a description from elsewhere; `source` says where it comes from and may be empty.
/// Throws InvalidArgument for what cannot be built.
Scene build_scene(WorldDescription description, SceneSource source = {});

inline Scene load_scene(const std::string& path, std::vector<std::string> overrides = {}) {
  return build_scene(read_scene_source(path, std::move(overrides)));
}

} // namespace talus
