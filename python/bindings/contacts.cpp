#include "contacts.h"

#include "arrays.h"

namespace talus::python {
namespace {

template <class Read>
py::array rows_of_three(const Contacts& contacts, Read read) {
  Vector values;
  for (std::size_t i = 0; i < contacts.points.size(); ++i) {
    const Vec3 v = read(i);
    values.insert(values.end(), {v.x, v.y, v.z});
  }
  return frozen_copy(values, {static_cast<py::ssize_t>(contacts.points.size()), 3});
}

py::array bodies_of(const Contacts& contacts) {
  py::array_t<Index> result({static_cast<py::ssize_t>(contacts.points.size()), py::ssize_t{2}});
  Index* to = result.mutable_data();
  for (const ContactPoint& point : contacts.points) *to++ = point.body_a, *to++ = point.body_b;
  return result;
}

Contact contact_at(const Contacts& contacts, py::ssize_t index) {
  const auto count = static_cast<py::ssize_t>(contacts.points.size());
  if (index < 0) index += count;
  if (index < 0 || index >= count) throw py::index_error(fmt::format("of {} contacts", count));
  return {contacts.points[index], contacts.impulses[index], contacts.step, contacts.world};
}

/// What turns impulses into forces. Frames of a trajectory do not tell the length of their step.
double per_second(double step) {
  if (!(step > 0))
    throw InvalidArgument("the length of the step is not known here: divide the impulses by it");
  return 1 / step;
}

std::string name_of(const std::shared_ptr<const WorldRef>& world, Index body) {
  if (!world) return fmt::format("body {}", body);
  return (*world)->body(body).name;
}

void bind_one(py::module_& m) {
  py::class_<Contact>(m, "Contact", "One contact of a step.")
      .def_property_readonly(
          "bodies", [](const Contact& c) { return std::pair(c.point.body_a, c.point.body_b); },
          "The two bodies, a and b.")
      .def_property_readonly(
          "point", [](const Contact& c) { return c.point.point; },
          "Midway between the surfaces, at the start of the step.")
      .def_property_readonly(
          "normal", [](const Contact& c) { return c.point.normal; }, "Unit vector from a to b.")
      .def_property_readonly(
          "gap", [](const Contact& c) { return c.point.gap; }, "m; negative when penetrating.")
      .def_readonly("impulse", &Contact::impulse, "On b, in world axes, N s.")
      .def_property_readonly(
          "names",
          [](const Contact& c) {
            return std::pair(name_of(c.world, c.point.body_a), name_of(c.world, c.point.body_b));
          },
          "Names of the two bodies.")
      .def_property_readonly(
          "force", [](const Contact& c) { return per_second(c.step) * c.impulse; },
          "On b, mean over the step, in world axes, N.")
      .def_property_readonly(
          "normal_force",
          [](const Contact& c) { return per_second(c.step) * dot(c.impulse, c.point.normal); },
          "Part of the force along the normal, N.")
      .def_property_readonly(
          "friction_force",
          [](const Contact& c) {
            const Vec3& n = c.point.normal;
            return per_second(c.step) * (c.impulse - dot(c.impulse, n) * n);
          },
          "Part of the force across the normal, N.")
      .def("__repr__", [](const Contact& c) {
        return fmt::format("<talus.Contact of '{}' and '{}', gap {:.3g} m>",
                           name_of(c.world, c.point.body_a), name_of(c.world, c.point.body_b),
                           c.point.gap);
      });
}

} // namespace

void bind_contacts(py::module_& m) {
  bind_one(m);
  py::class_<Contacts>(m, "Contacts",
                       "The contacts of a step: iterate over them, or take arrays of all.")
      .def("__len__", [](const Contacts& c) { return c.points.size(); })
      .def("__getitem__", &contact_at, py::arg("index"))
      .def("__iter__", &iterate)
      .def_property_readonly("bodies", &bodies_of, "(n, 2): a and b.")
      .def_property_readonly(
          "points",
          [](const Contacts& c) {
            return rows_of_three(c, [&](std::size_t i) { return c.points[i].point; });
          },
          "(n, 3): midway between the surfaces, at the start of the step.")
      .def_property_readonly(
          "normals",
          [](const Contacts& c) {
            return rows_of_three(c, [&](std::size_t i) { return c.points[i].normal; });
          },
          "(n, 3): unit vectors from a to b.")
      .def_property_readonly(
          "gaps",
          [](const Contacts& c) {
            Vector gaps;
            for (const ContactPoint& point : c.points) gaps.push_back(point.gap);
            return frozen_copy(gaps);
          },
          "(n,): m, negative when penetrating.")
      .def_property_readonly(
          "impulses",
          [](const Contacts& c) {
            return rows_of_three(c, [&](std::size_t i) { return c.impulses[i]; });
          },
          "(n, 3): on b, in world axes, N s.")
      .def_property_readonly(
          "forces",
          [](const Contacts& c) {
            const double factor = per_second(c.step);
            return rows_of_three(c, [&](std::size_t i) { return factor * c.impulses[i]; });
          },
          "(n, 3): on b, means over the step, in world axes, N.")
      .def_property_readonly(
          "names",
          [](const Contacts& c) {
            std::vector<std::pair<std::string, std::string>> names;
            for (const ContactPoint& point : c.points)
              names.emplace_back(name_of(c.world, point.body_a), name_of(c.world, point.body_b));
            return names;
          },
          "[(a, b), ...]: names of the bodies.");
}

} // namespace talus::python
