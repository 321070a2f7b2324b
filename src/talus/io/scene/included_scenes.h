#pragma once
// Scene files inside other scene files: a machine in one file, and the scenes that use it.

#include "talus/io/description/scene_part.h"
#include "talus/io/import.h"
#include "talus/io/scene.h"

namespace talus {

/// Whether the name ends like that of a scene file: .yaml or .yml.
bool is_scene_file(std::string_view path);

/// The bodies, joints, materials, sensors and exclusions of the scene at `path`, placed and named
/// as the options say. Files that it names are taken from `source`, or read and added to it. With a
/// part (else null) the bodies are those of the part. Throws FileError, InvalidArgument where the
/// scene cannot be turned.
ImportedModel scene_as_model(const std::string& path, const ImportOptions& options,
                             const ModelFileReader& reader, SceneSource& source, ScenePart* part);

} // namespace talus
