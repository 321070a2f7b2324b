// preclik2009 figs. 3 and 4: residual, velocity error and active-set changes of PGS, CPG and Newton
// on box friction, and the combination the paper recommends.

#include "preclik2009.h"

#include <fmt/format.h>

#include <map>

namespace talus::experiments::preclik2009_fig3 {
namespace {

double count(const Json& run, double error) {
  return reached_error(run, error).iterations;
}

} // namespace

Report run(Context& context) {
  const ContactProblem settling = settling_spheres(context);
  const ContactProblem box = with_model(settling, FrictionKind::box);
  const long most = context.sized<long>(1000, 5000);
  const SolveOptions exactly = to_error(1e-12, 200000);
  const Json reference =
      context.once("reference", inputs_of(box, {"apgd"}, exactly), [&]() -> Json {
        const SolveResult result = run_solver(box, {"apgd"}, exactly);
        return {{"u", result.u}, {"error", result.quality.error}};
      });
  Report report;
  DataTable curves =
      curve_table("curves", "Residual, velocity error and active-set changes per iteration.");
  std::map<std::string, Json> runs;
  for (const char* solver : {"pgs", "cpg", "newton", "hybrid-newton"}) {
    SolveOptions options = to_error(1e-10, most);
    options.reference_velocity = reference["u"].get<Vector>();
    runs[solver] = kept_run(context, solver, box, {solver}, options);
    add_curve(curves, "", solver, runs[solver]);
  }
  report.summary = described(settling) +
                   fmt::format(" Box friction; the velocity error is taken against a solution "
                               "with error {:.1e}.",
                               reference["error"].get<double>());
  const double newton_half = [&] {
    const Json& records = runs["newton"]["records"];
    return records[records.size() / 2][9].get<double>();
  }();
  const double newton_start = runs["newton"]["records"][0][9].get<double>();
  report.findings.push_back(
      check_statement("Newton's velocity error stays high until the active set is right", "yes",
                      fmt::format("{:.2g} of its start half-way", newton_half / newton_start),
                      newton_half > 0.01 * newton_start,
                      "the line search and the start here bring it down earlier"));
  report.findings.push_back(
      answer("Newton after splitting (hybrid-newton): iterations to an error of 1e-8",
             fmt::format("{:.0f}; newton {:.0f}, pgs {:.0f}, cpg {:.0f}",
                         count(runs["hybrid-newton"], 1e-8), count(runs["newton"], 1e-8),
                         count(runs["pgs"], 1e-8), count(runs["cpg"], 1e-8)),
             "the combination the paper recommends"));
  report.tables.push_back(std::move(curves));
  report.plots.push_back(curves_plot("residual", "Fig. 3, left: residual",
                                     "Newton's curve drops late and sharply.", "error", "error"));
  report.plots.push_back(
      curves_plot("velocity", "Fig. 3, right: velocity error",
                  "The velocity error of PGS and CPG follows their residual; Newton's does not.",
                  "velocity_error", "scaled velocity error"));
  report.plots.push_back(
      curves_plot("changes", "Fig. 4: active-set changes",
                  "Changes per iteration fall fast under PGS and CPG, slowly under Newton.",
                  "changes", "contacts that changed state"));
  return report;
}

} // namespace talus::experiments::preclik2009_fig3
