#pragma once
// Parts of the binding of worlds: materials, surroundings and joints, with their classes.

#include "world_ref.h"

namespace talus::python {

using WorldHolder = std::shared_ptr<WorldRef>;
using WorldClass = py::class_<WorldRef, WorldHolder>;

/// Cohesion.
void bind_material_classes(py::module_& m);
/// Materials, pairs of them and their rules.
void bind_materials(WorldClass& world);

/// Drag, Formula.
void bind_surrounding_classes(py::module_& m);
/// Wind, fluids, drag, point loads, removal of bodies.
void bind_surroundings(WorldClass& world);

/// Rays, distances and pictures, with their classes.
void bind_queries(py::module_& m, WorldClass& world);

/// Joint, Motor, Spring, Bushing.
void bind_joint_classes(py::module_& m);
/// Adding and changing joints.
void bind_joints(WorldClass& world);

} // namespace talus::python
