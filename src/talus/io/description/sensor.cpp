#include "talus/io/sensor.h"

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"
#include "talus/step/contact_sums.h"
#include "talus/step/forces.h"
#include "talus/step/measures.h"
#include "talus/world/name_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {

namespace {

constexpr std::array<std::string_view, 12> kind_names = {
    "contact_force", "joint_force", "joint_position", "joint_velocity", "motor_effort", "position",
    "velocity",      "distance",    "energy",         "stress",         "flux",         "slip"};

bool asks_joint(SensorKind kind) {
  return kind == SensorKind::joint_force || kind == SensorKind::joint_position ||
         kind == SensorKind::joint_velocity || kind == SensorKind::motor_effort ||
         kind == SensorKind::slip;
}
bool asks_body(SensorKind kind) {
  return kind == SensorKind::contact_force || kind == SensorKind::position ||
         kind == SensorKind::velocity || kind == SensorKind::distance || kind == SensorKind::slip;
}

void append(std::vector<double>& numbers, const Vec3& v) {
  numbers.insert(numbers.end(), {v.x, v.y, v.z});
}

Vec3 place_of(const World& world, Index body, const Vec3& point) {
  return body == ground ? point : world.pose(body)(point);
}

Vec3 velocity_of(const World& world, Index body, const Vec3& point) {
  const BodyState& state = world.state(body);
  return state.velocity +
         cross(state.angular_velocity, world.pose(body)(point) - state.pose.position);
}

/// xx, yy, zz, xy, xz, yz.
void append_stress(const Simulation& simulation, const SensorDescription& box,
                   std::vector<double>& numbers) {
  StressSum sum(box.lower, box.upper, simulation.options().step);
  const auto contacts = simulation.contacts();
  const auto impulses = simulation.contact_impulses();
  const auto moves = [&](Index body) {
    return simulation.world().body(body).kind == BodyKind::dynamic;
  };
  for (std::size_t c = 0; c < contacts.size(); ++c)
    sum.add(contacts[c].point, std::get<RigidModel>(simulation.problem().model).contacts[c],
            impulses[c], moves(contacts[c].body_a), moves(contacts[c].body_b));
  numbers.insert(numbers.end(), {sum(0, 0), sum(1, 1), sum(2, 2), sum(0, 1), sum(0, 2), sum(1, 2)});
}

double mass_flux(const Simulation& simulation, const SensorDescription& plane) {
  const World& world = simulation.world();
  const double h = simulation.options().step;
  const Vec3 normal = normalized(plane.normal);
  double mass = 0;
  for (Index i = 0; i < world.size(); ++i)
    mass += mass_through(world.states()[i], world.bodies()[i].mass, plane.point, normal, h);
  return simulation.steps() > 0 ? mass / h : 0;
}

/// 1 - v / (ω R), or while the body outruns the wheel (ω R) / v - 1; 0 while both stand still.
double slip_of(const World& world, Index joint, Index body, const SensorDescription& slip) {
  const Vec3 forward = rotate(world.pose(body).rotation, normalized(slip.forward));
  const double v = dot(forward, velocity_of(world, body, slip.point));
  const double rolling = slip.radius * joint_velocity(world, world.joint(joint));
  const double larger = std::max(std::abs(v), std::abs(rolling));
  constexpr double standing = 1e-6; // m/s
  return larger > standing ? (rolling - v) / larger : 0;
}

/// The body of this name, or all those whose names begin with what stands before a `*`.
template <class Fail>
void add_bodies(const World& world, const std::string& name, const Fail& fail,
                std::vector<Index>& bodies) {
  if (!name.ends_with('*')) {
    const Index found = world.find_body(name);
    if (found < 0) fail(fmt::format("there is no body '{}'", name));
    bodies.push_back(found);
    return;
  }
  const std::string_view start(name.data(), name.size() - 1);
  const std::size_t before = bodies.size();
  for (Index i = 0; i < world.size(); ++i)
    if (world.bodies()[i].name.starts_with(start)) bodies.push_back(i);
  if (bodies.size() == before) fail(fmt::format("no body has a name like '{}'", name));
}

} // namespace

std::string_view to_string(SensorKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

SensorKind sensor_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kind_names.size(); ++i)
    if (kind_names[i] == name) return static_cast<SensorKind>(i);
  throw InvalidArgument("unknown sensor " + unknown_name(name, kind_names));
}

Sensor::Sensor(const SensorDescription& description, const World& world)
    : description_(description) {
  const SensorDescription& d = description_;
  check_name("sensor", d.name);
  const auto fail = [&](const std::string& what) {
    throw InvalidArgument(fmt::format("sensor '{}': {}", d.name, what));
  };
  const bool may_be_ground = d.kind == SensorKind::distance;
  const auto find = [&](const std::string& name) {
    if (may_be_ground && name == "ground") return ground;
    const Index found = world.find_body(name);
    if (found < 0) fail(fmt::format("there is no body '{}'", name));
    return found;
  };
  if (asks_joint(d.kind)) {
    joint_ = world.find_joint(d.joint);
    if (joint_ < 0) fail(fmt::format("there is no joint '{}'", d.joint));
  }
  if (asks_body(d.kind) && d.group.empty()) body_ = find(d.body);
  if (d.kind == SensorKind::distance || (d.kind == SensorKind::contact_force && !d.other.empty()))
    other_ = find(d.other);
  if (d.kind == SensorKind::contact_force) {
    if (!d.body.empty() && !d.group.empty()) fail("it has a body and a group");
    if (!d.other.empty() && !d.other_group.empty()) fail("it has another body and another group");
    for (const std::string& name : d.group) add_bodies(world, name, fail, group_);
    for (const std::string& name : d.other_group) add_bodies(world, name, fail, others_);
    const bool has_groups = !group_.empty() || !others_.empty();
    if (has_groups && body_ != ground) group_.push_back(body_);
    if (has_groups && other_ != ground) others_.push_back(other_);
    for (const Index body : others_)
      if (std::ranges::find(group_, body) != group_.end())
        fail(fmt::format("body '{}' is on both sides", world.body(body).name));
  } else if (!d.group.empty() || !d.other_group.empty()) {
    fail("only contact forces have groups");
  }
  if (d.kind == SensorKind::slip) {
    if (!(d.radius > 0)) fail("its radius must be positive");
    if (!(norm(d.forward) > 0)) fail("its forward direction must not be zero");
    const JointKind kind = world.joint(joint_).kind;
    if (kind != JointKind::revolute && kind != JointKind::cylindrical)
      fail(fmt::format("joint '{}' does not turn", d.joint));
  }
  if (d.kind == SensorKind::flux && !(norm(d.normal) > 0)) fail("its normal must not be zero");
  for (int k = 0; d.kind == SensorKind::stress && k < 3; ++k)
    if (!(d.lower[k] < d.upper[k])) fail("its box is empty: min must be below max");
}

std::vector<std::string> columns_of(const SensorDescription& sensor) {
  std::vector<std::string> names;
  const auto add = [&](std::initializer_list<const char*> parts) {
    for (const char* part : parts) names.push_back(sensor.name + "." + part);
  };
  switch (sensor.kind) {
  case SensorKind::contact_force:
  case SensorKind::joint_force:
    add({"force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"});
    break;
  case SensorKind::position:
  case SensorKind::velocity:
    add({"x", "y", "z"});
    break;
  case SensorKind::energy:
    add({"kinetic", "potential", "elastic"});
    break;
  case SensorKind::stress:
    add({"xx", "yy", "zz", "xy", "xz", "yz"});
    break;
  default:
    names.push_back(sensor.name);
  }
  return names;
}

std::vector<std::string> units_of(const SensorDescription& sensor, const World& world) {
  const Index joint = asks_joint(sensor.kind) ? world.find_joint(sensor.joint) : -1;
  const bool slides = joint >= 0 && world.joint(joint).kind == JointKind::prismatic;
  switch (sensor.kind) {
  case SensorKind::contact_force:
  case SensorKind::joint_force:
    return {"N", "N", "N", "N m", "N m", "N m"};
  case SensorKind::joint_position:
    return {slides ? "m" : "rad"};
  case SensorKind::joint_velocity:
    return {slides ? "m/s" : "rad/s"};
  case SensorKind::motor_effort:
    return {slides ? "N" : "N m"};
  case SensorKind::position:
    return {"m", "m", "m"};
  case SensorKind::velocity:
    return {"m/s", "m/s", "m/s"};
  case SensorKind::distance:
    return {"m"};
  case SensorKind::energy:
    return {"J", "J", "J"};
  case SensorKind::stress:
    return std::vector<std::string>(6, "Pa");
  case SensorKind::flux:
    return {"kg/s"};
  case SensorKind::slip:
    return {"1"};
  }
  return {};
}

void Sensor::read(const Simulation& simulation, std::vector<double>& numbers) const {
  const World& world = simulation.world();
  const SensorDescription& d = description_;
  const auto append_wrench = [&](const Wrench& wrench) {
    append(numbers, wrench.force);
    append(numbers, wrench.torque);
  };
  switch (d.kind) {
  case SensorKind::contact_force:
    if (!group_.empty()) return append_wrench(contact_force(simulation, group_, others_));
    return append_wrench(d.other.empty() ? contact_force(simulation, body_)
                                         : contact_force(simulation, body_, other_));
  case SensorKind::joint_force:
    return append_wrench(joint_force(simulation, joint_));
  case SensorKind::joint_position:
    return numbers.push_back(world.joint_coordinates()[static_cast<std::size_t>(joint_)]);
  case SensorKind::joint_velocity:
    return numbers.push_back(joint_velocity(world, world.joint(joint_)));
  case SensorKind::motor_effort:
    return numbers.push_back(joint_efforts(simulation, joint_).motor);
  case SensorKind::position:
    return append(numbers, place_of(world, body_, d.point));
  case SensorKind::velocity:
    return append(numbers, velocity_of(world, body_, d.point));
  case SensorKind::distance:
    return numbers.push_back(
        norm(place_of(world, other_, d.other_point) - place_of(world, body_, d.point)));
  case SensorKind::energy: {
    const StepReport& report = simulation.report();
    numbers.insert(numbers.end(),
                   {report.kinetic_energy, report.potential_energy, report.elastic_energy});
    return;
  }
  case SensorKind::stress:
    return append_stress(simulation, d, numbers);
  case SensorKind::flux:
    return numbers.push_back(mass_flux(simulation, d));
  case SensorKind::slip:
    return numbers.push_back(slip_of(world, joint_, body_, d));
  }
}

} // namespace talus
