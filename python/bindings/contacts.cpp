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
  return {contacts.points[index], contacts.impulses[index]};
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
      .def("__repr__", [](const Contact& c) {
        return fmt::format("<talus.Contact of bodies {} and {}, gap {:.3g} m>", c.point.body_a,
                           c.point.body_b, c.point.gap);
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
          "(n, 3): on b, in world axes, N s.");
}

} // namespace talus::python
