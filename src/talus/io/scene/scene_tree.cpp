#include "talus/io/scene/scene_tree.h"

#include "talus/io/scene/scene_yaml.h"

#include <fmt/format.h>

#include <charconv>

namespace talus {

namespace {

std::string names_in(const SceneValue& list) {
  std::vector<std::string> names;
  for (const SceneValue& item : list.items)
    if (const SceneValue* name = item.find("name")) names.push_back(name->text);
  return names.empty() ? "" : fmt::format(" or a name ({})", fmt::join(names, ", "));
}

SceneValue& element(SceneValue& list, const std::string& part, const ScenePlace& place) {
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), position);
  if (error == std::errc() && end == part.data() + part.size() && position < list.items.size())
    return list.items[position];
  for (SceneValue& item : list.items) {
    const SceneValue* name = item.find("name");
    if (name && name->text == part) return item;
  }
  fail_at(place, list.items.empty()
                     ? fmt::format("'{}' is an element of an empty list", part)
                     : fmt::format("the list has no element '{}'; it takes a position from 0 to "
                                   "{}{}",
                                   part, list.items.size() - 1, names_in(list)));
}

SceneValue& member(SceneValue& mapping, const std::string& key) {
  for (auto& [name, value] : mapping.members)
    if (name == key) return value;
  mapping.members.push_back({key, {}});
  return mapping.members.back().value;
}

} // namespace

const SceneValue* SceneValue::find(std::string_view key) const {
  for (const auto& [name, value] : members)
    if (name == key) return &value;
  return nullptr;
}

std::string_view words(SceneValue::Kind kind) {
  constexpr std::string_view names[] = {"nothing", "a single value", "a list", "a mapping"};
  return names[static_cast<int>(kind)];
}

void fail_at(const ScenePlace& place, const std::string& what) {
  if (place.is_override) throw OverrideError(fmt::format("--set {}: {}", place.file, what));
  throw FileError(fmt::format("{}:{}", place.file, place.line), what);
}

SceneValue parse_scene_text(const std::string& text, const std::string& file) {
  return read_yaml(text, {file, 1, false});
}

void apply_override(SceneValue& root, const std::string& assignment) {
  const ScenePlace place{assignment, 0, true};
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    fail_at(place, "expected key.path=value, for instance solver.tolerance=1e-6");
  std::string_view path(assignment.data(), equals);
  SceneValue* target = &root;
  int depth = 0;
  for (bool more = true; more;) {
    if (++depth > deepest_value) fail_at(place, "the key leads too deep into the scene");
    const std::size_t dot = path.find('.');
    const std::string part(path.substr(0, dot));
    more = dot != std::string_view::npos;
    if (more) path.remove_prefix(dot + 1);
    if (part.empty()) fail_at(place, "a part of the key is empty");
    if (target->kind == SceneValue::Kind::nothing) {
      target->kind = SceneValue::Kind::mapping;
      target->place = place;
    }
    if (target->kind == SceneValue::Kind::scalar)
      fail_at(place, fmt::format("'{}' would be inside a single value ('{}')", part, target->text));
    target = target->kind == SceneValue::Kind::list ? &element(*target, part, place)
                                                    : &member(*target, part);
  }
  *target = read_yaml(assignment.substr(equals + 1), place);
}

} // namespace talus
