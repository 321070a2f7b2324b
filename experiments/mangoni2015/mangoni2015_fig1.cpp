// mangoni2015 fig. 1: how the residuals of one solve fall.

#include "mangoni2015.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::experiments::mangoni2015_fig1 {
namespace {

/// Less is nothing: shown there, so that a logarithmic axis can show it at all.
constexpr double rounding = 1e-17;

/// Parts of the judged error of the best answer within k iterations, k = 0, 1, ... until the method
/// stops by itself. Judged from outside: neither method's own residuals, the same for both.
Json judged_per_iteration(const Context& context, const ContactProblem& problem,
                          const SolverRun& run) {
  SolveOptions options;
  options.tolerance = 1e-12;
  const std::string key = fmt::format("{}-{}", run.solver, problem.contacts());
  return context.once(key, inputs_of(problem, run, options), [&] {
    Json parts = Json::array();
    for (long k = 0;; ++k) {
      context.say(fmt::format("{}: {} iterations", run.solver, k));
      options.max_iterations = k;
      const SolveResult result = run_solver(problem, run, options);
      const Quality& q = result.quality;
      parts.push_back({result.iterations, q.error, q.dual, q.complementarity});
      if (result.status != Status::iteration_limit) return parts;
    }
  });
}

/// The same bodies, all of them heavier (or lighter) by a factor.
ContactProblem with_masses(ContactProblem problem, double factor) {
  GlobalModel model = to_global(problem);
  for (double& entry : model.M.value) entry *= factor;
  for (double& momentum : model.f) momentum *= factor;
  problem.model = std::move(model);
  return problem;
}

/// Iterations to the paper's stop test with other masses: the test is in joules and in m/s times
/// the root of a mass, so that heavier bodies are solved more accurately.
Json iterations_by_mass(const Context& context, const ContactProblem& problem) {
  Json iterations = Json::array();
  for (const double factor : {1e-4, 1.0, 1e4}) {
    const Json run =
        kept_run(context, fmt::format("masses-{:g}", factor), with_masses(problem, factor),
                 paper_method("none"), to_error(1e-12, SolveOptions{}.max_iterations));
    iterations.push_back({run["iterations"], run["error"]});
  }
  return iterations;
}

void add_parts(DataTable& table, const std::string& solver, const Json& parts) {
  const char* names[] = {"error", "penetrating velocity", "complementarity"};
  for (int part = 0; part < 3; ++part)
    for (const Json& record : parts)
      table.rows.push_back(
          {solver, names[part], record[0], std::max(rounding, record[part + 1].get<double>())});
}

/// Iterations in which the error fell, of all.
double falling_share(const Json& parts) {
  int fell = 0;
  for (std::size_t k = 1; k < parts.size(); ++k)
    fell += parts[k][1].get<double>() < parts[k - 1][1].get<double>();
  return static_cast<double>(fell) /
         static_cast<double>(std::max<std::size_t>(1, parts.size() - 1));
}

} // namespace

Report run(Context& context) {
  const Index balls = context.sized<Index>(130, 480);
  const ContactProblem problem = settling_problem(context, balls);
  Report report;
  DataTable curves{
      "curves", "Parts of the error.", {"solver", "part", "iteration", "value"}, {}, false};
  const Json pdip = judged_per_iteration(context, problem, paper_method("none")),
             conic = judged_per_iteration(context, problem, {"conic-ip"});
  add_parts(curves, "pdip", pdip);
  add_parts(curves, "conic-ip", conic);
  const double error = pdip.back()[1].get<double>();
  report.summary = fmt::format(
      "One step of {} balls settling in a box, {} contacts without friction, from a cold start. "
      "Shown are parts of the judged error of the best answer so far: the size of velocities that "
      "penetrate (what |r_p| is about) and of impulse times velocity (what μ is about); both are 1 "
      "or of that order for zero impulses.",
      balls, problem.contacts());
  report.findings.push_back(check_statement(
      "the residuals fall regularly to small values", "yes",
      fmt::format("error {:.1e} at the paper's stop test; it fell in {:.0f} % of the iterations",
                  error, 100 * falling_share(pdip)),
      error < 1e-3 && falling_share(pdip) > 0.5,
      "an interior point method repairs the start first: the error may rise while the residuals of "
      "an infeasible start still weigh more than the duality measure"));
  report.findings.push_back(
      compare_numbers("iterations to the stop test (published: the mean of Table 1 at this size)",
                      context.sized(16.7, 19.4), pdip.back()[0].get<double>(), 1.3,
                      "Start (ones) and stop test are absolute: the count grows with the masses "
                      "(below), which the paper does not give."));
  const Json by_mass = iterations_by_mass(context, problem);
  report.findings.push_back(answer(
      "iterations to the stop test with masses 10⁻⁴, 1 and 10⁴ times these",
      fmt::format("{}, {} and {}", by_mass[0][0].get<long>(), by_mass[1][0].get<long>(),
                  by_mass[2][0].get<long>()),
      fmt::format("The test compares joules: the answers have judged errors of {:.0e}, {:.0e} and "
                  "{:.0e}. Published counts hold for the units and masses of their scene alone.",
                  by_mass[0][1].get<double>(), by_mass[1][1].get<double>(),
                  by_mass[2][1].get<double>())));
  report.findings.push_back(answer("conic-ip (Nesterov-Todd scaling) to an error of 1e-12",
                                   fmt::format("{} iterations", conic.back()[0].get<long>()),
                                   "same problem, same judge"));
  report.tables.push_back(std::move(curves));
  report.plots.push_back({.name = "fig1",
                          .title = "Fig. 1(b): convergence",
                          .caption = "Once the start is repaired, every residual falls by a steady "
                                     "factor per iteration. What is exactly zero is drawn "
                                     "at 1e-17.",
                          .table = "curves",
                          .x = "iteration",
                          .y = "value",
                          .curve = "part",
                          .panel = "solver",
                          .x_label = "iterations",
                          .y_label = "relative residual",
                          .log_x = false,
                          .log_y = true,
                          .markers = true});
  return report;
}

} // namespace talus::experiments::mangoni2015_fig1
