// preclik2009's two open wishes: conjugate projected gradients (CPG) with one product per
// iteration, and on the circular cone.

#include "beyond.h"
#include "experiments/preclik2009/preclik2009.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

namespace talus::experiments::beyond_cpg {
namespace {

constexpr double goal = 1e-8;
constexpr std::array errors = {1e-2, 1e-4, 1e-6, 1e-8};

struct Model {
  std::string name;
  FrictionKind kind;
  Law law = Law::coulomb;
};

ContactProblem under(const Model& model, const ContactProblem& settling) {
  ContactProblem problem = with_model(settling, model.kind);
  problem.law = model.law;
  return problem;
}

/// Algorithm 2 as printed, and with fewer products.
std::vector<SolverRun> product_variants() {
  return {{"cpg", {{"recompute", "true"}, {"beta", "projected"}}, "cpg, as printed"},
          {"cpg", {{"beta", "projected"}}, "cpg, A x by linearity"},
          {"cpg", {{"beta", "previous"}}, "cpg"},
          {"cpg", {{"beta", "polak-ribiere"}}, "cpg, β from gradients"}};
}

/// The published sets and the round ones; with each, who is tried on it.
std::vector<std::pair<Model, std::vector<SolverRun>>> set_runs() {
  const std::vector<SolverRun> quadratic = {{"cpg"}, {"pgs"}, {"nsgs"}, {"apgd"}};
  return {{{"frictionless", FrictionKind::none}, quadratic},
          {{"box", FrictionKind::box}, quadratic},
          {{"pyramid", FrictionKind::pyramid}, quadratic},
          {{"cylinder", FrictionKind::cylinder}, quadratic},
          {{"cone, Coulomb", FrictionKind::cone},
           {{"cpg"},
            {"cpg", {{"coulomb", "outer"}}, "cpg, bounds in an outer loop"},
            {"cpg", {{"coulomb", "tilts"}}, "cpg, tilts in an outer loop"},
            {"pgs"},
            {"nsgs"},
            {"apgd"},
            {"coulomb-apgd"}}},
          {{"cone, associated", FrictionKind::cone, Law::associated},
           {{"cpg"},
            {"cpg", {{"curvature", "false"}}, "cpg, flat boundary"},
            {"nsgs"},
            {"apgd"},
            {"spg"}}}};
}

Json run_on(const Context& context, const ContactProblem& problem, const std::string& model,
            const SolverRun& run) {
  const long most = context.sized<long>(2000, 10000);
  return kept_run(context, fmt::format("{}-{}-{}", problem.contacts(), model, label_of(run)),
                  problem, run, to_error(0.5 * goal, most));
}

/// Products per iteration while the error falls from 1e-4 on, where the active set has settled.
double late_products(const Json& run) {
  const Reached early = reached_error(run, 1e-4), end = reached_error(run, goal);
  return (end.products - early.products) / (end.iterations - early.iterations);
}

void compare_variants(const Context& context, const ContactProblem& settling, Report& report) {
  DataTable table{
      "products",
      fmt::format("Products of four forms of CPG to an error of {:g}.", goal),
      {"set", "form", "iterations", "products", "products per iteration", "the same below 1e-4"},
      {}};
  std::string counts, per_iteration;
  for (const Model& model :
       {Model{"frictionless", FrictionKind::none}, Model{"box", FrictionKind::box},
        Model{"cylinder", FrictionKind::cylinder}}) {
    const ContactProblem problem = under(model, settling);
    std::map<std::string, Reached> reached;
    std::map<std::string, double> late;
    for (const SolverRun& run : product_variants()) {
      const Json recorded = run_on(context, problem, model.name + "-products", run);
      const Reached at = reached[run.label] = reached_error(recorded, goal);
      late[run.label] = late_products(recorded);
      table.rows.push_back({model.name, run.label, cell(at.iterations), cell(at.products),
                            cell(at.products / at.iterations), cell(late[run.label])});
    }
    const Reached &printed = reached["cpg, as printed"], &one = reached["cpg"];
    const std::string before = counts.empty() ? "" : "; ";
    counts += fmt::format("{}{}: {} iterations and {} products, as printed {} and {}", before,
                          model.name, words(one.iterations), words(one.products),
                          words(printed.iterations), words(printed.products));
    per_iteration +=
        fmt::format("{}{}: {}, below 1e-4 {}; as printed {}", before, model.name,
                    words(one.products / one.iterations, "{:.2f}"), words(late["cpg"], "{:.2f}"),
                    words(printed.products / printed.iterations, "{:.2f}"));
  }
  report.findings.push_back(
      answer("CPG with one product per iteration: products per iteration", per_iteration,
             "β from the last p and A p, A x by linearity; a second product only where the "
             "projection moved the iterate"));
  report.findings.push_back(answer(fmt::format("the same to an error of {:g}", goal), counts));
  report.tables.push_back(std::move(table));
}

/// Products to 1e-6, by set and method.
using Products = std::map<std::string, std::map<std::string, double>>;

Products compare_sets(const Context& context, const ContactProblem& settling, Report& report) {
  DataTable table{"sets",
                  "Products to an error; empty: not within the iterations given.",
                  {"set", "method", "1e-2", "1e-4", "1e-6", "1e-8", "error at the end"},
                  {}};
  DataTable curves = curve_table("curves", "Error over products.");
  Products products;
  for (const auto& [model, runs] : set_runs()) {
    const ContactProblem problem = under(model, settling);
    for (const SolverRun& run : runs) {
      const Json recorded = run_on(context, problem, model.name, run);
      add_curve(curves, model.name, label_of(run), recorded);
      std::vector<Json> row = {model.name, label_of(run)};
      for (const double error : errors)
        row.push_back(cell(reached_error(recorded, error).products));
      row.push_back(recorded["error"]);
      table.rows.push_back(std::move(row));
      products[model.name][label_of(run)] = reached_error(recorded, 1e-6).products;
    }
  }
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(curves));
  return products;
}

} // namespace

Report run(Context& context) {
  const ContactProblem settling = settling_spheres(context);
  Report report;
  report.summary = described(settling) + fmt::format(" At most {} iterations of each method.",
                                                     context.sized<long>(2000, 10000));
  compare_variants(context, settling, report);
  const Products products = compare_sets(context, settling, report);
  for (const char* set : {"cone, Coulomb", "cone, associated", "cylinder"})
    report.findings.push_back(answer(
        fmt::format("CPG on round sets: products to 1e-6 on the {}", set), listed(products.at(set)),
        std::string(set) == "cylinder"
            ? "round with fixed bounds: that α and β know the bend of the boundary is not enough"
            : "-: not within the iterations given"));
  report.findings.push_back(
      answer("beside them the published sets: products to 1e-6, frictionless / box / pyramid",
             fmt::format("{} / {} / {}", listed(products.at("frictionless")),
                         listed(products.at("box")), listed(products.at("pyramid")))));
  report.plots.push_back(
      products_plot("sets", "CPG on published and on round sets",
                    "Without friction and on the box CPG needs the fewest products; on round sets "
                    "and where bounds move with the normal impulse it falls behind.",
                    "products with N (sweeps)"));
  return report;
}

} // namespace talus::experiments::beyond_cpg
