// The default solver: cheap methods first, expensive ones where these are too slow.
//
// It is a list of stages (stages.cpp): a method, the condition under which it is tried, its start,
// its limits, and the reason. `talus solvers auto` prints the list. A method goes on while, at its
// rate of late, it would reach the tolerance for less than what follows costs. After the quick
// stages the problem is divided into islands (auto_islands.cpp): those that are good enough keep
// their impulses, the others are solved in parallel, each from the first stage on.
//
// Over ranks problems are solved as a whole, by the stages whose methods run over ranks.
//
// Every change of method is noted in the history with its reason. Decisions follow from sizes,
// products and errors, never from the clock or the number of threads.
//
// Cost: that of the methods chosen. Costs are compared in products with N; what a factorisation is
// worth in products is a fit to measured ones (cost_model.h).

#include "talus/solve/auto/auto.h"

#include "talus/core/large_problem.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/auto/stages.h"

#include <fmt/format.h>

#include <cmath>

namespace talus {

Auto::Auto() {
  info_.name = "auto";
  info_.summary = "islands, and for each the method that suits it";
  info_.paper = "this project";
  info_.friction = AdmittedSets::every();
  info_.coulomb = "direct";
  info_.products_per_iteration = "depends";
  info_.over_ranks = true;
}

void Auto::visit_options(OptionVisitor& visitor) {
  visitor.visit("islands", split_islands_, "solve islands on their own");
  visitor.visit("regions", solve_regions_, "solve regions of large residuals on their own");
  visitor.visit(
      "pile_limit", sizes_.pile, Range::at_least(0),
      "contacts beyond which gradients follow sweeps, and rough answers are not factorised");
  visitor.visit("factorisation_limit", sizes_.factorisation, Range::at_least(0),
                "contacts and rows up to which an island is factorised");
}

std::string Auto::details() {
  return describe_stages(sizes_);
}

void Auto::run(ScaledProblem& problem, Span z, Monitor& monitor) {
  const Solve solve = begin(problem, !problem.is_zero(z), z, monitor);
  if (!run_part(Part::quick, solve)) return;
  // Islands reach over ranks.
  if (split_islands_ && !problem.division() && monitor.options().measure == Measure::talus) {
    const Islands islands = find_islands(problem.problem());
    if (islands.count > 1) return solve_islands(solve, islands);
  }
  run_other_parts(solve);
}

Auto::Solve Auto::begin(ScaledProblem& problem, bool warm, Span z, Monitor& monitor) {
  start_.assign(z.begin(), z.end());
  return {problem, z, monitor, facts_of(problem, monitor.options().tolerance, warm, sizes_)};
}

void Auto::run_other_parts(const Solve& solve) {
  bool goes_on = run_part(Part::finish, solve);
  long limit_factor = 1;
  for (int round = 0; goes_on && round < rounds; ++round, limit_factor *= growth_of_limits)
    goes_on = run_part(Part::round, solve, limit_factor);
  if (goes_on && run_part(Part::last, solve))
    solve.monitor.stall(
        fmt::format("no method of the catalogue gets below {:.3g}", solve.monitor.best_error()));
}

bool Auto::run_part(Part part, const Solve& solve, long limit_factor) {
  for (const Stage& stage : stages())
    if (stage.part == part && stage.when.holds(solve.facts | closeness(solve.monitor)) &&
        !run_stage(stage, solve, limit_factor))
      return false;
  return true;
}

bool Auto::run_stage(const Stage& stage, const Solve& solve, long limit_factor) {
  auto& [problem, z, monitor, facts] = solve;
  if (stage.method == method::regions && !solve_regions_) return true;
  Solver* method = methods_.find(stage, facts, problem);
  if (!method) return true;
  const std::string name = method->info().name;
  if (stage.start == Start::zero) fill(z, 0.0);
  if (stage.start == Start::given) copy(start_, z);
  PhaseLimits limits = stage.limits.of(CostModel(problem).factorisation());
  if (limits.products < Amount::unlimited) limits.products *= limit_factor;
  monitor.begin_phase(limits);
  method->run(problem, z, monitor);
  if (is_large(problem.contacts())) methods_.clear();
  if (!monitor.end_phase()) return false;
  // Numbers so large or small that not even the start could be measured: no method gets anywhere.
  // Ranks without contacts have an empty iterate, but decide as the others do.
  if (problem.division() ? !std::isfinite(monitor.best_error()) : monitor.best().empty())
    return false;
  if (monitor.wants_every_iteration())
    monitor.note(fmt::format("{}: {}", name, monitor.phase_end()));
  copy(monitor.best(), z);
  return true;
}

std::unique_ptr<Solver> make_auto() {
  return std::make_unique<Auto>();
}

} // namespace talus
