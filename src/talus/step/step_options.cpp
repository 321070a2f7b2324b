#include "talus/step/step_options.h"

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"
#include "talus/core/parallel.h"
#include "talus/step/formulation.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace talus {

namespace {
constexpr std::array<std::string_view, 2> impact_law_names = {"newton", "poisson"};

void require(bool good, std::string_view name, double value, std::string_view range) {
  if (!good) throw InvalidArgument(fmt::format("{} is {}, it must be {}", name, value, range));
}
} // namespace

std::string_view to_string(ImpactLaw law) {
  return impact_law_names[static_cast<std::size_t>(law)];
}

ImpactLaw impact_law_from(std::string_view name) {
  for (std::size_t i = 0; i < impact_law_names.size(); ++i)
    if (impact_law_names[i] == name) return static_cast<ImpactLaw>(i);
  throw InvalidArgument("unknown law of impact " + unknown_name(name, impact_law_names));
}

void use_solver(StepOptions& options, std::shared_ptr<Solver> solver) {
  options.solver = solver->info().name;
  options.own_solver = std::move(solver);
}

void validate(const StepOptions& options) {
  require(options.step > 0 && std::isfinite(options.step), "step", options.step,
          "positive and finite");
  require(options.tolerance > 0 || options.tolerance < 0, "tolerance", options.tolerance,
          "positive, or negative for the automatic one");
  require(options.relative_compliance >= 0 && std::isfinite(options.relative_compliance),
          "relative_compliance", options.relative_compliance, "0 (rigid) or positive and finite");
  require(options.max_iterations > 0, "max_iterations", static_cast<double>(options.max_iterations),
          "positive");
  require(options.max_products >= 0, "max_products", static_cast<double>(options.max_products),
          "0 (none) or positive");
  require(options.time_limit >= 0, "time_limit", options.time_limit, "0 (none) or positive");
  require(std::isfinite(options.envelope), "envelope", options.envelope,
          "finite, negative for the automatic one");
  require(std::isfinite(options.allowed_penetration), "allowed_penetration",
          options.allowed_penetration, "finite, negative for the automatic one");
  require(!std::isnan(options.max_recovery_speed), "max_recovery_speed", options.max_recovery_speed,
          "a number, negative for the automatic one");
  require(!std::isnan(options.restitution_threshold), "restitution_threshold",
          options.restitution_threshold, "a number, negative for the automatic one");
  require_thread_count(options.threads);
  if (!options.formulation.empty())
    require_admitted(find_formulation(options.formulation), options.law, options.solver);
}

double tolerance_of(const StepOptions& options, Index contacts) {
  constexpr Index few = 500, many = 20'000;
  if (options.tolerance > 0) return options.tolerance;
  return contacts <= few ? 1e-8 : contacts <= many ? 1e-6 : 1e-4;
}

} // namespace talus
