#pragma once
// Sensors of a simulation: those of its scene, and those added from Python.

#include "forces.h"

namespace talus::python {

void bind_sensors(SimulationClass& simulation);

} // namespace talus::python
