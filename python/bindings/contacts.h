#pragma once
// The contacts of a step as Python gets them: a copy, as arrays and one by one.

#include "talus/collide/contact_point.h"
#include "world_ref.h"

#include <memory>
#include <vector>

namespace talus::python {

struct Contact {
  ContactPoint point;
  Vec3 impulse;    ///< On body_b, world axes, N s.
  double step = 0; ///< Of the simulation, s; 0 where it is not known.
  std::shared_ptr<const WorldRef> world = nullptr; ///< With the names of the bodies, if known.
};

struct Contacts {
  std::vector<ContactPoint> points;
  std::vector<Vec3> impulses;
  double step = 0;
  std::shared_ptr<const WorldRef> world = nullptr;
};

/// To be called once, by bind_simulation.
void bind_contacts(py::module_& m);

} // namespace talus::python
