#include "talus/io/scene/included_scenes.h"

#include "talus/core/error.h"
#include "talus/io/scene/scene_tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus {

namespace {

/// A scene that includes scenes might include itself.
void refuse_scenes_inside(const std::string& text, const std::string& path) {
  const SceneValue root = parse_scene_text(text, path);
  const SceneValue* section = root.find("include");
  if (!section) return;
  const auto check = [](const SceneValue& value) {
    const SceneValue* file = value.find("file");
    if (file && is_scene_file(file->text))
      fail_at(file->place, "include: an included scene includes models only, not scenes");
  };
  check(*section);
  for (const SceneValue& item : section->items) check(item);
}

/// Files that the included scene names, in the source of the outer one: "crawler.yaml: bed.json".
std::string stored_name(const std::string& path, const std::string& name) {
  return path + ": " + name;
}

Scene build_included(const std::string& path, const ModelFileReader& reader, SceneSource& source,
                     ScenePart* part) {
  const std::optional<std::string> text = reader(path);
  if (!text) throw FileError(path, "there is no such file; a scene was expected");
  refuse_scenes_inside(*text, path);
  SceneSource inner{path, *text, {}, {}};
  for (const SceneFile& file : source.files)
    if (const std::string start = stored_name(path, ""); file.name.starts_with(start))
      inner.files.push_back({file.name.substr(start.size()), file.bytes});
  const std::size_t known = inner.files.size();
  Scene scene =
      part != nullptr ? build_scene_part(std::move(inner), *part) : build_scene(std::move(inner));
  for (std::size_t i = known; i < scene.source.files.size(); ++i) {
    SceneFile& file = scene.source.files[i];
    source.files.push_back({stored_name(path, file.name), std::move(file.bytes)});
  }
  return scene;
}

/// Puts what a scene describes in its own axes somewhere else.
class Placement {
public:
  explicit Placement(const ImportOptions& options)
      : at_(options.at), prefix_(options.prefix), turns_(options.at.rotation != Quaternion{}) {}

  void place(BodyDescription& body) const {
    body.name = prefix_ + body.name;
    body.pose = at_ * body.pose;
    body.velocity = turned(body.velocity);
    body.angular_velocity = turned(body.angular_velocity);
    body.load = {turned(body.load.force), turned(body.load.torque)};
    const bool has_axes = body.drive || !body.forces.empty() || !body.torques.empty() ||
                          !is_empty(body.force_formula) || !is_empty(body.torque_formula) ||
                          std::ranges::any_of(body.point_loads, is_in_world_axes);
    if (has_axes && turns_)
      throw InvalidArgument(fmt::format("body '{}' has a drive or loads over time in the axes of "
                                        "its scene, which cannot be turned",
                                        body.name));
  }
  void place(JointDescription& joint) const {
    joint.name = prefix_ + joint.name;
    for (std::string* name : {&joint.body_a, &joint.body_b})
      if (*name != "ground") *name = prefix_ + *name;
    for (std::string* name : {&joint.first_joint, &joint.second_joint})
      if (!name->empty()) *name = prefix_ + *name;
    joint.at = at_(joint.at);
    joint.axis = turned(joint.axis);
    if (joint.second_at) joint.second_at = at_(*joint.second_at);
    if (joint.second_axis) joint.second_axis = turned(*joint.second_axis);
  }
  void place(SensorDescription& sensor) const {
    sensor.name = prefix_ + sensor.name;
    if (!sensor.joint.empty()) sensor.joint = prefix_ + sensor.joint;
    const auto rename = [&](std::string& name) {
      if (!name.empty() && name != "ground") name = prefix_ + name;
    };
    if (sensor.body == "ground") sensor.point = at_(sensor.point);
    if (sensor.other == "ground") sensor.other_point = at_(sensor.other_point);
    rename(sensor.body);
    rename(sensor.other);
    for (std::string& name : sensor.group) rename(name);
    for (std::string& name : sensor.other_group) rename(name);
  }
  const std::string& prefix() const { return prefix_; }

private:
  static bool is_in_world_axes(const PointLoadDescription& load) { return !load.turns_with_body; }
  Vec3 turned(const Vec3& v) const { return rotate(at_.rotation, v); }

  Transform at_;
  std::string prefix_;
  bool turns_;
};

/// Energies, fluxes and stresses are of the whole world or of places in it.
bool belongs_to_machine(const SensorDescription& sensor) {
  return sensor.kind != SensorKind::energy && sensor.kind != SensorKind::flux &&
         sensor.kind != SensorKind::stress;
}

} // namespace

bool is_scene_file(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

ImportedModel scene_as_model(const std::string& path, const ImportOptions& options,
                             const ModelFileReader& reader, SceneSource& source, ScenePart* part) {
  Scene scene = build_included(path, reader, source, part);
  const Placement placement(options);
  ImportedModel model;
  model.description = std::move(scene.description);
  model.warnings = std::move(scene.warnings);
  model.gives_gravity = model.gives_step = true;
  WorldDescription& d = model.description;
  for (std::size_t i = 0; i < d.bodies.size(); ++i) {
    d.bodies[i].name = scene.world.bodies()[i].name;
    if (!options.material.empty()) d.bodies[i].material = options.material;
    placement.place(d.bodies[i]);
  }
  for (std::size_t i = 0; i < d.joints.size(); ++i) {
    d.joints[i].name = scene.world.joints()[i].name;
    placement.place(d.joints[i]);
  }
  for (auto& [a, b] : d.no_contacts) {
    a.insert(0, placement.prefix());
    b.insert(0, placement.prefix());
  }
  std::erase_if(d.sensors, [](const SensorDescription& s) { return !belongs_to_machine(s); });
  for (SensorDescription& sensor : d.sensors) placement.place(sensor);
  model.body_places.assign(d.bodies.size(), path);
  model.joint_places.assign(d.joints.size(), path);
  model.no_contact_places.assign(d.no_contacts.size(), path);
  return model;
}

} // namespace talus
