// talus keys: the values of a scene that --set and --vary can change, by their paths.

#include "commands.h"
#include "report/report.h"
#include "report/table.h"
#include "talus/core/error.h"
#include "talus/io/scene.h"
#include "talus/io/scene/scene_tree.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace talus::cli {
namespace {

struct KeysArguments {
  std::string scene;
  bool json = false, names = false;
};

using KeyValues = std::vector<std::pair<std::string, std::string>>;

/// A short list of numbers or words is a value by itself.
bool is_plain_list(const SceneValue& value) {
  constexpr std::size_t most = 4;
  return value.kind == SceneValue::Kind::list && value.items.size() <= most &&
         std::ranges::all_of(value.items, [](const SceneValue& item) {
           return item.kind == SceneValue::Kind::scalar;
         });
}

std::string text_of_list(const SceneValue& list) {
  std::string text;
  for (const SceneValue& item : list.items) text += (text.empty() ? "" : ", ") + item.text;
  return "[" + text + "]";
}

/// How an override names an element: by its name, or by its place.
std::string part_of(const SceneValue& element, std::size_t place) {
  const SceneValue* name = element.find("name");
  const bool is_usable = name && name->kind == SceneValue::Kind::scalar && !name->text.empty() &&
                         name->text.find('.') == std::string::npos;
  return is_usable ? name->text : fmt::format("{}", place);
}

void list_keys(const SceneValue& value, const std::string& path, KeyValues& keys) {
  const auto below = [&](const std::string& part) {
    return path.empty() ? part : path + "." + part;
  };
  if (value.kind == SceneValue::Kind::scalar) {
    keys.emplace_back(path, value.text);
  } else if (is_plain_list(value)) {
    keys.emplace_back(path, text_of_list(value));
  } else if (value.kind == SceneValue::Kind::list) {
    for (std::size_t i = 0; i < value.items.size(); ++i)
      list_keys(value.items[i], below(part_of(value.items[i], i)), keys);
  } else {
    for (const SceneMember& member : value.members)
      list_keys(member.value, below(member.name), keys);
  }
}

int keys_of_scene(const KeysArguments& arguments) {
  const SceneSource source = read_scene_source(arguments.scene);
  KeyValues keys;
  list_keys(parse_scene_text(source.text, source.path), "", keys);
  if (arguments.json) {
    nlohmann::ordered_json json;
    for (const auto& [key, value] : keys) json[key] = value;
    fmt::print("{}\n", indented(json));
    return success;
  }
  std::size_t widest = 0;
  for (const auto& [key, value] : keys) widest = std::max(widest, display_width(key));
  for (const auto& [key, value] : keys)
    if (arguments.names)
      fmt::print("{}\n", key);
    else
      fmt::print("{}{:{}}  {}\n", key, "", widest - display_width(key), value);
  return success;
}

} // namespace

void register_keys(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<KeysArguments>();
  KeysArguments* a = arguments.get();
  CLI::App* command =
      app.add_subcommand("keys", "List the values of a scene that --set can change");
  command->add_option("SCENE", a->scene, "Scene file (YAML)")->required()->type_name("");
  command->add_flag("--names", a->names, "The keys alone, without their values");
  command->add_flag("--json", a->json, "A JSON object");
  command->footer("Keys are those of --set and --vary: `talus run SCENE --set KEY=VALUE`. Others "
                  "that the file does\nnot mention can be set as well (docs/scene.md).\n"
                  "Exit code: 0 listed, 1 file or scene trouble, 2 wrong arguments.");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return keys_of_scene(*arguments); }; });
}

} // namespace talus::cli
