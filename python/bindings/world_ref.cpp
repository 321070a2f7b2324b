#include "world_ref.h"

#include "arrays.h"

namespace talus::python {
namespace {

Index index_in(const Key& key, Index size, const char* what,
               const std::function<Index(const std::string&)>& find) {
  if (const auto* name = std::get_if<std::string>(&key)) {
    const Index found = find(*name);
    if (found < 0) throw InvalidArgument(fmt::format("there is no {} named '{}'", what, *name));
    return found;
  }
  const Index index = std::get<Index>(key);
  if (index < 0 || index >= size)
    throw InvalidArgument(
        fmt::format("there is no {} {}; numbers go from 0 to {}", what, index, size - 1));
  return index;
}

void call(const SharedFunction& force, const std::shared_ptr<WorldRef>& world, double time,
          std::span<Wrench> wrenches) {
  const auto rows = static_cast<py::ssize_t>(wrenches.size());
  Array forces({rows, py::ssize_t{3}}), torques({rows, py::ssize_t{3}});
  std::fill_n(forces.mutable_data(), forces.size(), 0.0);
  std::fill_n(torques.mutable_data(), torques.size(), 0.0);
  force.get()(world, time, forces, torques);
  require_size(forces, 3 * wrenches.size(), "forces");
  require_size(torques, 3 * wrenches.size(), "torques");
  for (std::size_t i = 0; i < wrenches.size(); ++i) {
    const double *f = forces.data() + 3 * i, *t = torques.data() + 3 * i;
    wrenches[i].force += {f[0], f[1], f[2]};
    wrenches[i].torque += {t[0], t[1], t[2]};
  }
}

} // namespace

World& WorldRef::growing() {
  if (stepping) {
    PyErr_SetString(PyExc_BufferError,
                    "bodies and joints cannot be added to a world while it is being stepped");
    throw py::error_already_set();
  }
  if (viewed && viewed.use_count() > 1) {
    World copy = *world;
    viewed->old = std::move(*world);
    *world = std::move(copy);
    for (const py::weakref& each : viewed->arrays)
      if (const py::object array = each(); !array.is_none())
        array.attr("flags").attr("writeable") = false;
  }
  viewed = nullptr;
  return *world;
}

ForceFunction python_forces(std::weak_ptr<WorldRef> reference) {
  return [reference = std::move(reference)](const World&, double time, std::span<Wrench> wrenches) {
    const std::shared_ptr<WorldRef> world = reference.lock();
    if (!world || world->forces.empty()) return;
    const py::gil_scoped_acquire gil;
    const std::vector<SharedFunction> forces = world->forces;
    for (const SharedFunction& force : forces) call(force, world, time, wrenches);
  };
}

Index body_index(const World& world, const Key& key) {
  return index_in(key, world.size(), "body",
                  [&](const std::string& name) { return world.find_body(name); });
}

Index joint_index(const World& world, const Key& key) {
  return index_in(key, static_cast<Index>(world.joints().size()), "joint",
                  [&](const std::string& name) { return world.find_joint(name); });
}

Index material_index(const World& world, const Key& key) {
  return index_in(key, world.materials.size(), "material",
                  [&](const std::string& name) { return world.materials.find(name); });
}

} // namespace talus::python
