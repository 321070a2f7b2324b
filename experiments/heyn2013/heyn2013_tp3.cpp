// heyn2013 Test Problem 3, figs. 12 and 13: a heavy cylinder on light spheres. Which method suffers
// least from a growing ratio of masses?

#include "experiments/frame/fingerprint.h"
#include "experiments/frame/problem_variants.h"
#include "heyn2013.h"

#include <fmt/format.h>

namespace talus::experiments::heyn2013_tp3 {
namespace {

constexpr double weights[] = {1000, 4000, 16000};

/// Another mass of the body that was added last, at the same velocity.
ContactProblem with_weight(ContactProblem problem, double factor) {
  GlobalModel model = to_global(problem);
  for (Index row = model.M.rows - 6; row < model.M.rows; ++row) {
    for (Index k = model.M.row_start[row]; k < model.M.row_start[row + 1]; ++k)
      model.M.value[k] *= factor;
    model.f[row] *= factor;
  }
  problem.model = std::move(model);
  return problem;
}

/// One scene with 4295 contacts for all weights, as in the paper: it settles under the lightest
/// one, whose mass alone is changed then.
ContactProblem loaded_pile(const Context& context, double kilograms) {
  const double shrunk = context.sized(0.585, 1.0); // ∛(200/1000): the pile keeps its shape.
  SpherePile pile = heyn_pile(context.sized<Index>(200, 1000), 1.5 * shrunk);
  pile.weight_radius = 1.125 * shrunk;
  // A smaller pile under a weight per sphere like the full one's.
  pile.weight_mass = weights[0] * static_cast<double>(pile.spheres) / 1000;
  const auto name = [&](double weight) {
    return fmt::format("heyn2013-tp3-{}-{:g}kg", pile.spheres, weight);
  };
  const ContactProblem lightest = frictionless_pile(context, name(weights[0]), pile);
  if (kilograms == weights[0]) return lightest;
  const double factor = kilograms / weights[0];
  return without_friction(context.problem(name(kilograms),
                                          {{"of", fingerprint(lightest)}, {"heavier", factor}},
                                          [&] { return with_weight(lightest, factor); }));
}

/// Share of the way to the least objective that a run has made after so many iterations.
double progress_at(const Json& run, long iterations, double best) {
  return objective_at(run, iterations) / best;
}

} // namespace

Report run(Context& context) {
  const long iterations = context.sized<long>(1000, 5000);
  const long early = iterations / 10;
  Report report;
  DataTable curves = curve_table("curves", "All methods under all weights.");
  DataTable table{"degradation",
                  fmt::format("Share of the least objective reached after {} iterations.", early),
                  {"solver", "1000 kg", "4000 kg", "16000 kg", "lost by the weight"},
                  {}};
  std::map<std::string, std::vector<double>> shares;
  for (const double kilograms : weights) {
    const ContactProblem problem = loaded_pile(context, kilograms);
    const auto runs =
        run_heyn_methods(context, fmt::format("{:g}kg", kilograms), problem, iterations);
    const double best = least_objective(runs);
    for (const SolverRun& run : heyn_methods()) {
      const Json& recorded = runs.at(run.solver);
      add_curve(curves, fmt::format("{:g} kg", kilograms), run.solver, recorded, best);
      shares[run.solver].push_back(progress_at(recorded, early, best));
    }
    if (!context.quick() && kilograms == weights[0])
      report.findings.push_back(compare_numbers("contacts", 4295,
                                                static_cast<double>(problem.contacts()), 1.1,
                                                "the gap that counts as a contact was fitted to "
                                                "Test Problem 2, not to this one"));
  }
  std::string steadiest;
  double least_loss = std::numeric_limits<double>::infinity();
  for (const SolverRun& run : heyn_methods()) {
    const std::vector<double>& share = shares.at(run.solver);
    const double loss = share.front() - share.back();
    table.rows.push_back({run.solver, share[0], share[1], share[2], loss});
    if (loss < least_loss) {
      least_loss = loss;
      steadiest = run.solver;
    }
  }
  report.summary = fmt::format(
      "Spheres of 6.28 kg under a cylinder{}; {} iterations of each method from zero impulses.",
      context.quick() ? " scaled down with the number of spheres" : "", iterations);
  report.summary += fitted_gap;
  report.findings.push_back(check_statement("the method that degrades least with the weight",
                                            "GPMINRES", steadiest, steadiest == "gpminres",
                                            "few contacts carry the weight: the method that "
                                            "finds them within these iterations loses least"));
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(curves));
  report.plots.push_back(
      curves_plot("fig12", "Fig. 12: objective under growing weight",
                  "Heavier to the right: every curve moves up, Jacobi's the most.", "excess",
                  "objective above the least one [J]"));
  report.plots.push_back(curves_plot("fig13", "Fig. 13: residual under growing weight",
                                     "The scale-free error of Talus in place of eq. 24.", "error",
                                     "error"));
  return report;
}

} // namespace talus::experiments::heyn2013_tp3
