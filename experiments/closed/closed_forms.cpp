#include "closed_forms.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::experiments {

Finding closed_form(std::string what, double expected, double measured, double tolerance,
                    std::string_view unit) {
  const double error = std::abs(measured - expected) / std::abs(expected);
  Finding finding = check_statement(
      std::move(what), fmt::format("{:.6g} {}", expected, unit),
      fmt::format("{:.6g} {} (error {:.1e})", measured, unit, error), error <= tolerance,
      shown(
          fmt::format("the error is above {:.1e}, what the length of a step explains", tolerance)));
  finding.ratio = measured / expected;
  return finding;
}

Finding vanishing(std::string what, double measured, double bound, std::string_view unit) {
  return check_statement(std::move(what), "0", fmt::format("{:.1e} {}", measured, unit),
                         measured <= bound, shown(fmt::format("it is above {:.1e}", bound)));
}

void run_steps(const Context& context, Simulation& simulation, long steps,
               const std::string& what) {
  for (long k = 0; k < steps; ++k) {
    if (k % 1000 == 0) context.say(what);
    simulation.step();
  }
}

World world_on_floor(const Material& material) {
  World world;
  world.materials.replace(0, material);
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})));
  return world;
}

} // namespace talus::experiments
