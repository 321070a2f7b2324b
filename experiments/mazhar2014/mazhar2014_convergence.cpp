// mazhar2014 table 1 and figs. 1 to 4: an interior point method against APGD on spheres that were
// settled thoroughly and poorly.

#include "mazhar2014_spheres.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::experiments::mazhar2014_convergence {
namespace {

struct DataSet {
  Settling settling;
  double contacts, objective, kinetic_energy, interior_iterations, apgd_iterations;
  const char* condition;
};

constexpr DataSet published[] = {
    {Settling::thorough, 1049, -0.0232, 0.0215, 23, 561, "8.33E+22"},
    {Settling::poor, 1050, -0.5312, 1.5637, 21, 825, "4.67E+23"},
};

/// The deepest overlap at the start of the step, mm: b_n = Φ/h.
double deepest_overlap(const ContactProblem& problem) {
  const Vector b = to_global(problem).w;
  double deepest = 0;
  for (std::size_t row = 0; row < b.size(); row += 3) deepest = std::max(deepest, -b[row]);
  return 1e3 * mazhar_step * deepest;
}

/// Of the spheres at the start of the step, m/s.
double root_mean_square_speed(const ContactProblem& problem) {
  const double spheres = static_cast<double>(problem.dofs()) / 6;
  return std::sqrt(2 * kinetic_energy_before(problem) / (spheres * mazhar_pile(1).mass));
}

void judge_settling(Report& report, const std::string& panel, const DataSet& paper,
                    const ContactProblem& problem, double objective) {
  report.findings.push_back(compare_numbers(panel + ": contacts", paper.contacts,
                                            static_cast<double>(problem.contacts()), 1.1,
                                            "another container: the paper does not give its own"));
  report.findings.push_back(compare_numbers(
      panel + ": least objective, its magnitude [J]", -paper.objective, -objective, 1.25,
      fmt::format(
          "Overlaps enter as Φ/h and rule the objective: the deepest is {:.2g} mm here. How deep "
          "the steps of settling leave them is a matter of the solver and of its start, which the "
          "paper does not give.",
          deepest_overlap(problem))));
  report.findings.push_back(compare_numbers(
      panel + ": kinetic energy before the step [J]", paper.kinetic_energy,
      kinetic_energy_before(problem), 2,
      fmt::format(
          "What moves after 4 s is the error of the settling solves, and the paper's were others. "
          "Here it is {:.1g} mm/s in the root mean square, with overlaps up to {:.2g} mm.",
          1e3 * root_mean_square_speed(problem), deepest_overlap(problem))));
}

/// APGD's iterations to an objective that is equal to the interior point's up to a share of it.
std::string iterations_to_share(const Race& race, double share) {
  const double iterations = reached_objective(race.apgd, race.objective * (1 - share)).iterations;
  return std::isfinite(iterations) ? fmt::format("{:.0f} iterations", iterations)
                                   : "more than it got to";
}

void judge_race(Report& report, const std::string& panel, const DataSet& paper,
                const ContactProblem& problem, const Race& race) {
  report.findings.push_back(compare_numbers(
      panel + ": iterations of the interior point", paper.interior_iterations,
      race.interior.at("iterations"), 1.5,
      "conic-ip starts from a feasible point; Mosek uses the homogeneous self-dual model"));
  report.findings.push_back(compare_numbers(
      panel + ": APGD iterations to the same objective", paper.apgd_iterations,
      race.reached.iterations, 1.5,
      fmt::format("A matter of how equal \"the same objective\" is: 4·10⁻⁵, what the printed "
                  "digits allow, is taken for it. Equal to 10⁻⁶ takes {}, to 10⁻⁷ {}.",
                  iterations_to_share(race, 1e-6), iterations_to_share(race, 1e-7))));
  report.findings.push_back(check_statement(
      panel + ": condition number of N", paper.condition,
      fmt::format("infinite: rank at most {} of {}", problem.dofs(), problem.size()),
      problem.dofs() < problem.size(), "fewer impulses than velocities"));
}

/// Iterations after which the objective was above that of the record before.
long rises(const Json& run) {
  long count = 0;
  double last = std::numeric_limits<double>::infinity();
  for (const Json& record : run.at("records")) {
    const double objective = record[4].get<double>();
    if (objective > last + 1e-9 * std::abs(last)) ++count;
    last = objective;
  }
  return count;
}

/// What "the same objective" is worth.
void answer_quality(Report& report, const std::string& panel, const Race& race) {
  const double further = reached_error(race.apgd, 1e-6).iterations;
  const std::string rest = std::isfinite(further)
                               ? fmt::format("1e-6 takes {:.0f} iterations", further)
                               : fmt::format("1e-6 is not reached ({}, best {:.1e})",
                                             race.apgd.at("status").get<std::string>(),
                                             race.apgd.at("error").get<double>());
  for (const Json& record : race.apgd.at("records"))
    if (record[0].get<double>() >= race.reached.iterations) {
      report.findings.push_back(
          answer(panel + ": error of APGD at the same objective",
                 fmt::format("{:.1e}; {}", record[3].get<double>(), rest),
                 "The objective is flat: equal to five digits is far from equal impulses."));
      return;
    }
}

/// The interior point method of mangoni2015 does not take cones: polyhedra in their place.
void answer_polyhedral(Report& report, const Context& context, const std::string& panel,
                       ContactProblem problem, double objective) {
  problem.friction = {FrictionKind::polyhedron, 8};
  const Json run = kept_run(context, panel + "-pdip", problem, {"pdip"}, SolveOptions{});
  report.findings.push_back(
      answer(panel + ": pdip with eight-sided cones",
             fmt::format("{} iterations, objective {:.4g} J ({:+.1g} %)",
                         run.at("iterations").get<long>(), run.at("objective").get<double>(),
                         100 * (run.at("objective").get<double>() / objective - 1)),
             run.at("status") == "converged" ? "" : "it did not converge to 1e-8"));
}

/// Figs. 2 and 4: the largest impulses that the interior point finds, and APGD's at these contacts.
void add_impulses(DataTable& table, const Context& context, const std::string& panel,
                  const ContactProblem& problem, const Race& race) {
  const auto normal = [&](const SolverRun& run, long iterations) {
    SolveOptions options;
    options.max_iterations = iterations;
    return kept_impulses(context, fmt::format("{}-impulses-{}-{}", panel, run.solver, iterations),
                         problem, run, options);
  };
  const auto add = [&](const std::string& curve, const Json& impulses) {
    const std::size_t stride = std::max<std::size_t>(1, impulses.size() / 300);
    // Less than a millionth of the largest is nothing, and would rule a logarithmic axis.
    const double least = 1e-6 * impulses[0].get<double>();
    for (std::size_t i = 0; i < impulses.size() && impulses[i].get<double>() > least; i += stride)
      table.rows.push_back({panel, curve, i + 1, impulses[i]});
  };
  add("conic-ip", normal({"conic-ip"}, 1000));
  for (const long stop : {10L, 50L, 100L})
    add(fmt::format("apgd, {}", stop), normal({"apgd"}, stop));
  if (std::isfinite(race.reached.iterations))
    add("apgd at the same objective", normal({"apgd"}, std::lround(race.reached.iterations)));
}

void add_plots(Report& report) {
  report.plots.push_back(curves_plot(
      "objective", "Figs. 1 and 3: magnitude of the objective",
      "The interior point starts far away and arrives within some twenty iterations; APGD creeps "
      "towards the same value, longer when the spheres were settled poorly.",
      "magnitude", "|objective| [J]"));
  report.plots.push_back(
      curves_plot("residual", "Residual",
                  "The scale-free error of Talus: the interior point falls to 1e-8 in a few steps "
                  "at the end, APGD loses a digit in some hundred iterations.",
                  "error", "error"));
  Plot impulses = impulses_plot(
      "impulses", "Figs. 2 and 4: APGD approaches the interior point",
      "The more iterations, the nearer: at the same objective the largest impulses lie on each "
      "other. The small ones do not matter to the objective, and differ.");
  impulses.panel = "panel";
  impulses.log_y = true;
  report.plots.push_back(std::move(impulses));
}

} // namespace

Report run(Context& context) {
  const Index spheres = context.sized<Index>(128, 320);
  const long most = context.sized<long>(3000, 20000);
  Report report;
  DataTable curves = curve_table("curves", "Both methods on both data sets.");
  DataTable impulses{
      "impulses", "Normal impulses.", {"panel", "curve", "rank", "impulse"}, {}, false};
  std::vector<double> apgd_iterations;
  long interior_rises = 0, apgd_rises = 0;
  for (const DataSet& paper : published) {
    const std::string panel(to_string(paper.settling));
    const ContactProblem problem = settled_for_long(context, spheres, paper.settling);
    const Race raced = race(context, panel, problem, most);
    add_curve(curves, panel, "conic-ip", raced.interior, raced.objective);
    add_curve(curves, panel, "apgd", raced.apgd, raced.objective);
    if (!context.quick()) judge_settling(report, panel, paper, problem, raced.objective);
    judge_race(report, panel, paper, problem, raced);
    answer_quality(report, panel, raced);
    answer_polyhedral(report, context, panel, problem, raced.objective);
    add_impulses(impulses, context, panel, problem, raced);
    apgd_iterations.push_back(raced.reached.iterations);
    interior_rises += rises(raced.interior);
    apgd_rises += rises(raced.apgd);
  }
  report.findings.push_back(compare_numbers("APGD iterations, poorly over thoroughly settled",
                                            825.0 / 561, apgd_iterations[1] / apgd_iterations[0],
                                            1.5,
                                            "how much harder the poor data are depends on how deep "
                                            "its overlaps are"));
  report.findings.push_back(check_statement(
      "more iterations make APGD's objective better, not always the interior point's",
      "APGD guarantees it, Mosek does not",
      fmt::format("records above the one before: interior point {}, APGD {}", interior_rises,
                  apgd_rises),
      interior_rises > 0 && apgd_rises == 0,
      "between restarts Nesterov's momentum may raise the objective a little; what APGD returns is "
      "its best iterate"));
  report.summary = fmt::format(
      "{} spheres settled for {} s in steps of 0.5 ms, with up to 10000 iterations per step "
      "(thorough) and with 10 from zero (poor). The next step, under the relaxed law: conic-ip in "
      "the part of Mosek, and APGD until its objective agrees to 4·10⁻⁵, as in the paper.",
      spheres, context.sized(0.5, 4.0));
  report.summary += fitted_pile;
  report.tables.push_back(std::move(curves));
  report.tables.push_back(std::move(impulses));
  add_plots(report);
  return report;
}

} // namespace talus::experiments::mazhar2014_convergence
