#pragma once
// Joints of worlds: their classes, and what a world does with them.

#include "world_ref.h"

namespace talus::python {

using WorldHolder = std::shared_ptr<WorldRef>;
using WorldClass = py::class_<WorldRef, WorldHolder>;

/// Drag, Formula.
void bind_surrounding_classes(py::module_& m);
/// Wind, fluids, drag, point loads, removal of bodies.
void bind_surroundings(WorldClass& world);

/// Joint, Motor, Spring, Bushing.
void bind_joint_classes(py::module_& m);
/// Adding and changing joints.
void bind_joints(WorldClass& world);

} // namespace talus::python
