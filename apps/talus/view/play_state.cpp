#include "play_state.h"

#include "talus/step/forces.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace talus::cli {
namespace {

void put(std::vector<float>& to, const Vec3& v) {
  for (int k = 0; k < 3; ++k) to.push_back(static_cast<float>(v[k]));
}

void add_states(DataPackage& package, std::span<const BodyState> states) {
  std::vector<float> position, velocity, angular;
  std::vector<std::int16_t> orientation;
  for (const BodyState& state : states) {
    put(position, state.pose.position);
    put(velocity, state.velocity);
    put(angular, state.angular_velocity);
    const Quaternion& q = state.pose.rotation;
    for (const double part : {q.w, q.x, q.y, q.z})
      orientation.push_back(
          static_cast<std::int16_t>(std::lround(std::clamp(part, -1.0, 1.0) * 32767)));
  }
  package.add("position", std::span<const float>(position));
  package.add("orientation", std::span<const std::int16_t>(orientation));
  package.add("velocity", std::span<const float>(velocity));
  package.add("angular_velocity", std::span<const float>(angular));
}

void add_contacts(DataPackage& package, const Simulation& simulation) {
  const auto contacts = simulation.contacts();
  const auto impulses = simulation.contact_impulses();
  std::vector<std::int32_t> bodies;
  std::vector<float> point, normal, gap, impulse;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    bodies.insert(bodies.end(), {contacts[c].body_a, contacts[c].body_b});
    put(point, contacts[c].point);
    put(normal, contacts[c].normal);
    gap.push_back(static_cast<float>(contacts[c].gap));
    put(impulse, impulses[c]);
  }
  const std::int32_t count = static_cast<std::int32_t>(contacts.size());
  package.add("contact_counts", std::span(&count, 1));
  package.add("contact_bodies", std::span<const std::int32_t>(bodies));
  package.add("contact_point", std::span<const float>(point));
  package.add("contact_normal", std::span<const float>(normal));
  package.add("contact_gap", std::span<const float>(gap));
  package.add("contact_impulse", std::span<const float>(impulse));
}

void add_wrenches(DataPackage& package, const std::string& of, std::span<const Wrench> wrenches) {
  std::vector<float> force, torque;
  for (const Wrench& wrench : wrenches) {
    put(force, wrench.force);
    put(torque, wrench.torque);
  }
  package.add(of + "_force", std::span<const float>(force));
  package.add(of + "_torque", std::span<const float>(torque));
}

void add_numbers(DataPackage& package, const char* name, const std::vector<double>& numbers) {
  const std::vector<float> floats(numbers.begin(), numbers.end());
  package.add(name, std::span<const float>(floats));
}

/// A row of the plots, named as ViewedRun::steps names its columns.
nlohmann::json row_of(const Simulation& simulation, std::span<const Sensor> sensors) {
  const StepReport& r = simulation.report();
  const ForceSums sums = force_sums(simulation);
  nlohmann::json row = {{"time", simulation.time()},
                        {"step", simulation.steps()},
                        {"contacts", r.contacts},
                        {"error", r.error},
                        {"violation", r.violation},
                        {"iterations", r.iterations},
                        {"max_penetration", r.max_penetration},
                        {"max_joint_error", r.max_joint_error},
                        {"kinetic_energy", r.kinetic_energy},
                        {"potential_energy", r.potential_energy},
                        {"elastic_energy", r.elastic_energy},
                        {"support_x", sums.support.x},
                        {"support_y", sums.support.y},
                        {"support_z", sums.support.z},
                        {"max_contact_force", sums.largest_contact},
                        {"max_joint_force", sums.largest_joint},
                        {"seconds_solve", r.seconds_solve}};
  std::vector<double> numbers;
  std::vector<std::string> names;
  for (const Sensor& sensor : sensors) {
    sensor.read(simulation, numbers);
    for (const std::string& name : sensor.columns()) names.push_back("sensor:" + name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = numbers[i];
  return row;
}

} // namespace

DataPackage package_of(const Simulation& simulation, std::span<const Sensor> sensors,
                       const PlayFacts& facts) {
  const World& world = simulation.world();
  nlohmann::json info = {{"number", facts.number},     {"revision", facts.revision},
                         {"step", simulation.steps()}, {"time", simulation.time()},
                         {"paused", facts.paused},     {"speed", facts.speed},
                         {"achieved", facts.achieved}, {"trouble", facts.trouble},
                         {"dragged", facts.dragged},   {"friction", nlohmann::json::array()}};
  for (Index m = 0; m < world.materials.size(); ++m)
    info["friction"].push_back(world.materials[m].friction);
  if (simulation.steps() > 0) info["row"] = row_of(simulation, sensors);
  DataPackage package;
  package.add_text("info", info.dump());
  const double time = simulation.time();
  package.add("times", std::span(&time, 1));
  add_states(package, world.states());
  add_contacts(package, simulation);
  add_wrenches(package, "contact", contact_forces(simulation));
  if (world.joints().empty()) return package;
  add_wrenches(package, "joint", joint_forces(simulation));
  add_numbers(package, "joint_position", joint_positions(simulation));
  add_numbers(package, "joint_velocity", joint_velocities(simulation));
  add_numbers(package, "motor_effort", motor_efforts(simulation));
  return package;
}

} // namespace talus::cli
