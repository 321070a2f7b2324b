// What one can read after a step: forces of contacts and joints.

#include "talus/step/forces.h"

#include "arrays.h"
#include "forces.h"

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

} // namespace

void bind_forces(SimulationClass& simulation) {
  using py::arg;
  simulation.def(
      "contact_force",
      [](const SimulationRef& s, const Key& body, const std::optional<Key>& other) {
        const World& world = s->world();
        const Index index = body_index(world, body);
        return pair_of(other ? contact_force(*s, index, body_index(world, *other))
                             : contact_force(*s, index));
      },
      arg("body"), arg("other") = py::none(),
      "(force, torque) of the contacts on a body in the last step, of those with `other` alone if "
      "given: N, and N m about its centre of mass, in world axes.");
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
  simulation.def_property_readonly(
      "joint_positions", [](const SimulationRef& s) { return array_of(joint_positions(*s)); },
      "Coordinates of the joints after the last step, rad or m, (joints,).");
  simulation.def_property_readonly(
      "joint_velocities", [](const SimulationRef& s) { return array_of(joint_velocities(*s)); },
      "How fast they change, rad/s or m/s, (joints,).");
  simulation.def_property_readonly(
      "motor_efforts", [](const SimulationRef& s) { return array_of(motor_efforts(*s)); },
      "Efforts of the motors in the last step, N m or N, (joints,).");
}

} // namespace talus::python
