// preclik2009 fig. 2: how fast projected Gauss-Seidel and conjugate projected gradients converge on
// each friction model.

#include "preclik2009.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace talus::experiments {
namespace {

constexpr double published_contacts = 1702;

struct ModelRun {
  std::string model;
  FrictionKind kind;
  SolverRun run;
};

/// The curves of fig. 2, and cpg on the circular cone, which the paper calls open.
std::vector<ModelRun> figure2_runs() {
  return {{"frictionless", FrictionKind::none, {"pgs"}},
          {"frictionless", FrictionKind::none, {"cpg"}},
          {"box", FrictionKind::box, {"pgs"}},
          {"box", FrictionKind::box, {"cpg"}},
          {"pyramid", FrictionKind::pyramid, {"pgs"}},
          {"pyramid", FrictionKind::pyramid, {"cpg"}},
          {"circular cone", FrictionKind::cone, {"nlgs"}},
          {"circular cone", FrictionKind::cone, {"cpg"}}};
}

void add_ratio(Report& report, const std::string& what, double published, double numerator,
               double denominator) {
  report.findings.push_back(compare_numbers(what, published, numerator / denominator, 1.6,
                                            std::isfinite(numerator / denominator)
                                                ? "another pile; the paper's figure is read by eye"
                                                : "one of the two did not get there"));
}

std::string in_words(double iterations) {
  return std::isfinite(iterations) ? fmt::format("{:.0f} iterations", iterations)
                                   : "does not get there";
}

} // namespace

Report preclik2009_fig2(Context& context) {
  const ContactProblem settling = settling_spheres(context);
  const long most = context.sized<long>(2000, 20000);
  constexpr double goal = 1e-6;
  Report report;
  DataTable curves = curve_table("curves", "Error per iteration.");
  DataTable table{"iterations",
                  fmt::format("Iterations and products to an error of {:g}.", goal),
                  {"model", "solver", "iterations", "products", "error at the end"},
                  {}};
  std::map<std::string, double> iterations;
  for (const ModelRun& model : figure2_runs()) {
    const Json run = context.once(fmt::format("{}-{}", model.model, model.run.solver), [&] {
      return recorded_run(with_model(settling, model.kind), model.run, to_error(1e-9, most));
    });
    add_curve(curves, model.model, model.run.solver, run);
    const Reached reached = reached_error(run, goal);
    iterations[model.model + " " + model.run.solver] = reached.iterations;
    table.rows.push_back(
        {model.model, model.run.solver, reached.iterations, reached.products, run["error"]});
  }
  report.summary = described(settling);
  if (!context.quick())
    report.findings.push_back(compare_numbers("contacts", published_contacts,
                                              static_cast<double>(settling.contacts()), 1.1,
                                              "another way of settling"));
  add_ratio(report, "PGS: iterations with box friction over frictionless", 3, iterations["box pgs"],
            iterations["frictionless pgs"]);
  add_ratio(report, "CPG: iterations with box friction over frictionless", 3, iterations["box cpg"],
            iterations["frictionless cpg"]);
  add_ratio(report, "CPG over PGS, iterations, frictionless", 0.5, iterations["frictionless cpg"],
            iterations["frictionless pgs"]);
  add_ratio(report, "CPG over PGS, iterations, box friction", 0.5, iterations["box cpg"],
            iterations["box pgs"]);
  const bool worse = !(iterations["pyramid cpg"] < 0.5 * iterations["pyramid pgs"]);
  report.findings.push_back(
      check_statement("CPG loses its lead on the pyramid (bounds adapted)", "yes",
                      fmt::format("CPG: {}; PGS: {}", in_words(iterations["pyramid cpg"]),
                                  in_words(iterations["pyramid pgs"])),
                      worse, "here it keeps it"));
  report.findings.push_back(answer("CPG on the circular cone, which the paper calls open",
                                   fmt::format("{}; nonlinear Gauss-Seidel: {}",
                                               in_words(iterations["circular cone cpg"]),
                                               in_words(iterations["circular cone nlgs"])),
                                   "directions projected on the tangent cone"));
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(curves));
  report.plots.push_back(
      curves_plot("fig2", "Fig. 2: residuals by model",
                  "The quadratic models (left) are solved several times faster than the cones "
                  "(right), where conjugation suffers from moving bounds.",
                  "error", "error"));
  return report;
}

} // namespace talus::experiments
