// Sensors: named readings that a scene or Python asks for.

#include "sensors.h"

#include "arrays.h"
#include "talus/core/error.h"

namespace talus::python {
namespace {

using Keys = std::variant<Key, std::vector<Key>>;

std::string name_of(const World& world, const Key& key) {
  if (const auto* name = std::get_if<std::string>(&key)) return *name;
  return world.body(std::get<Index>(key)).name;
}

/// One body, or several: those of a list, or of a name that ends with `*`.
void read_bodies(const World& world, const Keys& keys, std::string& one,
                 std::vector<std::string>& several) {
  if (const auto* list = std::get_if<std::vector<Key>>(&keys)) {
    if (list->empty()) throw InvalidArgument("a list of bodies must not be empty");
    for (const Key& key : *list) several.push_back(name_of(world, key));
    return;
  }
  one = name_of(world, std::get<Key>(keys));
  if (one.ends_with('*')) several.push_back(std::exchange(one, {}));
}

std::pair<Vec3, Vec3> pair_from(const py::handle& value, const char* key) {
  const auto both = py::cast<std::vector<Vec3>>(value);
  if (both.size() != 2) throw InvalidArgument(fmt::format("{} takes two points", key));
  return {both[0], both[1]};
}

void set_key(const World& world, const std::string& key, const py::handle& value,
             SensorDescription& sensor) {
  if (key == "body") {
    read_bodies(world, value.cast<Keys>(), sensor.body, sensor.group);
  } else if (key == "other") {
    read_bodies(world, value.cast<Keys>(), sensor.other, sensor.other_group);
  } else if (key == "joint") {
    sensor.joint = world.joint(joint_index(world, value.cast<Key>())).name;
  } else if (key == "between") {
    const auto both = value.cast<std::pair<Key, Key>>();
    sensor.body = name_of(world, both.first);
    sensor.other = name_of(world, both.second);
  } else if (key == "points") {
    std::tie(sensor.point, sensor.other_point) = pair_from(value, "points");
  } else if (key == "box") {
    std::tie(sensor.lower, sensor.upper) = pair_from(value, "box");
  } else if (key == "point") {
    sensor.point = value.cast<Vec3>();
  } else if (key == "normal") {
    sensor.normal = value.cast<Vec3>();
  } else if (key == "forward") {
    sensor.forward = value.cast<Vec3>();
  } else if (key == "radius") {
    sensor.radius = value.cast<double>();
  } else {
    throw py::type_error(
        fmt::format("unknown key '{}' of a sensor; known: body, other, joint, between, points, "
                    "point, normal, box, forward, radius",
                    key));
  }
}

void add_sensor(const SimulationRef& simulation, const std::string& name, const std::string& type,
                const py::kwargs& keys) {
  SensorDescription description;
  description.name = name;
  description.kind = sensor_kind_from(type);
  if (name.empty()) throw InvalidArgument("a sensor needs a name");
  for (const Sensor& each : simulation.sensors())
    if (each.description().name == name)
      throw InvalidArgument(fmt::format("sensor '{}': the name is taken", name));
  const World& world = simulation->world();
  for (const auto& [key, value] : keys) set_key(world, key.cast<std::string>(), value, description);
  simulation.sensors().emplace_back(description, world);
}

/// A number where a sensor has one, else an array.
py::object reading_of(const SimulationRef& simulation, const Sensor& sensor) {
  std::vector<double> numbers;
  sensor.read(*simulation, numbers);
  if (numbers.size() == 1) return py::float_(numbers[0]);
  return frozen_copy(numbers);
}

} // namespace

void bind_sensors(SimulationClass& simulation) {
  using py::arg;
  simulation.def("add_sensor", &add_sensor, arg("name"), arg("type"),
                 "A reading with a name, of a type of docs/scene.md: add_sensor(\"push\", "
                 "\"contact_force\", body=\"plate\", other=\"block\"). Keys: body, other (names, "
                 "numbers, lists of them, or \"grain*\"), joint, between, points, point, normal, "
                 "box=(min, max), forward, radius.");
  simulation.def_property_readonly(
      "sensors",
      [](const SimulationRef& s) {
        py::dict result;
        for (const Sensor& sensor : s.sensors())
          result[py::str(sensor.description().name)] = reading_of(s, sensor);
        return result;
      },
      "What all sensors read after the last step, by name: numbers, or arrays (force and torque in "
      "one of 6).");
  simulation.def(
      "sensor",
      [](const SimulationRef& s, const std::string& name) {
        for (const Sensor& sensor : s.sensors())
          if (sensor.description().name == name) return reading_of(s, sensor);
        throw InvalidArgument(fmt::format("there is no sensor '{}'", name));
      },
      arg("name"), "What one sensor reads.");
  simulation.def_property_readonly(
      "sensor_columns",
      [](const SimulationRef& s) {
        std::vector<std::pair<std::string, std::string>> columns;
        for (const Sensor& sensor : s.sensors()) {
          const auto names = sensor.columns(), units = sensor.units(s->world());
          for (std::size_t i = 0; i < names.size(); ++i) columns.emplace_back(names[i], units[i]);
        }
        return columns;
      },
      "(name, unit) of every number that the sensors read, the columns of sensors.csv.");
}

} // namespace talus::python
