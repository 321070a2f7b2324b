// anitescu2002, "Algorithm 3": |v - v3| ≤ L |μ λ|, exact where no contact slides.

#include "anitescu2002.h"
#include "experiments/frame/fingerprint.h"
#include "experiments/frame/power_law.h"
#include "talus/core/vector_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace talus::experiments::anitescu2002_relaxation_error {
namespace {

constexpr int rows = 8; ///< 36 discs.
constexpr double small_friction = 0.1;

ContactProblem resting_stack(const Context& context) {
  constexpr double friction = 0.5;
  const Json inputs = {{"rows", rows}, {"friction", friction}, {"by", inputs_of(exact_steps())}};
  return context.problem(fmt::format("anitescu2002-rest-{}", rows), inputs, [&] {
    return in_plane(Simulation(disc_stack(rows, friction, true), exact_steps()).next_problem());
  });
}

Json measured(const Context& context, const std::string& key, const ContactProblem& problem) {
  SolveOptions options;
  options.tolerance = 1e-10;
  return context.once(key, inputs_of(problem, algorithm(3, 1), options), [&]() -> Json {
    const SolveResult exact = exact_solution(problem);
    const SolveResult third = run_solver(problem, algorithm(3, 1), options);
    return {{"pushed", size_of_mu_lambda(problem, exact)},
            {"apart", distance(third.v, exact.v)},
            {"speed", norm(exact.v)},
            {"exact_error", exact.quality.error}};
  });
}

} // namespace

Report run(Context& context) {
  Report report;
  DataTable table{"errors",
                  "Algorithm 3 against the exact step.",
                  {"state", "μ", "|μ λ| (m/s)", "|v - v3| (m/s)", "ratio", "relative to |v|",
                   "error of the reference"},
                  {}};
  double largest_ratio = 0;
  std::vector<double> slopes;
  for (long at : {5L, 10L, 20L, 40L}) {
    const ContactProblem state = collapsing_stack(context, rows, at);
    std::vector<std::pair<double, double>> points;
    for (double mu : {0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8}) {
      const Json run = measured(context, fmt::format("collapse-{}-{}-{:g}", rows, at, mu),
                                with_friction(state, mu));
      const double x = run["pushed"], y = run["apart"];
      if (mu <= small_friction) points.emplace_back(x, y);
      largest_ratio = std::max(largest_ratio, y / x);
      table.rows.push_back({fmt::format("after {:g} s", 0.01 * static_cast<double>(at)), mu, x, y,
                            y / x, y / run["speed"].get<double>(), run["exact_error"]});
    }
    slopes.push_back(fitted_power(points));
  }
  const ContactProblem rest = resting_stack(context);
  const Json still = measured(context, fmt::format("rest-{}", rows), with_friction(rest, 0.5));
  const auto [flattest, steepest] = std::minmax_element(slopes.begin(), slopes.end());
  report.findings.push_back(check_statement(
      "|v - v3| ≤ L |μ λ| with one L for all friction coefficients", "yes",
      fmt::format("L = {:.3g} covers {} problems", largest_ratio, table.rows.size()),
      std::isfinite(largest_ratio) && largest_ratio < 10,
      "a step in which nothing slides makes the bound zero, and rounding decides"));
  report.findings.push_back(check_statement(
      "small friction makes Algorithm 3 a very good approximation: the error vanishes with "
      "|μ λ|",
      "at least linearly",
      fmt::format("|v - v3| ~ |μ λ|^p, p from {:.2f} to {:.2f} for μ ≤ {:g}", *flattest, *steepest,
                  small_friction),
      *flattest > 0.8,
      "contacts that start to slide between two friction coefficients bend the curve"));
  report.findings.push_back(
      check_statement("where no contact slides the approximation is exact", "v = v3",
                      fmt::format("|v - v3| = {:.1e} m/s with |μ λ| = {:.1e} m/s, a stack at rest",
                                  still["apart"].get<double>(), still["pushed"].get<double>()),
                      still["apart"].get<double>() < 1e-6,
                      "the reference is no better than the error in the table"));
  report.summary = fmt::format(
      "Steps of {} discs at four moments of their collapse, with seven friction coefficients each, "
      "and a stack at rest between posts. Norms run over all velocities and all contacts.",
      discs_of(rows));
  report.tables.push_back(std::move(table));
  report.plots.push_back({.name = "errors",
                          .title = "Error of Algorithm 3 against μ λ",
                          .caption = "On logarithmic axes a slope of 1 is the paper's bound; the "
                                     "curves run along such lines or below.",
                          .table = "errors",
                          .x = "|μ λ| (m/s)",
                          .y = "|v - v3| (m/s)",
                          .curve = "state",
                          .panel = "",
                          .x_label = "|μ λ| (m/s)",
                          .y_label = "|v - v3| (m/s)",
                          .log_x = true,
                          .log_y = true,
                          .markers = true});
  return report;
}

} // namespace talus::experiments::anitescu2002_relaxation_error
