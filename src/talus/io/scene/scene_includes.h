#pragma once
// Models of other programs in scenes, and bodies that do not touch.

#include "talus/io/import.h"
#include "talus/io/scene/scene_shapes.h"

namespace talus {

struct Included {
  std::vector<std::string> warnings; ///< Of the models, "file:line: ...".
  std::optional<double> step;        ///< Of a model whose settings the scene takes.
};

/// The section `include`. Files that models name are taken from the source; those read from disk
/// are added to it.
Included read_includes(const SceneFields& scene, SceneSource& source, WorldDraft& draft);

/// The section `no_contacts`.
void read_no_contacts(const SceneValue& section, WorldDraft& draft);

/// The scene of a model alone, with its settings.
std::string scene_of_model(const std::string& file, const ImportOptions& options);

} // namespace talus
