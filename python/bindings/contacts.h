#pragma once
// The contacts of a step as Python gets them: a copy, as arrays and one by one.

#include "casters.h"
#include "talus/collide/contact_point.h"

#include <vector>

namespace talus::python {

struct Contact {
  ContactPoint point;
  Vec3 impulse; ///< On body_b, world axes, N s.
};

struct Contacts {
  std::vector<ContactPoint> points;
  std::vector<Vec3> impulses;
};

/// To be called once, by bind_simulation.
void bind_contacts(py::module_& m);

} // namespace talus::python
