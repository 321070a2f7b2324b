#pragma once
// The time step as the five papers have it.

#include "talus/step/step_options.h"

namespace talus::experiments {

/// Undoes every penetration: w = Φ/h.
inline StepOptions paper_step(double h) {
  StepOptions options;
  options.step = h;
  options.allowed_penetration = 0;
  return options;
}

} // namespace talus::experiments
