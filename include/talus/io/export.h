#pragma once
// Worlds for other programs, and as scene files: the way back from a description.
//
//     write_text("arm.yaml", scene_text(import_model("arm.urdf").description));
//     ExportedModel model = mjcf_text(load_scene("scenes/slider_crank.yaml").description);

#include "talus/io/world_description.h"

#include <string>
#include <utility>
#include <vector>

namespace talus {

/// The description as a scene file (docs/scene.md): step, duration, gravity, materials, shapes,
/// bodies, joints and exclusions; settings of the solver and sensors are not written. Throws
/// InvalidArgument for triangle meshes, which scenes have in files of their own.
std::string scene_text(const WorldDescription& description);

struct ExportedModel {
  std::string text;
  /// Meshes that the text names, relative to it: name and content (OBJ).
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> warnings; ///< What the format cannot say, "joint 'x': ...".
};

/// A URDF file: a tree of links below the fixed link `world`. `stem` is the name of the file
/// without its extension, for the folder of its meshes. Throws InvalidArgument for joints in the
/// tree that URDF does not have.
ExportedModel urdf_text(const WorldDescription& description, const std::string& stem);

/// An MJCF file. Throws InvalidArgument for joints in the tree that MJCF does not have.
ExportedModel mjcf_text(const WorldDescription& description);

/// The dynamic bodies of a world where they are now, at rest, with their shapes and materials: what
/// the generator `settled` of scenes reads (docs/scene.md). `world` was built from `description`.
/// With `decimals`, positions and orientations are rounded to as many, which makes the text short.
std::string settled_text(const WorldDescription& description, const World& world,
                         std::optional<int> decimals = {});

} // namespace talus
