// What one can read after a step: forces of contacts and joints.

#include "talus/step/forces.h"

#include "arrays.h"
#include "forces.h"
#include "talus/core/error.h"
#include "talus/world/joint_state.h"

#include <cmath>
#include <limits>
#include <map>

namespace talus::python {
namespace {

std::pair<Vec3, Vec3> pair_of(const Wrench& wrench) {
  return {wrench.force, wrench.torque};
}

Array rows_of(const std::vector<Wrench>& wrenches, Vec3 Wrench::*part) {
  Array result({static_cast<py::ssize_t>(wrenches.size()), py::ssize_t{3}});
  double* to = result.mutable_data();
  for (const Wrench& wrench : wrenches)
    for (int k = 0; k < 3; ++k) *to++ = (wrench.*part)[k];
  return result;
}

Array array_of(const std::vector<double>& values) {
  Array result(static_cast<py::ssize_t>(values.size()));
  std::copy(values.begin(), values.end(), result.mutable_data());
  return result;
}

using Bodies = std::variant<Key, std::vector<Key>>;

std::vector<Index> indices_of(const World& world, const Bodies& bodies) {
  if (const auto* one = std::get_if<Key>(&bodies)) return {body_index(world, *one)};
  std::vector<Index> indices;
  for (const Key& key : std::get<std::vector<Key>>(bodies))
    indices.push_back(body_index(world, key));
  if (indices.empty()) throw InvalidArgument("a list of bodies must not be empty");
  return indices;
}

/// All joints' values in their order, or some by name; those not named are NaN.
using JointValues = std::variant<std::map<std::string, double>, Array>;

Vector joint_values(const World& world, const JointValues& given) {
  if (const auto* array = std::get_if<Array>(&given)) {
    require_size(*array, world.joints().size(), "the array");
    return vector_from(*array);
  }
  Vector values(world.joints().size(), std::numeric_limits<double>::quiet_NaN());
  for (const auto& [name, value] : std::get<0>(given)) {
    if (std::isnan(value)) throw InvalidArgument(fmt::format("joint '{}': the value is NaN", name));
    values[static_cast<std::size_t>(joint_index(world, name))] = value;
  }
  return values;
}

void set_efforts(World& world, const Vector& efforts) {
  for (std::size_t j = 0; j < efforts.size(); ++j) {
    const Joint& joint = world.joints()[j];
    if (std::isnan(efforts[j]) || (efforts[j] == 0 && !has_coordinate(joint.kind))) continue;
    world.set_effort(static_cast<Index>(j), efforts[j]);
  }
}

void set_targets(World& world, const Vector& targets) {
  for (std::size_t j = 0; j < targets.size(); ++j) {
    const Joint& joint = world.joints()[j];
    if (std::isnan(targets[j]) || (targets[j] == 0 && !joint.motor)) continue;
    if (!joint.motor)
      throw InvalidArgument(fmt::format("joint '{}' has no motor to set a target of", joint.name));
    JointMotor motor = *joint.motor;
    motor.target = targets[j];
    motor.target_at = {};
    world.set_motor(static_cast<Index>(j), std::move(motor));
  }
}

/// Changes the world as `set` says, while nobody steps it.
template <class Set>
auto setter(Set set) {
  return [set](const SimulationRef& s, const JointValues& given) {
    const Vector values = joint_values(s->world(), given);
    s.alone([&](Simulation& simulation) { set(simulation.world(), values); });
  };
}

template <class Value>
auto array_of_joints(Value value) {
  return [value](const SimulationRef& s) {
    std::vector<double> values;
    for (const Joint& joint : s->world().joints()) values.push_back(value(joint));
    return array_of(values);
  };
}

void bind_joint_arrays(SimulationClass& simulation) {
  simulation.def_property(
      "joint_positions", [](const SimulationRef& s) { return array_of(joint_positions(*s)); },
      setter([](World& world, const Vector& values) { set_joint_positions(world, values); }),
      "Coordinates of the joints, rad or m, (joints,). Can be set, from an array (NaN: as it is) "
      "or a dict of names: what hangs on the joint moves along. Changing entries of the array does "
      "nothing.");
  simulation.def_property(
      "joint_velocities", [](const SimulationRef& s) { return array_of(joint_velocities(*s)); },
      setter([](World& world, const Vector& values) { set_joint_velocities(world, values); }),
      "How fast they change, rad/s or m/s, (joints,). Can be set in the same way.");
  simulation.def_property(
      "given_efforts", array_of_joints([](const Joint& joint) { return joint.effort; }),
      setter([](World& world, const Vector& values) { set_efforts(world, values); }),
      "Efforts that the user gives the joints, N m or N, (joints,). Can be set, from now on.");
  simulation.def_property(
      "motor_targets",
      array_of_joints([](const Joint& joint) { return joint.motor ? joint.motor->target : 0.0; }),
      setter([](World& world, const Vector& values) { set_targets(world, values); }),
      "Target positions or velocities of the motors, (joints,). Can be set, from now on.");
}

} // namespace

void bind_forces(SimulationClass& simulation) {
  using py::arg;
  simulation.def(
      "contact_force",
      [](const SimulationRef& s, const Bodies& body, const std::optional<Bodies>& other) {
        const World& world = s->world();
        const auto* one = std::get_if<Key>(&body);
        const auto* one_other = other ? std::get_if<Key>(&*other) : nullptr;
        if (one && !other) return pair_of(contact_force(*s, body_index(world, *one)));
        if (one && one_other)
          return pair_of(contact_force(*s, body_index(world, *one), body_index(world, *one_other)));
        return pair_of(contact_force(*s, indices_of(world, body),
                                     other ? indices_of(world, *other) : std::vector<Index>{}));
      },
      arg("body"), arg("other") = py::none(),
      "(force, torque) of the contacts on a body in the last step, of those with `other` alone if "
      "given: N, and N m about its centre of mass, in world axes. Either may be a list of bodies: "
      "contacts inside a group do not count, and the torque is about the origin.");
  simulation.def(
      "contact_forces",
      [](const SimulationRef& s) {
        const std::vector<Wrench> all = contact_forces(*s);
        return std::pair(rows_of(all, &Wrench::force), rows_of(all, &Wrench::torque));
      },
      "(forces, torques) of the contacts on every body, each of shape (bodies, 3).");
  simulation.def(
      "joint_force",
      [](const SimulationRef& s, const Key& joint) {
        return pair_of(joint_force(*s, joint_index(s->world(), joint)));
      },
      arg("joint"),
      "(force, torque) of a joint on its second body in the last step, about the joint's origin "
      "and in the axes of the joint frame on the first one.");
  simulation.def(
      "joint_efforts",
      [](const SimulationRef& s, const Key& joint) {
        const JointEfforts e = joint_efforts(*s, joint_index(s->world(), joint));
        return std::map<std::string, double>{{"motor", e.motor},
                                             {"spring", e.spring},
                                             {"limit", e.limit},
                                             {"friction", e.friction},
                                             {"armature", e.armature}};
      },
      arg("joint"),
      "What acts along the coordinate of a joint, N or N m: motor, spring, limit, friction, "
      "armature.");
  simulation.def_property_readonly(
      "joint_names",
      [](const SimulationRef& s) {
        std::vector<std::string> names;
        for (const Joint& joint : s->world().joints()) names.push_back(joint.name);
        return names;
      },
      "Names of the joints, in the order of the arrays below.");
  bind_joint_arrays(simulation);
  simulation.def(
      "joint_forces",
      [](const SimulationRef& s) {
        const std::vector<Wrench> all = joint_forces(*s);
        return std::pair(rows_of(all, &Wrench::force), rows_of(all, &Wrench::torque));
      },
      "(forces, torques) of every joint as joint_force() gives them, each of shape (joints, 3).");
  simulation.def_property_readonly(
      "motor_efforts", [](const SimulationRef& s) { return array_of(motor_efforts(*s)); },
      "Efforts of the motors in the last step, N m or N, (joints,).");
}

} // namespace talus::python
