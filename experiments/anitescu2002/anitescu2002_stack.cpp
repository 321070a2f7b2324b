// anitescu2002, "Results of a 2D simulation with 136 bodies": a triangular stack in the plane by
// Algorithm 3, where PATH did not solve the nonconvex linear complementarity problem.

#include "anitescu2002.h"
#include "experiments/frame/fingerprint.h"
#include "talus/core/vector_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::experiments::anitescu2002_stack {
namespace {

constexpr double friction = 0.2;
constexpr long most_pivots = 5000;

/// What the run looks like after each step, for both laws.
Json observed(const StepReport& report, const World& world) {
  double top = 0;
  for (const BodyState& state : world.states()) top = std::max(top, state.pose.position.z + 0.5);
  return {report.time,
          report.contacts,
          report.max_penetration,
          report.kinetic_energy + report.potential_energy,
          report.iterations,
          top};
}

Json simulated(const Context& context, int rows, long steps, const std::string& what,
               const StepOptions& options) {
  const Json inputs = {
      {"rows", rows}, {"friction", friction}, {"steps", steps}, {"by", inputs_of(options)}};
  return context.once(fmt::format("{}-{}-{}", what, rows, steps), inputs, [&]() -> Json {
    Simulation simulation(disc_stack(rows, friction, false), options);
    Json observations = Json::array();
    for (long step = 1; step <= steps; ++step) {
      context.say(fmt::format("{}: step {} of {}", what, step, steps));
      observations.push_back(observed(simulation.step(), simulation.world()));
    }
    Json centres = Json::array();
    for (const BodyState& state : simulation.world().states())
      centres.push_back({state.pose.position.x, state.pose.position.z});
    return {{"steps", observations}, {"centres", centres}};
  });
}

/// The nonconvex problem of one step by the solvers of the family that take it, and Algorithm 3's
/// distance from its solution.
Json one_step(const ContactProblem& problem) {
  const SolveResult exact = exact_solution(problem);
  SolveOptions options;
  options.tolerance = 1e-8;
  const SolveResult third = run_solver(problem, algorithm(3, 1), options);
  options.max_iterations = 500;
  const SolveResult path = run_solver(problem, {"path"}, options);
  options.max_iterations = most_pivots;
  const SolveResult lemke = run_solver(problem, {"lemke"}, options);
  const auto outcome = [](const SolveResult& result) {
    return result.status == Status::converged ? fmt::format("{} iterations", result.iterations)
                                              : std::string(to_string(result.status));
  };
  return {{"contacts", problem.contacts()},
          {"exact_error", exact.quality.error},
          {"speed", norm(exact.v)},
          {"apart", distance(third.v, exact.v)},
          {"pushed", size_of_mu_lambda(problem, exact)},
          {"path", outcome(path)},
          {"path_solved", path.status == Status::converged},
          {"lemke", outcome(lemke)},
          {"lemke_solved", lemke.status == Status::converged}};
}

double largest(const Json& run, int column) {
  double most = 0;
  for (const Json& step : run["steps"]) most = std::max(most, step[column].get<double>());
  return most;
}

/// Largest rise of the energy from step to step, relative to its size at the start.
double energy_gain(const Json& run) {
  double gain = 0;
  const Json& steps = run["steps"];
  for (std::size_t k = 1; k < steps.size(); ++k)
    gain = std::max(gain, steps[k][3].get<double>() - steps[k - 1][3].get<double>());
  return gain / steps[0][3].get<double>();
}

double mean_distance(const Json& a, const Json& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::hypot(a[i][0].get<double>() - b[i][0].get<double>(),
                      a[i][1].get<double>() - b[i][1].get<double>());
  return sum / static_cast<double>(a.size());
}

double sinking(const Json& run) {
  return run["steps"].front()[5].get<double>() - run["steps"].back()[5].get<double>();
}

DataTable run_table(const Json& third, const Json& exact) {
  DataTable table{"curves",
                  "The run, step by step.",
                  {"law", "time", "contacts", "penetration", "energy", "iterations", "top"},
                  {},
                  false};
  for (const auto& [name, run] : {std::pair{"Algorithm 3", &third}, {"exact Coulomb", &exact}})
    for (const Json& s : (*run)["steps"])
      table.rows.push_back({name, s[0], s[1], s[2], s[3], s[4], s[5]});
  return table;
}

Plot over_time(std::string name, std::string title, std::string caption, std::string label) {
  return {.name = name,
          .title = std::move(title),
          .caption = std::move(caption),
          .table = "curves",
          .x = "time",
          .y = name,
          .curve = "law",
          .panel = "",
          .x_label = "time (s)",
          .y_label = std::move(label)};
}

void judge_run(const Json& third, const Json& exact, Report& report) {
  const double penetration = largest(third, 2), gain = energy_gain(third);
  const double seconds = third["steps"].back()[0];
  report.findings.push_back(
      check_statement("Algorithm 3 carries the whole run, non-penetration is exact", "yes",
                      fmt::format("{:g} s; penetration at most {:.1e} m", seconds, penetration),
                      penetration < 1e-3, "the contacts are linearised at the start of a step"));
  report.findings.push_back(check_statement(
      "its steps dissipate", "yes",
      fmt::format("largest rise in a step {:.1e} of the energy at the start", gain), gain < 1e-6,
      "overlaps that the linearisation left are undone in the next step, which lifts discs"));
  report.findings.push_back(answer(
      "how far from exact Coulomb friction does Algorithm 3 end?",
      fmt::format("after {:g} s the top has sunk {:.2g} m, exactly {:.2g} m; discs lie {:.2g} "
                  "m apart on average",
                  seconds, sinking(third), sinking(exact),
                  mean_distance(third["centres"], exact["centres"])),
      "friction in P2 is not bounded by the normal impulse, which likely holds the stack back"));
}

/// Single steps of the exact run, as the nonconvex problem.
void judge_steps(const Context& context, int rows, long steps, Report& report) {
  DataTable table{"steps",
                  "Single steps of the exact run: the nonconvex problem by two solvers, and how "
                  "far Algorithm 3 is from its solution.",
                  {"after step", "contacts", "path", "lemke", "|v| (m/s)", "|v - v3| (m/s)",
                   "|μ λ| (m/s)", "error of the reference"},
                  {}};
  int path_solved = 0, lemke_solved = 0;
  for (long at : {0L, steps / 4, steps / 2, steps}) {
    const ContactProblem problem = with_friction(collapsing_stack(context, rows, at), friction);
    const Json inputs = {{"problem", fingerprint(problem)}, {"pivots", most_pivots}};
    const Json one = context.once(fmt::format("step-{}-{}", rows, at), inputs,
                                  [&] { return one_step(problem); });
    path_solved += one["path_solved"].get<bool>();
    lemke_solved += one["lemke_solved"].get<bool>();
    table.rows.push_back({at, one["contacts"], one["path"], one["lemke"], one["speed"],
                          one["apart"], one["pushed"], one["exact_error"]});
  }
  report.findings.push_back(check_statement(
      "on the nonconvex formulation PATH fails to find a solution", "yes",
      fmt::format("of {} steps path solves {}, lemke {}", table.rows.size(), path_solved,
                  lemke_solved),
      path_solved == 0,
      "not the same program: path here is a smoothing Newton method with restarts, and the problem "
      "is scaled before it is solved"));
  report.findings.push_back(
      check_statement("Lemke's method works well for tens of bodies, most of the time", "yes",
                      fmt::format("{} of {} steps of {} bodies within {} pivots", lemke_solved,
                                  table.rows.size(), discs_of(rows), most_pivots),
                      2 * lemke_solved > static_cast<int>(table.rows.size()),
                      "degenerate pivots: equal discs touch in many places at once"));
  report.tables.push_back(std::move(table));
}

} // namespace

Report run(Context& context) {
  const int rows = context.sized(8, 16);
  const long steps = context.sized<long>(40, 100);
  const Json third = simulated(context, rows, steps, "Algorithm 3", algorithm3_steps()),
             exact = simulated(context, rows, steps, "exact", exact_steps());
  Report report;
  report.summary = fmt::format(
      "{} discs in {} rows (136 in 16 in the paper; μ = 0.2, h = 10 ms) collapse on a floor. One "
      "run takes every step by Algorithm 3 (one round over P1 and P2, two convex problems), the "
      "other solves every step exactly.",
      discs_of(rows), rows);
  judge_run(third, exact, report);
  judge_steps(context, rows, steps, report);
  report.tables.push_back(run_table(third, exact));
  report.plots = {over_time("top", "Height of the collapsing stack",
                            "The runs part soon: P2 does not bound friction by the normal impulse, "
                            "and under Algorithm 3 the stack comes down more slowly.",
                            "highest point (m)"),
                  over_time("energy", "Energy, kinetic and potential",
                            "It falls in both runs and never rises.", "energy (J)")};
  return report;
}

} // namespace talus::experiments::anitescu2002_stack
