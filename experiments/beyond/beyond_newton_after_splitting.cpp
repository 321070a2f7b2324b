// preclik2009's advice, measured: a splitting method finds the active set, Newton finishes. How
// many Newton steps are left, and at which error is it best to switch?

#include "beyond.h"
#include "experiments/preclik2009/preclik2009.h"
#include "talus/shape/shape.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace talus::experiments::beyond_newton_after_splitting {
namespace {

constexpr double goal = 1e-8;
/// Errors at which Newton takes over; 1 is Newton alone.
constexpr double switches[] = {1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
constexpr long most_newton_steps = 150;

struct Case {
  std::string name;
  ContactProblem problem;
  std::vector<std::string> splitting; ///< First phases that are tried.
};

/// Bricks of 0.5 m x 0.25 m x 0.2 m in running bond, pushed at the top.
ContactProblem brick_wall(const Context& context) {
  const int rows = context.sized(4, 10), columns = context.sized(4, 8);
  const Json inputs = {{"rows", rows}, {"columns", columns}};
  return context.problem(fmt::format("beyond-wall-{}x{}", rows, columns), inputs, [&] {
    World world;
    const Index stone = world.add(Material{.name = "stone", .friction = 0.6});
    world.add(fixed_body("floor").with(make_half_space({0, 0, 1})).of(stone));
    const ShapePtr brick = make_box({0.25, 0.125, 0.1});
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        const Vec3 place{0.5 * column + (row % 2) * 0.25, 0, 0.1 + 0.2 * row};
        // The topmost row slides along the wall.
        world.add(body().with(brick).of(stone).density(2000).at(place).moving(
            {row + 1 == rows ? 0.5 : 0.0, 0, 0}));
      }
    return next_step(std::move(world), 5e-3);
  });
}

std::vector<Case> cases(const Context& context) {
  const ContactProblem settling = settling_spheres(context);
  return {
      {"spheres, box friction", with_model(settling, FrictionKind::box), {"nsgs", "admm", "apgd"}},
      {"spheres, cone", with_model(settling, FrictionKind::cone), {"nsgs", "admm", "coulomb-apgd"}},
      {"brick wall, cone", brick_wall(context), {"nsgs", "admm", "coulomb-apgd"}}};
}

/// One phase: how far, how many iterations, how long.
struct Phase {
  bool reached = false;
  double iterations = 0, processor = 0, error = 1;
};

/// Both phases with a switch in between.
struct Combined {
  Phase splitting, newton;
  bool reached() const { return newton.reached; }
  double error() const { return newton.iterations > 0 ? newton.error : splitting.error; }
  double processor() const { return splitting.processor + newton.processor; }
};

Json kept(const TimedSolve& timed) {
  return {{"reached", timed.result.status == Status::converged},
          {"iterations", timed.result.iterations},
          {"processor", timed.processor},
          {"error", timed.result.quality.error}};
}

Phase phase_from(const Json& json) {
  return {json["reached"], json["iterations"], json["processor"], json["error"]};
}

/// A quicker regularisation than from far away, as hybrid-newton has it.
SolverRun newton_from(double error) {
  return {"prox-newton", {{"weight", error < 1 ? "0.01" : "0.1"}}};
}

SolveOptions limited(const Context& context, double tolerance, long iterations) {
  SolveOptions options = to_error(tolerance, iterations);
  options.time_limit = context.sized(2.0, 20.0);
  return options;
}

Combined combined(const Context& context, const Case& of, const std::string& splitting,
                  double error) {
  const SolveOptions before = limited(context, error, 1000000);
  const Json inputs = {{"splitting", inputs_of(of.problem, {splitting}, before)},
                       {"newton", inputs_of(of.problem, newton_from(error),
                                            limited(context, goal, most_newton_steps))}};
  const Json run = context.once(
      fmt::format("{}-{}-{}-{:g}", of.name, of.problem.contacts(), splitting, error), inputs, [&] {
        Json both;
        SolveOptions options = limited(context, goal, most_newton_steps);
        if (error < 1) {
          const TimedSolve first = timed_solve(of.problem, {splitting}, before);
          both["splitting"] = kept(first);
          options.initial = first.result.x;
          if (first.result.status != Status::converged) return both;
        }
        both["newton"] = kept(timed_solve(of.problem, newton_from(error), options));
        return both;
      });
  Combined result;
  if (run.contains("splitting")) result.splitting = phase_from(run["splitting"]);
  if (run.contains("newton")) result.newton = phase_from(run["newton"]);
  return result;
}

Phase alone(const Context& context, const Case& of, const std::string& solver) {
  const SolveOptions options = limited(context, goal, 1000000);
  return phase_from(
      context.once(fmt::format("{}-{}-{}-alone", of.name, of.problem.contacts(), solver),
                   inputs_of(of.problem, {solver}, options),
                   [&] { return kept(timed_solve(of.problem, {solver}, options)); }));
}

std::string seconds_or_not(const Phase& phase) {
  return phase.reached ? fmt::format("{:.2g} s", phase.processor)
                       : fmt::format("not there (error {:.0e})", phase.error);
}

/// The best switch of a case, over all first phases.
struct Best {
  std::string splitting;
  double error = 1, steps = 0, processor = std::numeric_limits<double>::infinity();
};

Best run_case(const Context& context, const Case& of, DataTable& table, DataTable& drawn) {
  Best best;
  for (const std::string& splitting : of.splitting) {
    for (const double error : switches) {
      if (error == 1 && splitting != of.splitting.front()) continue;
      const Combined run = combined(context, of, splitting, error);
      const std::string label = error == 1 ? "prox-newton alone" : splitting;
      table.rows.push_back({of.name, label, error, run.splitting.iterations,
                            run.splitting.processor,
                            run.reached() ? Json(run.newton.iterations) : Json(),
                            run.reached() ? Json(run.processor()) : Json(), run.error()});
      if (!run.reached()) continue;
      drawn.rows.push_back({of.name, label, error, run.processor(), run.newton.iterations});
      if (error < 1 && run.processor() < best.processor)
        best = {splitting, error, run.newton.iterations, run.processor()};
    }
    if (const Phase whole = alone(context, of, splitting); whole.reached)
      drawn.rows.push_back({of.name, splitting, goal, whole.processor, 0});
  }
  return best;
}

void judge(const Context& context, const Case& of, const Best& best, Report& report) {
  std::string rivals;
  for (const std::string& solver : of.splitting)
    rivals += fmt::format(", {} alone {}", solver, seconds_or_not(alone(context, of, solver)));
  const Phase newton = combined(context, of, of.splitting.front(), 1).newton;
  report.findings.push_back(answer(
      fmt::format("{} ({} contacts): the best switch", of.name, of.problem.contacts()),
      std::isfinite(best.processor)
          ? fmt::format("{} to {:.0e}, then {:.0f} Newton steps: {:.2g} s", best.splitting,
                        best.error, best.steps, best.processor)
          : "none gets to 1e-8",
      fmt::format("to 1e-8; prox-newton alone {} in {:.0f} steps{}; hybrid-newton, which switches "
                  "by itself, {}",
                  seconds_or_not(newton), newton.iterations, rivals,
                  seconds_or_not(alone(context, of, "hybrid-newton")))));
}

} // namespace

Report run(Context& context) {
  Report report;
  DataTable table{"switches",
                  "Splitting to an error, then prox-newton to 1e-8; processor times. Empty: Newton "
                  "did not get there within 150 steps.",
                  {"problem", "first", "switch at", "iterations before", "time before [s]",
                   "Newton steps", "time in all [s]", "error at the end"},
                  {}};
  DataTable drawn{
      "drawn", "Time and steps.", {"panel", "curve", "switch", "seconds", "steps"}, {}, false};
  for (const Case& of : cases(context)) {
    const Best best = run_case(context, of, table, drawn);
    judge(context, of, best, report);
  }
  report.summary = fmt::format(
      "Spheres that are settling (μ = 0.8) with box friction and with the cone under Coulomb's "
      "law, and a brick wall whose top row is pushed. A splitting method runs to the error on the "
      "axis, prox-newton goes on to 1e-8; {:g} s (wall clock) and {} Newton steps at most.",
      context.sized(2.0, 20.0), most_newton_steps);
  table.on_page = false;
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(drawn));
  report.plots.push_back(
      log_plot("time", "Time to 1e-8 against the error at the switch",
               "At the left end the splitting method goes all the way, at the right end (1) it is "
               "Newton alone. Where a curve has its lowest point, the switch is best; where points "
               "are missing, Newton did not get there.",
               "drawn", "switch", "seconds", "error at the switch", "processor time [s]"));
  Plot steps = log_plot(
      "steps", "Newton steps left after the switch",
      "The better the start, the fewer steps; a start that is only good to 0.1 can leave more of "
      "them than none.",
      "drawn", "switch", "steps", "error at the switch", "Newton steps");
  steps.log_y = false;
  report.plots.push_back(std::move(steps));
  return report;
}

} // namespace talus::experiments::beyond_newton_after_splitting
