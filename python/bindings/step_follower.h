#pragma once
// What goes along with a simulation in Python: recorders, tables of a run.

#include "talus/step/simulation.h"

namespace talus::python {

/// Told after every step, without the GIL, on the thread that stepped.
class StepFollower {
public:
  virtual ~StepFollower() = default;
  virtual void after_step(const Simulation& simulation) = 0;
};

} // namespace talus::python
