#pragma once
// YAML text as a tree of values. The text is not trusted: whatever it holds, it is read in time and
// memory that its own length bounds.

#include "talus/io/scene/scene_tree.h"

#include <string>

namespace talus {

/// The one document of the text, its aliases expanded. `origin` says where the text comes from;
/// its line is not used. Throws by fail_at() for bad syntax, text after the end of the document,
/// keys that occur twice or are not plain words, and values that are nested too deeply or are (by
/// aliases) too many.
SceneValue read_yaml(const std::string& text, const ScenePlace& origin);

/// Values may lie in this many others.
inline constexpr int deepest_value = 64;

} // namespace talus
