// preclik2009's wish for multigrid that transfers velocities, as problems grow: preclik2009-amg
// answers it at one size; multigrid would have to pay off with growing size.

#include "beyond.h"
#include "experiments/frame/power_law.h"
#include "experiments/preclik2009/preclik2009.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace talus::experiments::beyond_amg {
namespace {

constexpr double goal = 1e-6;

ContactProblem settling(const Context& context, Index spheres) {
  SpherePile pile = shaped_pile(spheres, 0.8);
  pile.in_box = true;
  // As wide as the cylinder of the same area.
  pile.container_radius *= 0.886;
  pile.seconds = 0.35;
  pile.iterations = 200;
  return settled_problem(pile, context, fmt::format("beyond-amg-{}", spheres));
}

std::vector<SolverRun> runs() {
  return {{"pgs"},
          {"amg", {{"transfer", "velocity"}}, "amg, velocities"},
          {"amg", {{"transfer", "impulse"}}, "amg, impulses"}};
}

} // namespace

Report run(Context& context) {
  const std::vector<Index> sizes =
      context.quick() ? std::vector<Index>{50, 150} : std::vector<Index>{150, 500, 1500, 4500};
  const long most = context.sized<long>(1500, 6000);
  Report report;
  DataTable table{
      "work",
      fmt::format("Work to an error of {:g}, in sweeps of pgs on the finest level; "
                  "setting levels up comes on top.",
                  goal),
      {"set", "contacts", "method", "cycles", "work", "work over that of pgs", "error at the end"},
      {}};
  std::map<std::string, std::map<std::string, std::vector<std::pair<double, double>>>> growth;
  for (const Index spheres : sizes) {
    const ContactProblem pile = settling(context, spheres);
    const double contacts = static_cast<double>(pile.contacts());
    for (const auto& [model, kind] :
         {std::pair{"frictionless", FrictionKind::none}, std::pair{"box", FrictionKind::box}}) {
      const ContactProblem problem = with_model(pile, kind);
      double alone = 0;
      for (const SolverRun& run : runs()) {
        const long limit = run.solver == "pgs" ? most : most / 3;
        const Json recorded =
            kept_run(context, fmt::format("{}-{}-{}", pile.contacts(), model, label_of(run)),
                     problem, run, to_error(0.5 * goal, limit));
        const Reached reached = reached_error(recorded, goal);
        if (run.solver == "pgs") alone = reached.products;
        growth[model][label_of(run)].emplace_back(contacts, reached.products);
        table.rows.push_back({model, pile.contacts(), label_of(run), cell(reached.iterations),
                              cell(reached.products), cell(reached.products / alone),
                              recorded["error"]});
      }
    }
  }
  for (auto& [model, of_model] : growth) {
    const auto &pgs = of_model["pgs"], &velocities = of_model["amg, velocities"];
    std::string ratios;
    for (std::size_t i = 0; i < pgs.size(); ++i)
      ratios += fmt::format("{}{} at {:.0f}", i == 0 ? "" : ", ",
                            words(velocities[i].second / pgs[i].second, "{:.2f}"), pgs[i].first);
    report.findings.push_back(answer(
        fmt::format("{}: work of multigrid by velocities over that of pgs, by contacts", model),
        ratios, "-: one of the two did not get there"));
    report.findings.push_back(answer(
        fmt::format("{}: the power of the contacts that the work grows with", model),
        fmt::format("velocities {}, impulses {}, pgs {}", words(fitted_power(velocities), "{:.2f}"),
                    words(fitted_power(of_model["amg, impulses"]), "{:.2f}"),
                    words(fitted_power(pgs), "{:.2f}")),
        "multigrid as it should be has the power 0"));
  }
  report.summary =
      "Spheres settling in a box, μ = 0.8, as for preclik2009-amg, which has the reasons (null "
      "space, bounds, signs of the couplings) and the cost of setting levels up. Guarded cycles: "
      "a coarse correction that does not help is dropped.";
  report.tables.push_back(std::move(table));
  Plot plot = log_plot("work", "Multigrid against its smoother as piles grow",
                       "Multigrid would pay where its line is flatter than that of the "
                       "sweeps alone (pgs).",
                       "work", "contacts", "work", "contacts", "work to 1e-6 [sweeps]");
  plot.panel = "set";
  plot.curve = "method";
  report.plots.push_back(std::move(plot));
  return report;
}

} // namespace talus::experiments::beyond_amg
