#pragma once
// What outcomes depend on, in a form that can be kept and compared (Context::once).

#include "context.h"
#include "talus/step/step_options.h"

namespace talus::experiments {

/// A text that differs where any number does that a solver may see: model, friction, law,
/// compliance, bounds, estimates; not the title. Takes one pass over the problem.
std::string fingerprint(const ContactProblem& problem);
std::string fingerprint(const Vector& numbers);

/// How a simulation steps; not where it starts.
Json inputs_of(const StepOptions& options);

} // namespace talus::experiments
