#include "talus/io/scene_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace talus {

namespace {

constexpr int deepest = 64;
constexpr long most_values = 5'000'000;
constexpr const char* too_deep = "values are nested too deeply";

/// Where a mark lies in the text that `origin` names.
ScenePlace place_of(const YAML::Mark& mark, ScenePlace origin) {
  if (!origin.is_override) origin.line = mark.is_null() ? 1 : std::max(mark.line + 1, 1);
  return origin;
}

/// Copies YAML nodes into values, counting them: aliases can make small texts enormous.
class Copier {
public:
  explicit Copier(ScenePlace origin) : origin_(std::move(origin)) {}

  SceneValue copy(const YAML::Node& node, int depth = 0) {
    SceneValue value;
    value.place = place_of(node.Mark(), origin_);
    if (depth > deepest) fail_at(value.place, too_deep);
    if (++count_ > most_values) fail_at(value.place, "aliases make the file too large");
    switch (node.Type()) {
    case YAML::NodeType::Scalar:
      value.kind = SceneValue::Kind::scalar;
      value.text = node.Scalar();
      break;
    case YAML::NodeType::Sequence:
      value.kind = SceneValue::Kind::list;
      for (const YAML::Node& item : node) value.items.push_back(copy(item, depth + 1));
      break;
    case YAML::NodeType::Map:
      copy_members(node, depth, value);
      break;
    default:
      break;
    }
    return value;
  }

private:
  void copy_members(const YAML::Node& node, int depth, SceneValue& value) {
    value.kind = SceneValue::Kind::mapping;
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const YAML::Node &key = entry.first, &member = entry.second;
      if (!key.IsScalar()) fail_at(place_of(key.Mark(), origin_), "a key must be a plain word");
      if (!seen.insert(key.Scalar()).second)
        fail_at(place_of(key.Mark(), origin_),
                fmt::format("the key '{}' occurs twice", key.Scalar()));
      value.members.push_back({key.Scalar(), copy(member, depth + 1)});
      // An empty value has no mark of its own worth showing.
      if (member.IsNull()) value.members.back().value.place = place_of(key.Mark(), origin_);
    }
  }

  ScenePlace origin_;
  long count_ = 0;
};

/// The one document of the text; YAML::Load would pass over the others.
YAML::Node only_document(const std::string& text, const ScenePlace& origin) {
  const std::vector<YAML::Node> documents = YAML::LoadAll(text);
  if (documents.size() > 1)
    fail_at(place_of(documents[1].Mark(), origin),
            "a second YAML document begins (after ---); a scene is one");
  return documents.empty() ? YAML::Node() : documents.front();
}

SceneValue parse(const std::string& text, const ScenePlace& origin) {
  try {
    return Copier(origin).copy(only_document(text, origin));
  } catch (const YAML::DeepRecursion& error) {
    fail_at(place_of(error.mark, origin), too_deep);
  } catch (const YAML::Exception& error) {
    fail_at(place_of(error.mark, origin), "not valid YAML: " + error.msg);
  }
}

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
  return parse(text, {file, 1, false});
}

void apply_override(SceneValue& root, const std::string& assignment) {
  const ScenePlace place{assignment, 0, true};
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    fail_at(place, "expected key.path=value, for instance solver.tolerance=1e-6");
  std::string_view path(assignment.data(), equals);
  SceneValue* target = &root;
  for (bool more = true; more;) {
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
  *target = parse(assignment.substr(equals + 1), place);
}

} // namespace talus
