#pragma once
// Models of other programs: URDF (.urdf) and MJCF (.xml, .mjcf) files, turned into descriptions of
// worlds (world_description.h). docs/howto/import.md lists what is read.
//
//     ImportedModel arm = import_model("arm.urdf", {.merge_fixed = true});
//     Simulation simulation(build_world(arm.description), arm.description.step);
//
// Units become SI and radians. Collision meshes (OBJ, STL, DAE) become their convex hulls. Every
// element and attribute that is not read is named in a warning with file and line.

#include "talus/io/world_description.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talus {

/// `automatic`: as the file says. A URDF says it by the name `world` of its root, which is fixed,
/// or by a root without mass; every other root is free.
enum class BaseKind { automatic, fixed, free };

struct ImportOptions {
  BaseKind base = BaseKind::automatic;
  bool merge_fixed = false; ///< Links that are welded together become one body.
  std::string prefix;       ///< Before the names of bodies and joints.
  std::string material;     ///< Of all bodies, instead of the file's; empty: the file's.
  Transform at;             ///< Where the origin of the model lies.
  std::string keyframe;     ///< Of an MJCF file, where to start; empty: its reference position.
  /// Coordinates of joints at the start, rad or m, by their names in the file.
  std::vector<std::pair<std::string, double>> positions;
};

struct ImportedModel {
  WorldDescription description;      ///< Step and gravity are the model's where it gives them.
  std::vector<std::string> warnings; ///< "file:line: ...".
  /// Where bodies, joints and excluded contacts were written: "file:line".
  std::vector<std::string> body_places, joint_places, no_contact_places;
  bool gives_gravity = false, gives_step = false;
};

/// Reads a file; nothing if there is none. The default reads from disk.
using ModelFileReader = std::function<std::optional<std::string>(const std::string& path)>;

/// Whether the name ends like that of a model: .urdf, .xml or .mjcf.
bool is_model_file(std::string_view path);

/// Throws FileError with file and line for what cannot be read, and for files that the model names
/// outside its folder; InvalidArgument for options that do not fit the model.
ImportedModel import_model(const std::string& path, const ImportOptions& options = {},
                           const ModelFileReader& reader = {});

} // namespace talus
