// anitescu2002, "Convergence results for fixed point iterations": Algorithms 1 and 2 converge
// linearly up to a friction coefficient mu*, which is measured here.

#include "anitescu2002.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::experiments::anitescu2002_fixed_point {
namespace {

constexpr double tolerance = 1e-7;
constexpr int most_rounds = 60;
constexpr std::array sweep = {0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 2.0};

struct Problem {
  std::string name;
  ContactProblem problem;
};

/// Spheres settling in a box, with pyramids: redundant contacts in space.
ContactProblem settling_in_space(const Context& context) {
  SpherePile pile;
  pile.spheres = 60;
  pile.container_radius = 0.35;
  pile.in_box = true;
  pile.friction = 0.3;
  pile.seconds = 0.35;
  return settled_problem(pile, context, "anitescu2002-spheres-60");
}

std::vector<Problem> problems(const Context& context) {
  std::vector<Problem> all;
  for (int rows : context.sized<std::vector<int>>({4, 8}, {4, 8, 16}))
    all.push_back(
        {fmt::format("{} discs collapsing", discs_of(rows)), collapsing_stack(context, rows, 10)});
  all.push_back({"60 spheres settling", settling_in_space(context)});
  return all;
}

/// Errors after every round, and whether it converged. The first entry is the start's.
Json rounds_of(const ContactProblem& problem, int number, const SolveOptions& options) {
  const SolveResult result = run_solver(problem, algorithm(number, most_rounds), options);
  // Algorithm 2 is measured twice a round, after P1 and after P2.
  const std::size_t per_round = number == 1 ? 1 : 2;
  Json errors = Json::array();
  const auto& records = result.history.records;
  for (std::size_t k = 0; k < records.size(); k += per_round) errors.push_back(records[k].error);
  if ((records.size() - 1) % per_round != 0) errors.push_back(records.back().error);
  return {{"converged", result.status == Status::converged},
          {"rounds", errors.size() - 1},
          {"errors", errors}};
}

/// Mean factor by which a round of the second half of the run multiplies the error.
double rate_of(const Json& run) {
  const Json& errors = run["errors"];
  const std::size_t last = errors.size() - 1, middle = std::max<std::size_t>(1, last / 2);
  if (last <= middle) return std::nan("");
  return std::pow(errors[last].get<double>() / errors[middle].get<double>(),
                  1.0 / static_cast<double>(last - middle));
}

Json tried(const Context& context, const Problem& problem, int number, double mu) {
  const std::string key = fmt::format("{}-algorithm{}-{:.3f}", problem.name, number, mu);
  const ContactProblem rubbing = with_friction(problem.problem, mu);
  SolveOptions options;
  options.tolerance = tolerance;
  options.keep_history = true;
  return context.once(key, inputs_of(rubbing, algorithm(number, most_rounds), options),
                      [&] { return rounds_of(rubbing, number, options); });
}

/// The friction up to which the algorithm converges: behind the last value of the sweep before it
/// fails for the first time, by bisection. 0 if it always fails, the last value if it never does.
double largest_friction(const Context& context, const Problem& problem, int number) {
  double below = 0, above = 0;
  for (double mu : sweep) {
    above = mu;
    if (!tried(context, problem, number, mu)["converged"].get<bool>()) break;
    below = mu;
  }
  if (below == 0 || below == above) return below;
  while (above / below > context.sized(1.15, 1.05)) {
    const double mu = std::sqrt(above * below);
    (tried(context, problem, number, mu)["converged"].get<bool>() ? below : above) = mu;
  }
  return below;
}

Json rounds_if_converged(const Json& run) {
  return run["converged"].get<bool>() ? run["rounds"] : Json();
}

/// Whether more friction means slower convergence: rates at 0.05 and 0.2, by both algorithms.
bool rate_rises(const Context& context, const std::vector<Problem>& all) {
  for (const Problem& problem : all)
    for (int number : {1, 2})
      if (rate_of(tried(context, problem, number, 0.2)) <
          rate_of(tried(context, problem, number, 0.05)))
        return false;
  return true;
}

/// Rates over the sweep, one curve per algorithm, one panel per problem.
DataTable rates(const Context& context, const std::vector<Problem>& all) {
  DataTable table{"curves",
                  "Rounds and rates.",
                  {"problem", "algorithm", "mu", "converged", "rounds", "rate"},
                  {},
                  false};
  for (const Problem& problem : all)
    for (int number : {1, 2})
      for (double mu : sweep) {
        const Json run = tried(context, problem, number, mu);
        table.rows.push_back({problem.name, fmt::format("Algorithm {}", number), mu,
                              run["converged"], run["rounds"], rate_of(run)});
      }
  return table;
}

} // namespace

Report run(Context& context) {
  const std::vector<Problem> all = problems(context);
  Report report;
  DataTable curves = rates(context, all);
  DataTable table{"limits",
                  fmt::format("μ*: the friction up to which an algorithm converges (error {:g} "
                              "within {} rounds), to {} %.",
                              tolerance, most_rounds, context.sized(15, 5)),
                  {"problem", "contacts", "Algorithm 1: μ*", "Algorithm 2: μ*",
                   "Algorithm 1: rounds at μ = 0.1", "Algorithm 2: rounds at μ = 0.1"},
                  {}};
  double least = sweep.back();
  for (const Problem& problem : all) {
    const double first = largest_friction(context, problem, 1),
                 second = largest_friction(context, problem, 2);
    least = std::min({least, first, second});
    table.rows.push_back({problem.name, problem.problem.contacts(), first, second,
                          rounds_if_converged(tried(context, problem, 1, 0.1)),
                          rounds_if_converged(tried(context, problem, 2, 0.1))});
  }
  report.findings.push_back(check_statement(
      "there is a μ* up to which both algorithms converge to the step's solution", "μ* > 0",
      fmt::format("μ* at least {:.2g} on every problem", least), least > 0,
      "the rounds do not contract even at the smallest friction that was tried"));
  report.findings.push_back(check_statement(
      "convergence is linear, the faster the smaller the friction", "yes",
      "the factor per round rises from μ = 0.05 to 0.2 on every problem", rate_rises(context, all),
      "not on every problem: contacts that change between sticking and sliding "
      "change the map that is iterated, and with it the rate"));
  report.findings.push_back(answer("how large is μ*?",
                                   fmt::format("{:.2g} where it is smallest", least),
                                   "on each problem in the table below; p1 takes over 80 % of the "
                                   "new speeds by default, against "
                                   "the cycles that end Algorithm 1"));
  report.summary =
      "One step of collapsing discs (in the plane) and of settling spheres (in space, pyramids, "
      "redundant contacts), with the friction coefficient of all contacts changed. Each convex "
      "problem is solved by conic-ip.";
  report.tables = {std::move(table), std::move(curves)};
  report.plots.push_back({.name = "rate",
                          .title = "Linear convergence: what a round leaves of the error",
                          .caption = "The factor grows with the friction; where it reaches 1, at "
                                     "μ*, the iteration stops converging.",
                          .table = "curves",
                          .x = "mu",
                          .y = "rate",
                          .curve = "algorithm",
                          .panel = "problem",
                          .x_label = "friction coefficient μ",
                          .y_label = "error after a round / before",
                          .log_x = true,
                          .log_y = true,
                          .markers = true});
  return report;
}

} // namespace talus::experiments::anitescu2002_fixed_point
