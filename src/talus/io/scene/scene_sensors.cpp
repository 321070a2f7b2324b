// The section `sensors` of scene files.

#include "talus/io/scene/scene_bodies.h"

#include <fmt/format.h>

#include <utility>

namespace talus {

namespace {

using Keys = std::vector<std::string_view>;

Keys keys_of(SensorKind kind) {
  Keys keys = {"name", "type"};
  const auto add = [&](std::initializer_list<std::string_view> more) {
    keys.insert(keys.end(), more);
  };
  switch (kind) {
  case SensorKind::contact_force:
    add({"body", "other"});
    break;
  case SensorKind::position:
  case SensorKind::velocity:
    add({"body", "point"});
    break;
  case SensorKind::distance:
    add({"between", "points"});
    break;
  case SensorKind::energy:
    break;
  case SensorKind::stress:
    add({"box"});
    break;
  case SensorKind::flux:
    add({"point", "normal"});
    break;
  case SensorKind::slip:
    add({"joint", "body", "point", "radius", "forward"});
    break;
  default:
    add({"joint"});
  }
  return keys;
}

SensorKind read_kind(const SceneValue& value, const std::string& label) {
  if (value.kind != SceneValue::Kind::mapping)
    fail_at(value.place, fmt::format("{} must be a mapping", label));
  const SceneValue* type = value.find("type");
  if (!type) fail_at(value.place, fmt::format("{}: 'type' is missing", label));
  return with_location(type->place, label,
                       [&] { return sensor_kind_from(to_text(*type, label + ": type")); });
}

void read_distance(const SceneFields& f, SensorDescription& sensor) {
  const auto two = [&](const SceneValue& value, std::string_view key, const char* what) {
    const auto& items = to_list(value, f.label(key));
    if (items.size() != 2) fail_at(value.place, fmt::format("{}: {} has {}", f.what(), key, what));
    return &items;
  };
  const auto* bodies = two(f.need("between"), "between", "two bodies [a, b]");
  sensor.body = to_text((*bodies)[0], f.label("between"));
  sensor.other = to_text((*bodies)[1], f.label("between"));
  const SceneValue* points = f.find("points");
  if (!points) return;
  const auto* places = two(*points, "points", "two points, one on each body");
  sensor.point = to_vector((*places)[0], f.label("points"));
  sensor.other_point = to_vector((*places)[1], f.label("points"));
}

/// A name, a name that ends with `*`, or a list of such names.
void read_bodies(const SceneFields& f, const SceneValue& value, std::string_view key,
                 std::string& one, std::vector<std::string>& several) {
  if (value.kind == SceneValue::Kind::list) {
    for (const SceneValue& item : value.items) several.push_back(to_text(item, f.label(key)));
    if (several.empty()) fail_at(value.place, fmt::format("{}: {} is empty", f.what(), key));
    return;
  }
  one = to_text(value, f.label(key));
  if (one.ends_with('*')) several.push_back(std::exchange(one, {}));
}

SensorDescription read_sensor(const SceneFields& f, SensorKind kind, const std::string& name) {
  SensorDescription sensor;
  sensor.kind = kind;
  sensor.name = f.text("name", name);
  const bool asks_body =
      kind == SensorKind::position || kind == SensorKind::velocity || kind == SensorKind::slip;
  if (kind == SensorKind::contact_force) {
    read_bodies(f, f.need("body"), "body", sensor.body, sensor.group);
    if (const SceneValue* other = f.find("other"))
      read_bodies(f, *other, "other", sensor.other, sensor.other_group);
  } else if (asks_body) {
    sensor.body = f.text("body");
  }
  if (kind == SensorKind::distance) read_distance(f, sensor);
  if (kind == SensorKind::flux) f.need("point");
  sensor.point = f.vector("point", sensor.point);
  sensor.normal = f.vector("normal", sensor.normal);
  if (kind == SensorKind::slip) {
    sensor.radius = f.number("radius", positive);
    sensor.forward = f.vector("forward", sensor.forward);
  }
  if (kind == SensorKind::stress) {
    const SceneFields box(f.need("box"), f.what() + ": box", {"min", "max"});
    sensor.lower = box.vector("min");
    sensor.upper = box.vector("max");
  }
  const bool asks_joint = kind == SensorKind::joint_force || kind == SensorKind::joint_position ||
                          kind == SensorKind::joint_velocity || kind == SensorKind::motor_effort ||
                          kind == SensorKind::slip;
  if (asks_joint) sensor.joint = f.text("joint");
  return sensor;
}

} // namespace

void read_sensors(const SceneValue& section, WorldDraft& draft) {
  std::size_t position = 0;
  for (const SceneValue& value : to_list(section, "sensors")) {
    const SceneValue* name = value.find("name");
    const std::string unnamed = fmt::format("sensor {}", position++);
    const std::string label = name ? fmt::format("sensor '{}'", name->text) : unnamed;
    const SensorKind kind = read_kind(value, label);
    const SceneFields f(value, label, keys_of(kind));
    SensorDescription sensor = read_sensor(f, kind, unnamed);
    with_location(f.place(), f.what(), [&] { draft.add(std::move(sensor)); });
  }
}

} // namespace talus
