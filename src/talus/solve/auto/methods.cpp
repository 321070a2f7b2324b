#include "talus/solve/auto/methods.h"

#include "talus/solve/auto/regions.h"
#include "talus/solve/central_path/central_path_newton.h"
#include "talus/solve/contradiction.h"
#include "talus/solve/registry.h"

namespace talus {
namespace {

/// Proximal Newton steps as long as they halve the error.
class NewtonSteps : public Solver {
public:
  NewtonSteps() { info_.name = method::newton_steps; }
  const SolverInfo& info() const override { return info_; }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Vector u(problem.size());
    problem.velocity(z, u);
    if (!monitor.measure(z, u)) return;
    // Compliance regularises the steps itself.
    options_.weight = problem.problem().compliance.empty() ? 0.01 : 1e-4;
    ProximalNewton newton(problem, options_, monitor.stop_test());
    newton_while_it_helps(newton, most_steps, z, u, monitor);
  }

  static constexpr int most_steps = 12;

private:
  SolverInfo info_;
  ProximalNewtonOptions options_;
};

/// Looks for contacts that contradict each other; z stays as it is.
class ContradictionSearch : public Solver {
public:
  ContradictionSearch() { info_.name = method::contradiction; }
  const SolverInfo& info() const override { return info_; }

  void run(ScaledProblem& problem, Span, Monitor& monitor) override {
    if (find_contradiction(problem, monitor.products_left())) return monitor.declare_infeasible();
    monitor.stall("none found");
  }

private:
  SolverInfo info_;
};

std::string_view sweeps_of(SweepKind kind) {
  switch (kind) {
  case SweepKind::plain:
    return "nsgs";
  case SweepKind::conjugate:
    return "nncg";
  case SweepKind::extrapolated:
    return "ansgs";
  }
  return "";
}

/// A name of the catalogue, or one of this file's methods.
std::string_view chosen(std::string_view name, unsigned facts) {
  if (name == method::first_order)
    name = When(Fact::pile).holds(facts) ? method::gradients : method::sweeps;
  if (name == method::sweeps) return sweeps_of(sweeps_for(facts));
  if (name == method::gradients) return When(Fact::tilted).holds(facts) ? "coulomb-apgd" : "apgd";
  return name;
}

std::unique_ptr<Solver> make_method(std::string_view name, std::string_view settings) {
  if (name == method::newton_steps) return std::make_unique<NewtonSteps>();
  if (name == method::regions) return std::make_unique<Regions>(name);
  if (name == method::contradiction) return std::make_unique<ContradictionSearch>();
  auto solver = make_solver(name);
  while (!settings.empty()) {
    const std::string_view setting = settings.substr(0, settings.find(' '));
    const auto equals = setting.find('=');
    set_option(*solver, setting.substr(0, equals), setting.substr(equals + 1));
    settings.remove_prefix(std::min(settings.size(), setting.size() + 1));
  }
  return solver;
}

} // namespace

Solver& Methods::get(std::string_view name, std::string_view settings) {
  for (const Made& made : made_)
    if (made.name == name && made.settings == settings) return *made.solver;
  made_.push_back({name, settings, make_method(name, settings)});
  return *made_.back().solver;
}

Solver* Methods::find(const Stage& stage, unsigned facts, const ScaledProblem& problem) {
  Solver& solver = get(chosen(stage.method, facts), stage.settings);
  const bool admits = (!problem.division() || solver.info().over_ranks) &&
                      refusal(solver.info(), problem.problem()).empty() &&
                      solver.refuses(problem).empty();
  return admits ? &solver : nullptr;
}

std::vector<std::pair<std::string, std::string>> describe_methods() {
  return {{std::string(method::sweeps), describe_sweeps()},
          {std::string(method::gradients), "coulomb-apgd where the law tilts, else apgd"},
          {std::string(method::first_order), "gradients for a pile, else sweeps"},
          {std::string(method::newton_steps),
           "at most " + std::to_string(NewtonSteps::most_steps) +
               " proximal Newton steps, as long as they halve the error"},
          {std::string(method::regions),
           "the contacts around the largest residuals, solved on their own, with sweeps between"},
          {std::string(method::contradiction), "search for contacts that contradict each other"}};
}

} // namespace talus
