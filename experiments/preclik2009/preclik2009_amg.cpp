// preclik2009 sec. 3.4 and conclusions: what algebraic multigrid over projected Gauss-Seidel does
// for contact problems, and why it disappoints.

#include "experiments/frame/fingerprint.h"
#include "experiments/frame/problem_variants.h"
#include "preclik2009.h"
#include "talus/inspect/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace talus::experiments::preclik2009_amg {
namespace {

constexpr double goal = 1e-6;
constexpr double compliance_share = 0.1; ///< Of the mean diagonal entry of N.

/// The paper's transfer and variants of it, beside the smoother alone.
std::vector<SolverRun> multigrid_runs() {
  return {
      {"pgs", {}, "pgs"},
      {"amg", {{"transfer", "impulse"}, {"warm_up", "0"}, {"guard", "false"}}, "amg, as printed"},
      {"amg",
       {{"transfer", "impulse"}, {"warm_up", "50"}, {"guard", "false"}},
       "amg, 50 sweeps first"},
      {"amg", {{"transfer", "impulse"}}, "amg, guarded"},
      {"amg", {{"transfer", "velocity"}}, "amg, velocities"}};
}

/// Redundant impulses of the frictionless problem: dimension of the null space of its matrix; -1
/// where it is too large to say.
Index null_space(const ContactProblem& settling) {
  const ContactProblem normal = normal_rows(settling);
  if (normal.size() > dense_spectrum_limit) return -1;
  const Spectrum spectrum = dense_spectrum(*make_operator(normal));
  return spectrum.size - spectrum.rank;
}

/// Seconds of `cycles` cycles without making levels anew, least of three.
double seconds_of(const ContactProblem& problem, long cycles) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k)
    least = std::min(least, run_solver(problem, {"amg", {{"warm_up", "0"}, {"rebuild", "0"}}},
                                       to_error(1e-14, cycles))
                                .seconds);
  return least;
}

/// What comes before the first cycle (the matrix and its levels), in units of a cycle.
double setup_cost(const ContactProblem& problem) {
  const double one = seconds_of(problem, 1), eleven = seconds_of(problem, 11);
  const double cycle = (eleven - one) / 10;
  return one / cycle - 1;
}

/// The problem in forms that come closer to a regular linear system: without the contacts that
/// carry nothing (no variable at its bound), and without null space.
struct Form {
  std::string name;
  ContactProblem problem;
};
std::vector<Form> forms(const Context& context, const ContactProblem& settling) {
  const ContactProblem smooth = without_friction(settling);
  const SolveOptions options = to_error(1e-10, 1000);
  const Json impulses = context.once(
      fmt::format("{}-solution", settling.contacts()), inputs_of(smooth, {"conic-ip"}, options),
      [&]() -> Json { return run_solver(smooth, {"conic-ip"}, options).x; });
  const Vector x = impulses.get<Vector>();
  const double most = *std::max_element(x.begin(), x.end());
  const auto is_loaded = [&](Index c) { return x[3 * c] > 1e-6 * most; };
  const ContactProblem box = with_model(settling, FrictionKind::box);
  ContactProblem regular = box;
  const auto n = make_operator(box);
  double mean = 0;
  for (double rho : n->rho()) mean += 1 / rho / static_cast<double>(box.contacts());
  regular.compliance.assign(box.size(), compliance_share * mean);
  return {{"frictionless, all contacts", normal_rows(settling)},
          {"frictionless, loaded contacts only", normal_rows(settling, is_loaded)},
          {"box friction", box},
          {"box friction, compliance", regular}};
}

std::string share(double amg, double pgs) {
  return std::isfinite(amg / pgs) ? fmt::format("{:.2f}", amg / pgs) : "did not get there";
}

/// Work to the goal by model and method.
class Work {
public:
  double& of(const std::string& model, const std::string& label) { return work_[model][label]; }
  std::string over_pgs(const std::string& model, const std::string& label) {
    return share(of(model, label), of(model, "pgs"));
  }
  std::string over_pgs(const std::string& label) {
    return fmt::format("frictionless {}, box {}", over_pgs("frictionless", label),
                       over_pgs("box", label));
  }

private:
  std::map<std::string, std::map<std::string, double>> work_;
};

Work compare_models(const Context& context, const ContactProblem& settling, Report& report) {
  const long most = context.sized<long>(2000, 20000);
  DataTable curves = curve_table("curves", "Error over work.");
  DataTable table{
      "work",
      fmt::format("Work to an error of {:g}, in sweeps of pgs on the finest level.", goal),
      {"model", "method", "cycles", "work", "work over that of pgs", "error at the end"},
      {}};
  Work work;
  for (const auto& [model, kind] :
       {std::pair{"frictionless", FrictionKind::none}, std::pair{"box", FrictionKind::box}}) {
    const ContactProblem problem = with_model(settling, kind);
    for (const SolverRun& run : multigrid_runs()) {
      const std::string key = fmt::format("{}-{}-{}", settling.contacts(), model, run.label);
      const Json recorded = kept_run(context, key, problem, run,
                                     to_error(1e-9, run.solver == "pgs" ? most : most / 4));
      add_curve(curves, model, run.label, recorded);
      const Reached reached = reached_error(recorded, goal);
      work.of(model, run.label) = reached.products;
      table.rows.push_back({model, run.label, reached.iterations, reached.products,
                            reached.products / work.of(model, "pgs"), recorded["error"]});
    }
  }
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(curves));
  return work;
}

/// Work of the printed method over that of pgs, for each of `forms`.
std::vector<double> compare_forms(const Context& context, const ContactProblem& settling,
                                  Report& report) {
  DataTable table{"forms",
                  fmt::format("Impulse transfer as printed, on other forms of the problem: work "
                              "to an error of {:g}.",
                              goal),
                  {"form", "rows", "pgs", "amg, as printed", "amg over pgs"},
                  {}};
  std::vector<double> ratios;
  for (const Form& form : forms(context, settling)) {
    const auto work_of = [&](const SolverRun& run) {
      const std::string key = fmt::format("{}-{}-{}", settling.contacts(), form.name, run.label);
      const Json recorded = kept_run(context, key, form.problem, run,
                                     to_error(1e-7, context.sized<long>(2000, 5000)));
      return reached_error(recorded, goal).products;
    };
    const double pgs = work_of(multigrid_runs()[0]), amg = work_of(multigrid_runs()[1]);
    ratios.push_back(amg / pgs);
    table.rows.push_back({form.name, form.problem.size(), pgs, amg, amg / pgs});
  }
  report.tables.push_back(std::move(table));
  return ratios;
}

void judge_speed(Work work, double setup, Report& report) {
  const std::string printed = "amg, as printed", smoothed = "amg, 50 sweeps first";
  const auto improves = [&](const std::string& model, const std::string& label,
                            const std::string& on) {
    return work.of(model, label) < 0.95 * work.of(model, on);
  };
  report.findings.push_back(check_statement(
      "multigrid does not improve on Gauss-Seidel: its work over that of the sweeps alone",
      "does not work out well", work.over_pgs(printed),
      !improves("frictionless", printed, "pgs") && !improves("box", printed, "pgs"),
      "here a cycle is worth a little more than its sweeps"));
  report.findings.push_back(
      check_statement("the set-up costs are high", "yes",
                      fmt::format("the matrix and its levels take as long as {:.0f} cycles", setup),
                      setup > 5, "measured in seconds, on this machine"));
  report.findings.push_back(check_statement(
      "smoothing first, to find the active set, may help: work with 50 sweeps first over that of "
      "pgs",
      "possible", work.over_pgs(smoothed),
      improves("frictionless", smoothed, printed) || improves("box", smoothed, printed),
      "it saves cycles, not work"));
  report.findings.push_back(answer(
      "transferring velocity errors instead, as the paper suggests: work over that of pgs",
      work.over_pgs("amg, velocities"),
      "free of the null space; where it is no gain all the same, the slow errors of packings are "
      "likely no rigid motions of neighbouring spheres"));
}

void judge_reasons(const ContactProblem& settling, const std::vector<double>& ratios, Index nullity,
                   Report& report) {
  // More rows than velocities: at least so many redundant impulses.
  const Index redundant = std::max<Index>(0, settling.impulses() - settling.dofs());
  report.findings.push_back(check_statement(
      "the system matrix has a large null space", "yes",
      fmt::format(
          "with friction at least {} of {} dimensions{}", redundant, settling.impulses(),
          nullity < 0 ? "" : fmt::format("; frictionless {} of {}", nullity, settling.contacts())),
      redundant > settling.impulses() / 10,
      "a pile that is still loose has fewer contacts than its spheres have velocities"));
  report.findings.push_back(check_statement(
      "the null space impedes convergence: work over that of pgs with it and without (compliance)",
      "better without",
      fmt::format("box friction {}, with compliance {}", share(ratios[2], 1), share(ratios[3], 1)),
      ratios[3] < 0.8 * ratios[2],
      "multigrid stays behind its smoother without null space as well: it is not the only reason"));
  report.findings.push_back(check_statement(
      "interpolation works best where few variables are at their bounds: work over that of pgs",
      "better without bounds",
      fmt::format("frictionless {}, on loaded contacts alone {}", share(ratios[0], 1),
                  share(ratios[1], 1)),
      ratios[1] < 0.8 * ratios[0],
      "the loaded contacts alone are a linear system, and this interpolation does not suit it "
      "either: its couplings have both signs"));
}

} // namespace

Report run(Context& context) {
  const ContactProblem settling = settling_spheres(context);
  Report report;
  report.summary = described(settling) +
                   " Work counts sweeps on the finest level and what the coarse levels cost in "
                   "their units; setting levels up comes on top of it.";
  const Work work = compare_models(context, settling, report);
  const std::vector<double> ratios = compare_forms(context, settling, report);
  const std::string inputs = fingerprint(settling);
  const Json setup = context.once(fmt::format("{}-setup", settling.contacts()), inputs, [&] {
    return setup_cost(with_model(settling, FrictionKind::none));
  });
  const Json nullity = context.once(fmt::format("{}-null-space", settling.contacts()), inputs,
                                    [&] { return null_space(settling); });
  judge_speed(work, setup.get<double>(), report);
  judge_reasons(settling, ratios, nullity.get<Index>(), report);
  report.plots.push_back(products_plot(
      "work", "Multigrid against its smoother alone",
      "No multigrid curve leaves that of the sweeps alone (pgs) behind.", "work (sweeps)"));
  return report;
}

} // namespace talus::experiments::preclik2009_amg
