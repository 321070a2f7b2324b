#pragma once
// A scene file as a tree of values that know where they were written, so that every later complaint
// can name file and line. YAML is read once and never asked again.

#include "talus/core/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// Where a value comes from: a line of a file, or a command-line override.
struct ScenePlace {
  std::string file;
  int line = 0;             ///< From 1; 0 for overrides.
  bool is_override = false; ///< Then `file` holds the override as it was given.
};

struct SceneMember;

struct SceneValue {
  enum class Kind { nothing, scalar, list, mapping };

  Kind kind = Kind::nothing;
  std::string text;                 ///< Of a scalar.
  std::vector<SceneValue> items;    ///< Of a list.
  std::vector<SceneMember> members; ///< Of a mapping, in file order.
  ScenePlace place;

  /// The member of that name, or null.
  const SceneValue* find(std::string_view key) const;
};

struct SceneMember {
  std::string name;
  SceneValue value;
};

/// "a scalar", "a list", ...
std::string_view words(SceneValue::Kind kind);

/// A value given by an override is at fault.
class OverrideError : public InvalidArgument {
public:
  using InvalidArgument::InvalidArgument;
};

/// Throws what is wrong with a value: FileError "file:line: what", or OverrideError for a value
/// that came from an override.
[[noreturn]] void fail_at(const ScenePlace& place, const std::string& what);

/// Parses YAML text (scene_yaml.h); `file` is used in messages only. Throws FileError with file and
/// line.
SceneValue parse_scene_text(const std::string& text, const std::string& file);

/// Changes one value: "key.path=value", the value in YAML. Parts of the path are keys of mappings,
/// and positions (from 0) or the `name` of an element in lists. Missing mappings on the way are
/// made; missing list elements are an error. Throws InvalidArgument.
void apply_override(SceneValue& root, const std::string& assignment);

} // namespace talus
