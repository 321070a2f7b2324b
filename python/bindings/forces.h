#pragma once
// Forces that a simulation can be asked for.

#include "simulation_ref.h"

namespace talus::python {

using SimulationClass = py::class_<SimulationRef, std::shared_ptr<SimulationRef>>;

void bind_forces(SimulationClass& simulation);

} // namespace talus::python
