#include "talus/step/formulation.h"

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace talus {
namespace {

constexpr Formulation formulations[] = {
    {"primal", Law::coulomb, "conic-ip", false, "primal", false},
    {"primal-relaxed", Law::associated, "conic-ip", false, "primal", false},
    {"dual", Law::coulomb, "conic-ip", true, "dual", false},
    {"dual-relaxed", Law::associated, "conic-ip", true, "dual", false},
    {"eom", Law::coulomb, "path", false, "", true},
    {"eom-relaxed", Law::associated, "path", false, "", true},
};

FrictionSet polyhedral(FrictionSet set) {
  constexpr int facets = 8;
  if (set.kind == FrictionKind::cone) return {FrictionKind::polyhedron, facets};
  if (set.kind == FrictionKind::cylinder) return {FrictionKind::prism, facets};
  return set;
}

} // namespace

std::vector<std::string_view> formulation_names() {
  std::vector<std::string_view> names;
  for (const Formulation& formulation : formulations) names.push_back(formulation.name);
  return names;
}

const Formulation& find_formulation(std::string_view name) {
  for (const Formulation& formulation : formulations)
    if (formulation.name == name) return formulation;
  throw InvalidArgument("unknown formulation " + unknown_name(name, formulation_names()));
}

void require_admitted(const Formulation& formulation, Law law, std::string_view solver) {
  if (law != formulation.law)
    throw InvalidArgument(fmt::format("the formulation {} has the law {}, not {}", formulation.name,
                                      to_string(formulation.law), to_string(law)));
  if (solver != formulation.solver && !formulation.any_solver)
    throw InvalidArgument(fmt::format("the formulation {} is solved by {}, not by {}",
                                      formulation.name, formulation.solver, solver));
}

void choose_formulation(StepOptions& options, std::string_view name, std::string_view solver) {
  const Formulation& formulation = find_formulation(name);
  const bool is_own = solver.empty() || solver == formulation.solver;
  require_admitted(formulation, formulation.law, is_own ? formulation.solver : solver);
  const bool had_formulation = !options.formulation.empty();
  options.formulation = name;
  options.law = formulation.law;
  options.solver = is_own ? formulation.solver : solver;
  if (options.own_solver && options.own_solver->info().name != options.solver)
    options.own_solver = nullptr;
  const bool sets_model = is_own && !formulation.model.empty();
  if (sets_model || had_formulation)
    std::erase_if(options.solver_options,
                  [](const auto& option) { return option.first == "model"; });
  if (sets_model) options.solver_options.emplace_back("model", formulation.model);
  if (formulation.needs_polyhedral) options.friction = polyhedral(options.friction);
}

} // namespace talus
