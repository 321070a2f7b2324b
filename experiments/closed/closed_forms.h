#pragma once
// What the experiments on closed forms share: simulations of a few bodies, compared with formulas
// that their headers derive.

#include "experiments/frame/experiment.h"
#include "talus/step/simulation.h"

namespace talus::experiments {

inline constexpr double closed_form_gravity = 9.81;

/// A number of a closed form beside the measured one: reproduced if they differ by at most
/// `tolerance` times the first. The difference is shown.
Finding closed_form(std::string what, double expected, double measured, double tolerance,
                    std::string_view unit);

/// Something that must be zero: reproduced if it is at most `bound`.
Finding vanishing(std::string what, double measured, double bound, std::string_view unit);

/// The parameter in (low, high) at which `holds` changes from true to false, by bisection.
template <class Holds>
double find_limit(double low, double high, int halvings, Holds&& holds) {
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Steps; says how far it is from time to time.
void run_steps(const Context& context, Simulation& simulation, long steps, const std::string& what);

/// A world whose only material is this one, with a floor z ≤ 0.
World world_on_floor(const Material& material);

} // namespace talus::experiments
