// What a warm start is worth to interior point methods: against how far the problem has moved since
// the answer was made, and from step to step of a simulation.

#include "beyond.h"
#include "experiments/frame/paper_step.h"
#include "talus/step/simulation.h"

#include <fmt/format.h>

#include <limits>
#include <random>

namespace talus::experiments::beyond_interior_warm_start {
namespace {

constexpr double tolerance = 1e-8, friction = 0.5;
constexpr long most_iterations = 300;
constexpr double step = 2e-3;            ///< s.
constexpr double approach = 9.81 * step; ///< What gravity closes in a step, m/s.

/// An interior point method on the problem it is made for.
struct Method {
  SolverRun run;
  Law law;
  FrictionKind kind;
  std::string label() const { return label_of(run); }
};

std::vector<Method> methods() {
  return {{{"conic-ip"}, Law::associated, FrictionKind::cone},
          {{"coulomb-ip"}, Law::coulomb, FrictionKind::cone},
          {{"ip-newton"}, Law::coulomb, FrictionKind::cone},
          {{"pdip"}, Law::associated, FrictionKind::none}};
}

SpherePile pile_of(const Context& context) {
  SpherePile pile = shaped_pile(context.sized<Index>(40, 120), friction);
  pile.seconds = 1;
  pile.iterations = 200;
  return pile;
}

ContactProblem under(const Method& method, ContactProblem problem) {
  problem.law = method.law;
  problem.friction.kind = method.kind;
  return problem;
}

/// Every gap closes faster or slower by up to `share` of what gravity closes.
ContactProblem moved(ContactProblem problem, double share) {
  std::mt19937 random(3);
  Vector& w = std::get<GlobalModel>(problem.model).w;
  for (std::size_t i = 0; i < w.size(); i += 3)
    w[i] += share * approach * (static_cast<double>(random()) / 2147483647.5 - 1);
  return problem;
}

/// Iterations to the tolerance; infinite if it is not reached.
double iterations_of(const SolveResult& result) {
  return result.status == Status::converged ? static_cast<double>(result.iterations)
                                            : std::numeric_limits<double>::infinity();
}

struct Start {
  double cold, warm;
};

Start after_moving(const Context& context, const ContactProblem& pile, const Method& method,
                   double share) {
  const ContactProblem before = under(method, pile), after = moved(before, share);
  SolveOptions options = to_error(tolerance, most_iterations);
  const Json inputs = {{"before", inputs_of(before, method.run, options)},
                       {"after", inputs_of(after, method.run, options)}};
  const Json run = context.once(
      fmt::format("{}-{}-{:g}", pile.contacts(), method.label(), share), inputs, [&]() -> Json {
        const SolveResult cold = run_solver(after, method.run, options);
        const SolveResult answer = run_solver(before, method.run, options);
        Json both = {{"cold", cell(iterations_of(cold))}, {"warm", Json()}};
        if (answer.status != Status::converged) return both;
        options.initial = answer.x;
        both["warm"] = cell(iterations_of(run_solver(after, method.run, options)));
        return both;
      });
  const auto number = [](const Json& value) {
    return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
  };
  return {number(run["cold"]), number(run["warm"])};
}

void compare_distances(const Context& context, const ContactProblem& pile, Report& report) {
  DataTable table{"moved",
                  "Iterations to 1e-8 from the answer of the problem before every gap's speed "
                  "changed by up to the given share of g h, and from a cold start.",
                  {"method", "share of g h", "cold", "warm", "warm over cold"},
                  {}};
  std::vector<Method> all = methods();
  // How far inside the cones the answer is moved back.
  for (const char* depth : {"0.01", "10"})
    all.push_back({{"conic-ip", {{"warm_depth", depth}}, fmt::format("conic-ip, depth {}", depth)},
                   Law::associated,
                   FrictionKind::cone});
  for (const Method& method : all) {
    std::string saved;
    for (const double share : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0}) {
      const Start start = after_moving(context, pile, method, share);
      table.rows.push_back({method.label(), share, cell(start.cold), cell(start.warm),
                            cell(start.warm / start.cold)});
      if (share == 1e-4 || share == 1e-2)
        saved += fmt::format("{}{} of {} at {:g}", saved.empty() ? "" : ", ", words(start.warm),
                             words(start.cold), share);
    }
    if (method.run.label.empty())
      report.findings.push_back(
          answer(fmt::format("{}: iterations from the answer of a problem that moved by 1e-4 and "
                             "by 1e-2 of g h, of those from a cold start",
                             method.label()),
                 saved, fmt::format("-: not within {} iterations", most_iterations)));
  }
  table.on_page = false;
  report.tables.push_back(std::move(table));
  Plot plot = log_plot(
      "moved", "Iterations from a warm start against how far the problem moved",
      "1 is a cold start. A warm start that is close saves most of the way; one that is not may "
      "cost more than it saves.",
      "moved", "share of g h", "warm over cold", "change of the gaps' speeds, in g h",
      "iterations over those of a cold start");
  plot.log_y = false;
  plot.panel = "";
  plot.curve = "method";
  report.plots.push_back(std::move(plot));
}

/// Iterations of the steps behind the first, and how many of them missed the tolerance.
Json stepped(const Context& context, const World& world, const Method& method, double h, long steps,
             bool warm) {
  StepOptions options = paper_step(h);
  options.law = method.law;
  options.friction.kind = method.kind;
  options.solver = method.run.solver;
  options.solver_options = method.run.options;
  options.tolerance = tolerance;
  options.max_iterations = most_iterations;
  options.warm_start = warm;
  Simulation simulation(world, options);
  long iterations = 0, missed = 0;
  for (long k = 0; k <= steps; ++k) {
    context.say(fmt::format("{}, h = {:g} s: step {} of {}", method.label(), h, k, steps));
    const StepReport& report = simulation.step();
    if (k == 0) continue;
    iterations += report.iterations;
    missed += !report.converged();
  }
  return {{"iterations", iterations}, {"missed", missed}};
}

void compare_steps(const Context& context, const World& world, Report& report) {
  const long steps = context.sized<long>(4, 8);
  const std::vector<double> lengths =
      context.quick() ? std::vector{1e-2, 1e-3} : std::vector{1e-2, 2e-3, 5e-4};
  DataTable table{"steps",
                  fmt::format("Iterations per step of {} steps of the pile at rest, from nothing "
                              "and from the last step's impulses.",
                              steps),
                  {"solver", "h [ms]", "cold", "warm", "warm over cold", "cold: not to 1e-8",
                   "warm: not to 1e-8"},
                  {}};
  for (const Method& method : methods()) {
    std::string shares;
    for (const double h : lengths) {
      const auto run = [&](bool warm) {
        Json inputs = inputs_of(under(method, next_step(world, h)), method.run,
                                to_error(tolerance, most_iterations));
        inputs["steps"] = steps;
        inputs["warm"] = warm;
        return context.once(
            fmt::format("{}-{}-{:g}-{}", world.size(), method.label(), h, warm ? "warm" : "cold"),
            inputs, [&] { return stepped(context, world, method, h, steps, warm); });
      };
      const Json cold = run(false), warm = run(true);
      const double count = static_cast<double>(steps), from_nothing = cold["iterations"],
                   from_last = warm["iterations"];
      table.rows.push_back({method.label(), 1e3 * h, from_nothing / count, from_last / count,
                            from_last / from_nothing, cold["missed"], warm["missed"]});
      shares += fmt::format("{}{:.0f} % at {:g} ms", shares.empty() ? "" : ", ",
                            100 * (1 - from_last / from_nothing), 1e3 * h);
      const long missed_cold = cold["missed"], missed_warm = warm["missed"];
      if (missed_cold + missed_warm > 0)
        shares += fmt::format(" (to 1e-8 in {} of {} steps, cold in {})", steps - missed_warm,
                              steps, steps - missed_cold);
    }
    report.findings.push_back(
        answer(fmt::format("{}: iterations saved from step to step", method.label()), shares));
  }
  report.tables.push_back(std::move(table));
}

} // namespace

Report run(Context& context) {
  const SpherePile pile = pile_of(context);
  const World world = settled_world(pile, context, fmt::format("{}-settled", pile.spheres));
  Json inputs = inputs_of(pile);
  inputs["next_step"] = step;
  const ContactProblem problem = context.problem(fmt::format("beyond-warm-{}", pile.spheres),
                                                 inputs, [&] { return next_step(world, step); });
  Report report;
  report.summary = fmt::format(
      "{} contacts of spheres at rest, μ = {:g}. Each method solves the law it is made for: "
      "conic-ip the associated one, coulomb-ip and ip-newton Coulomb's, pdip the frictionless "
      "problem (its published warm starts are in mangoni2015-table2).",
      problem.contacts(), friction);
  compare_distances(context, problem, report);
  compare_steps(context, world, report);
  return report;
}

} // namespace talus::experiments::beyond_interior_warm_start
