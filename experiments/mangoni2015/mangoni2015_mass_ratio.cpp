// mangoni2015, abstract and conclusions: odd mass ratios, which slow other methods down, do not
// keep the interior point method from converging.

#include "experiments/frame/fingerprint.h"
#include "mangoni2015.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <random>

namespace talus::experiments::mangoni2015_mass_ratio {
namespace {

/// The same motion with the mass of each ball multiplied by a number drawn log-uniformly from
/// [1, ratio].
ContactProblem with_mass_ratio(ContactProblem problem, double ratio) {
  GlobalModel& model = std::get<GlobalModel>(problem.model);
  std::mt19937 random(7);
  double factor = 1;
  for (Index i = 0; i < model.M.rows; ++i) {
    if (i % 6 == 0) factor = std::pow(ratio, static_cast<double>(random()) / 4294967295.0);
    for (Index k = model.M.row_start[i]; k < model.M.row_start[i + 1]; ++k)
      model.M.value[k] *= factor;
    model.f[i] *= factor;
  }
  return problem;
}

const std::vector<SolverRun>& methods() {
  static const std::vector<SolverRun> all = {{"pdip"}, {"conic-ip"}, {"apgd"}, {"pgs"}};
  return all;
}

} // namespace

Report run(Context& context) {
  const Index balls = context.sized<Index>(130, 345);
  const long most = context.sized<long>(5000, 50000);
  constexpr std::array ratios = {1.0, 1e2, 1e4, 1e6};
  constexpr double goal = 1e-6;
  const ContactProblem equal = settling_problem(context, balls);
  Report report;
  DataTable table{
      "iterations",
      fmt::format("Iterations to an error of {:g}; – where {} were not enough.", goal, most),
      {"mass ratio"},
      {}};
  for (const SolverRun& method : methods()) table.columns.push_back(method.solver);
  DataTable curves{"curves", "Iterations.", {"ratio", "solver", "iterations"}, {}, false};
  std::map<std::string, std::vector<double>> iterations;
  bool always = true;
  double worst = 0;
  for (double ratio : ratios) {
    const ContactProblem problem = without_friction(
        context.problem(fmt::format("mangoni2015-balls-{}-ratio-{:.0e}", balls, ratio),
                        {{"of", fingerprint(equal)}, {"ratio", ratio}},
                        [&] { return with_mass_ratio(equal, ratio); }));
    table.rows.push_back({ratio});
    for (const SolverRun& method : methods()) {
      const Json run = kept_run(context, fmt::format("{}-{}-{:.0e}", method.solver, balls, ratio),
                                problem, method, to_error(1e-8, most));
      const double reached = reached_error(run, goal).iterations;
      if (method.solver == "pdip") {
        always = always && std::isfinite(reached);
        worst = std::max(worst, run["error"].get<double>());
      }
      iterations[method.solver].push_back(reached);
      table.rows.back().push_back(std::isfinite(reached) ? Json(reached) : Json());
      curves.rows.push_back({ratio, method.solver, reached});
    }
  }
  const auto growth = [&](const std::string& solver) {
    return iterations[solver].back() / iterations[solver].front();
  };
  const auto in_words = [&](double ratio) {
    return std::isfinite(ratio) ? fmt::format("{:.1f}", ratio) : fmt::format("not within {}", most);
  };
  report.findings.push_back(check_statement(
      "pdip converges at every mass ratio", "yes",
      fmt::format("error at most {:.1e} at the end, mass ratios to {:g}", worst, ratios.back()),
      always,
      "light bodies between heavy ones see impulses far above the mean, and a start at the mean "
      "is far from the central path there"));
  report.findings.push_back(check_statement(
      "other methods are slowed down more: iterations at 1:1e6 over those at equal masses", "yes",
      fmt::format("pdip {}, apgd {}, pgs {}", in_words(growth("pdip")), in_words(growth("apgd")),
                  in_words(growth("pgs"))),
      growth("pdip") < growth("apgd") && growth("pdip") < growth("pgs"),
      "random masses need not stand in each other's way: only a light body that carries heavy ones "
      "makes N ill-conditioned"));
  report.findings.push_back(answer("conic-ip: iterations at 1:1e6 over those at equal masses",
                                   in_words(growth("conic-ip"))));
  report.summary = fmt::format(
      "One step of {} balls settling in a box, without friction; the masses are drawn at random, "
      "evenly on a logarithmic scale between 1 and the ratio. All methods start from zero.",
      balls);
  report.tables = {std::move(table), std::move(curves)};
  report.plots.push_back({.name = "iterations",
                          .title = "Iterations against the mass ratio",
                          .caption = "The interior point methods stay at tens of iterations; "
                                     "gradients and sweeps climb, or do not arrive.",
                          .table = "curves",
                          .x = "ratio",
                          .y = "iterations",
                          .curve = "solver",
                          .panel = "",
                          .x_label = "largest mass / smallest mass",
                          .y_label = fmt::format("iterations to an error of {:g}", goal),
                          .log_x = true,
                          .log_y = true,
                          .markers = true});
  return report;
}

} // namespace talus::experiments::mangoni2015_mass_ratio
