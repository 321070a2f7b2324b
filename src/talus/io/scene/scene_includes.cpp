// The sections `include` and `no_contacts` of scene files.

#include "talus/io/scene/scene_includes.h"

#include "talus/io/import.h"
#include "talus/io/scene/included_scenes.h"
#include "talus/io/scene/scene_bodies.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>

namespace talus {

namespace {

BaseKind read_base(const SceneFields& f) {
  const std::string text = f.text("base", "auto");
  if (text == "auto") return BaseKind::automatic;
  if (text == "fixed") return BaseKind::fixed;
  if (text == "free") return BaseKind::free;
  fail_at(f.need("base").place,
          fmt::format("{}: base must be auto, fixed or free, not '{}'", f.what(), text));
}

/// Coordinates at the start, by the names of the joints.
std::vector<std::pair<std::string, double>> read_positions(const SceneValue& value,
                                                           const std::string& what, double unit) {
  if (value.kind != SceneValue::Kind::mapping)
    fail_at(value.place, what + " must be a mapping from names of joints to numbers");
  std::vector<std::pair<std::string, double>> positions;
  positions.reserve(value.members.size());
  for (const auto& [name, number] : value.members)
    positions.emplace_back(name, unit * to_number(number, fmt::format("{}: {}", what, name)));
  return positions;
}

/// Files of the source go before those on disk, and what is read from disk is added to them.
ModelFileReader reader_of(SceneSource& source) {
  return [&source](const std::string& path) -> std::optional<std::string> {
    for (const SceneFile& known : source.files)
      if (known.name == path) return known.bytes;
    std::error_code trouble;
    // Reading a pipe or a device might never end.
    if (!std::filesystem::is_regular_file(path, trouble)) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    source.files.push_back({path, std::string(std::istreambuf_iterator<char>(file), {})});
    return source.files.back().bytes;
  };
}

/// Throws FileError at the place in the model.
template <class Make>
void at_place(const std::string& place, Make&& make) {
  std::string message;
  try {
    make();
    return;
  } catch (const InvalidArgument& error) {
    message = error.what();
  }
  throw FileError(place, message);
}

/// Parts name shapes of their own description.
void shift_parts(ShapeDescription& shape, Index by) {
  if (auto* compound = std::get_if<described::Compound>(&shape.geometry))
    for (described::Part& part : compound->parts) part.shape += by;
  if (auto* clump = std::get_if<described::Clump>(&shape.geometry))
    for (described::Part& part : clump->parts) part.shape += by;
}

/// The part of an included scene that this process keeps: its bodies follow those of the draft.
ScenePart part_of_included(const ScenePart& outer) {
  ScenePart inner;
  inner.next_kept = [&outer, before = outer.colliders.bodies()](Index number) {
    return outer.next_kept(before + number) - before;
  };
  inner.describes_bodies = true;
  return inner;
}

/// Counts those bodies of an included scene up to `end` that other processes have built.
void leave_out(const ScenePart& inner, Index begin, Index end, const ImportedModel& model,
               const std::string& material, WorldDraft& draft) {
  const MaterialTable &own = model.description.materials, &all = draft.world().materials;
  inner.colliders.visit(begin, end, [&](Index bodies, Index shapes, Index number) {
    const std::string& name = material.empty() ? own[number].name : material;
    draft.part->colliders.add(shapes, number == 0 && material.empty() ? 0 : all.find(name), bodies);
  });
}

/// `built` is that of an included scene, or null: then all processes have built all of the model.
void add_model(ImportedModel model, const ScenePart* built, const std::string& material,
               const ScenePlace& place, WorldDraft& draft) {
  WorldDescription &own = model.description, &all = draft.description;
  with_location(place, "include", [&] {
    for (Index i = 1; i < own.materials.size(); ++i)
      if (all.materials.find(own.materials[i].name) < 0) all.materials.add(own.materials[i]);
    for (MaterialPair pair : own.materials.pairs()) {
      pair.a = all.materials.find(own.materials[pair.a].name);
      pair.b = all.materials.find(own.materials[pair.b].name);
      all.materials.set_pair(pair);
    }
    draft.builder.set_surroundings(all);
  });
  const auto first = static_cast<Index>(all.shapes.size());
  for (ShapeDescription& shape : own.shapes) shift_parts(shape, first);
  std::size_t next = 0;
  Index counted = 0;
  for (std::size_t i = 0; i < own.bodies.size(); ++i)
    at_place(model.body_places[i], [&] {
      if (built != nullptr) {
        leave_out(*built, counted, built->numbers[i], model, material, draft);
        counted = built->numbers[i] + 1;
        draft.part->next_is_everywhere = built->everywhere[i];
      }
      for (described::Part& part : own.bodies[i].shapes) {
        part.shape += first;
        while (next <= static_cast<std::size_t>(part.shape - first))
          draft.add(std::move(own.shapes[next++]));
      }
      draft.add(std::move(own.bodies[i]));
    });
  if (built != nullptr)
    leave_out(*built, counted, built->colliders.bodies(), model, material, draft);
  for (std::size_t i = 0; i < own.joints.size(); ++i)
    at_place(model.joint_places[i], [&] { draft.add(std::move(own.joints[i])); });
  for (std::size_t i = 0; i < own.no_contacts.size(); ++i)
    at_place(model.no_contact_places[i],
             [&] { draft.forbid_contact(own.no_contacts[i].first, own.no_contacts[i].second); });
  with_location(place, "include", [&] {
    for (SensorDescription& sensor : own.sensors) draft.add(std::move(sensor));
  });
}

void read_include(const SceneValue& value, const SceneFields& scene, SceneSource& source,
                  WorldDraft& draft, Included& included) {
  const SceneFields f(value, "include",
                      {"file", "at", "orientation", "prefix", "base", "merge_fixed", "material",
                       "keyframe", "angles", "positions", "settings"});
  const std::string& name = f.text("file");
  const ScenePlace& place = f.need("file").place;
  const bool is_scene = is_scene_file(name);
  if (!is_model_file(name) && !is_scene)
    fail_at(place, fmt::format("include: '{}' is no model; the name must end with .urdf, .xml, "
                               ".mjcf or .yaml",
                               name));
  if (is_scene)
    for (const char* key : {"base", "merge_fixed", "keyframe", "angles", "positions"})
      if (const SceneValue* given = f.find(key))
        fail_at(given->place, fmt::format("include: '{}' is for models, not for scenes", key));
  const auto path = std::filesystem::path(source.path).parent_path() / name;
  ImportOptions options;
  options.base = read_base(f);
  options.merge_fixed = f.flag("merge_fixed", false);
  options.prefix = f.text("prefix", "");
  options.at = {f.vector("at", Vec3{}), f.rotation("orientation")};
  options.keyframe = f.text("keyframe", "");
  if (f.find("material")) {
    options.material = f.text("material");
    if (draft.description.materials.find(options.material) < 0)
      fail_at(f.need("material").place,
              fmt::format("include: there is no material '{}'", options.material));
  }
  if (const SceneValue* angles = f.find("angles"))
    options.positions = read_positions(*angles, "include: angles", std::numbers::pi / 180);
  if (const SceneValue* positions = f.find("positions"))
    for (auto& each : read_positions(*positions, "include: positions", 1))
      options.positions.push_back(std::move(each));
  std::optional<ScenePart> part;
  if (is_scene && draft.part != nullptr) part = part_of_included(*draft.part);
  ScenePart* const inner = part ? &*part : nullptr;
  ImportedModel model = with_location(place, "include", [&] {
    if (is_scene) return scene_as_model(path.string(), options, reader_of(source), source, inner);
    return import_model(path.string(), options, reader_of(source));
  });
  auto& warnings = included.warnings;
  warnings.insert(warnings.end(), model.warnings.begin(), model.warnings.end());
  if (f.flag("settings", false)) {
    WorldDescription& d = draft.description;
    if (!scene.find("gravity") && model.gives_gravity) d.gravity = model.description.gravity;
    if (!scene.find("title")) d.title = model.description.title;
    if (!scene.find("material_rules"))
      d.materials.friction_rule = model.description.materials.friction_rule;
    if (!scene.find("step") && model.gives_step) included.step = model.description.step.step;
  }
  add_model(std::move(model), inner, options.material, value.place, draft);
}

} // namespace

std::string scene_of_model(const std::string& file, const ImportOptions& options) {
  const auto quoted = [](const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result + '"';
  };
  std::string text = fmt::format("include: {{file: {}, settings: true",
                                 quoted(std::filesystem::path(file).filename().string()));
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format(", {}: {}", key, value);
  };
  const auto& [position, rotation] = options.at;
  if (options.base != BaseKind::automatic)
    add("base", options.base == BaseKind::fixed ? "fixed" : "free");
  if (options.merge_fixed) add("merge_fixed", "true");
  if (!options.prefix.empty()) add("prefix", quoted(options.prefix));
  if (!options.keyframe.empty()) add("keyframe", quoted(options.keyframe));
  if (!options.material.empty()) add("material", quoted(options.material));
  if (position != Vec3{})
    add("at", fmt::format("[{}, {}, {}]", position.x, position.y, position.z));
  if (rotation != Quaternion{})
    add("orientation", fmt::format("{{quaternion: [{}, {}, {}, {}]}}", rotation.w, rotation.x,
                                   rotation.y, rotation.z));
  if (!options.positions.empty()) {
    std::vector<std::string> each;
    each.reserve(options.positions.size());
    for (const auto& [name, value] : options.positions)
      each.push_back(fmt::format("{}: {}", quoted(name), value));
    add("positions", fmt::format("{{{}}}", fmt::join(each, ", ")));
  }
  return text + "}\n";
}

Included read_includes(const SceneFields& scene, SceneSource& source, WorldDraft& draft) {
  Included included;
  const SceneValue* section = scene.find("include");
  if (!section) return included;
  if (section->kind == SceneValue::Kind::mapping)
    read_include(*section, scene, source, draft, included);
  else
    for (const SceneValue& each : to_list(*section, "include"))
      read_include(each, scene, source, draft, included);
  return included;
}

void read_no_contacts(const SceneValue& section, WorldDraft& draft) {
  for (const SceneValue& value : to_list(section, "no_contacts")) {
    const auto& names = to_list(value, "no_contacts: a pair");
    if (names.size() != 2) fail_at(value.place, "no_contacts: a pair has two bodies [a, b]");
    with_location(value.place, "no_contacts", [&] {
      draft.forbid_contact(to_text(names[0], "no_contacts"), to_text(names[1], "no_contacts"));
    });
  }
}

} // namespace talus
