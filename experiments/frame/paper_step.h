#pragma once
// The time step as the five papers have it.

#include "talus/step/step_options.h"

#include <limits>

namespace talus::experiments {

/// Rigid contacts, every penetration undone in one step: w = Φ/h.
inline StepOptions paper_step(double h) {
  StepOptions options;
  options.step = h;
  options.relative_compliance = 0;
  options.allowed_penetration = 0;
  options.tolerance = 1e-8;
  options.max_recovery_speed = std::numeric_limits<double>::infinity();
  return options;
}

} // namespace talus::experiments
