// heyn2013's methods, published without friction, under the associated law and under Coulomb's.

#include "beyond.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace talus::experiments::beyond_heyn_coulomb {
namespace {

constexpr double friction = 0.25;
constexpr std::array errors = {1e-2, 1e-4, 1e-6};

/// The paper's methods, and apgd as a ruler.
std::vector<SolverRun> methods() {
  return {{"jacobi"},
          {"gpminres", {{"krylov_steps", "10"}}},
          {"gpminres-p", {{"krylov_steps", "10"}}},
          {"spg"},
          {"kucera"},
          {"apgd"}};
}

/// The problem as the paper has it, and the two laws of friction.
struct Friction {
  std::string name;
  FrictionKind kind;
  Law law;
};
const std::array laws = {Friction{"frictionless", FrictionKind::none, Law::coulomb},
                         Friction{"associated", FrictionKind::cone, Law::associated},
                         Friction{"Coulomb", FrictionKind::cone, Law::coulomb}};

ContactProblem pile_with_friction(const Context& context) {
  SpherePile pile = shaped_pile(context.sized<Index>(150, 500), friction);
  pile.seconds = context.sized(0.5, 1.0);
  pile.iterations = context.sized<long>(100, 400);
  return settled_problem(pile, context, fmt::format("beyond-heyn-{}", pile.spheres));
}

ContactProblem under(const Friction& law, ContactProblem problem, double mu) {
  problem.friction.kind = law.kind;
  problem.law = law.law;
  problem.mu.assign(problem.mu.size(), mu);
  return problem;
}

Json run_on(const Context& context, const ContactProblem& pile, const Friction& law, double mu,
            const SolverRun& run) {
  const long most = context.sized<long>(3000, 10000);
  return kept_run(context, fmt::format("{}-{}-{:g}-{}", pile.contacts(), law.name, mu, run.solver),
                  under(law, pile, mu), run, to_error(0.5 * errors.back(), most));
}

/// Products to 1e-4 by law and method; methods that do not admit a law are left out.
using Products = std::map<std::string, std::map<std::string, double>>;

Products compare_laws(const Context& context, const ContactProblem& pile, Report& report) {
  DataTable table{"laws",
                  fmt::format("Iterations and products to an error, μ = {:g}. Rounds: convex "
                              "problems solved on the way to Coulomb's law.",
                              friction),
                  {"law", "method", "iterations to 1e-4", "products to 1e-2", "products to 1e-4",
                   "products to 1e-6", "rounds", "error at the end"},
                  {}};
  DataTable curves = curve_table("curves", "Error over products.");
  Products products;
  for (const Friction& law : laws)
    for (const SolverRun& run : methods()) {
      const Json recorded = run_on(context, pile, law, friction, run);
      if (recorded["status"] == "unsupported") {
        table.rows.push_back(
            {law.name, run.solver, "law not admitted", Json(), Json(), Json(), Json(), Json()});
        continue;
      }
      add_curve(curves, law.name, run.solver, recorded);
      const double to_goal = reached_error(recorded, 1e-4).products;
      products[law.name][run.solver] = to_goal;
      table.rows.push_back({law.name, run.solver, cell(reached_error(recorded, 1e-4).iterations),
                            cell(reached_error(recorded, 1e-2).products), cell(to_goal),
                            cell(reached_error(recorded, 1e-6).products),
                            recorded["outer_iterations"], recorded["error"]});
    }
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(curves));
  return products;
}

void compare_friction(const Context& context, const ContactProblem& pile, Report& report) {
  DataTable table{
      "friction",
      "Coulomb's law: products to an error of 1e-4 against the coefficient of friction.",
      {"panel", "curve", "μ", "products"},
      {}};
  for (const SolverRun& run : methods())
    for (const double mu : {0.05, 0.1, 0.25, 0.5, 1.0})
      table.rows.push_back(
          {"Coulomb", run.solver, mu,
           cell(reached_error(run_on(context, pile, laws.back(), mu, run), 1e-4).products)});
  table.on_page = false;
  report.tables.push_back(std::move(table));
  report.plots.push_back(log_plot("friction",
                                  "Products to 1e-4 under Coulomb's law against friction",
                                  "Missing points: not within the iterations given.", "friction",
                                  "μ", "products", "μ", "products with N to 1e-4"));
}

} // namespace

Report run(Context& context) {
  const ContactProblem pile = pile_with_friction(context);
  Report report;
  report.summary = fmt::format(
      "{} contacts of spheres settled with μ = {:g}; the same step without friction (as in the "
      "paper), under the associated law and under Coulomb's, from zero impulses, at most {} "
      "iterations. GPMINRES and Kučera's method need a set with fixed bounds: they reach Coulomb's "
      "law through rounds of such problems and do not admit the associated law on cones.",
      pile.contacts(), friction, context.sized<long>(3000, 10000));
  const Products products = compare_laws(context, pile, report);
  for (const Friction& law : laws)
    report.findings.push_back(answer(fmt::format("products to 1e-4, {}", law.name),
                                     listed(products.at(law.name)),
                                     "-: not within the iterations given"));
  std::string ratios;
  for (const auto& [method, count] : products.at("Coulomb"))
    ratios += fmt::format("{}{} {}", ratios.empty() ? "" : ", ", method,
                          words(count / products.at("frictionless").at(method), "{:.1f}"));
  report.findings.push_back(
      answer("what Coulomb's law costs: products to 1e-4 over those without friction", ratios));
  report.plots.push_back(
      products_plot("laws", "Heyn's methods and friction",
                    "Error over products. From left to right: the published problem, the "
                    "convex law, Coulomb's law.",
                    "products with N"));
  compare_friction(context, pile, report);
  return report;
}

} // namespace talus::experiments::beyond_heyn_coulomb
