#include "solver_runs.h"

#include "fingerprint.h"
#include "talus/solve/registry.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::experiments {
namespace {

/// Columns of a kept record, in order.
enum Kept : std::size_t {
  iteration,
  products,
  seconds,
  error,
  objective,
  separated,
  boundary,
  interior,
  changes,
  velocity_error,
  kept_columns
};

Json kept(const IterationRecord& r, Index changes_since) {
  return Json::array({r.iteration, r.products, r.seconds, r.error, r.objective, r.separated,
                      r.boundary, r.interior, changes_since, r.velocity_error});
}

/// Changes of the active set in records that are dropped count in the next one that stays.
Json thinned(const History& history) {
  Json records = Json::array();
  double next = 0;
  Index changes_since = 0;
  for (std::size_t i = 0; i < history.records.size(); ++i) {
    const IterationRecord& record = history.records[i];
    changes_since = std::max(changes_since, record.active_set_changes);
    const double place = static_cast<double>(i);
    if (place < next && i + 1 < history.records.size()) continue;
    records.push_back(kept(record, changes_since));
    changes_since = 0;
    next = std::max(place + 1, i < 20 ? 0.0 : 1.02 * place);
  }
  return records;
}

double number(const Json& value) {
  return value.is_null() ? std::nan("") : value.get<double>();
}

std::unique_ptr<Solver> configured(const SolverRun& run) {
  std::unique_ptr<Solver> solver = make_solver(run.solver);
  for (const auto& [name, value] : run.options) set_option(*solver, name, value);
  return solver;
}

Reached first_at_most(const Json& recorded, Kept column, double value) {
  for (const Json& record : recorded.at("records"))
    if (number(record[column]) <= value)
      return {number(record[iteration]), number(record[products]), number(record[seconds])};
  const double never = std::numeric_limits<double>::infinity();
  return {never, never, never};
}

} // namespace

SolveOptions to_error(double tolerance, long iterations) {
  SolveOptions options;
  options.tolerance = tolerance;
  options.max_iterations = iterations;
  return options;
}

SolveResult run_solver(const ContactProblem& problem, const SolverRun& run,
                       const SolveOptions& options) {
  return solve(*configured(run), problem, options);
}

Json inputs_of(const ContactProblem& problem, const SolverRun& run, const SolveOptions& options) {
  Json settings = Json::object();
  for (const OptionDescription& option : describe_options(*configured(run)))
    settings[option.name] = option.value;
  return {{"problem", fingerprint(problem)},
          {"solver", run.solver},
          {"settings", settings},
          {"tolerance", options.tolerance},
          {"measure", static_cast<int>(options.measure)},
          {"iterations", options.max_iterations},
          {"time limit", options.time_limit},
          {"start", fingerprint(options.initial)},
          {"reference", fingerprint(options.reference_velocity)}};
}

Json kept_run(const Context& context, const std::string& key, const ContactProblem& problem,
              const SolverRun& run, SolveOptions options) {
  options.stop = context.stop();
  return context.once(key, inputs_of(problem, run, options),
                      [&] { return recorded_run(problem, run, options); });
}

Json kept_impulses(const Context& context, const std::string& key, const ContactProblem& problem,
                   const SolverRun& run, SolveOptions options) {
  options.stop = context.stop();
  return context.once(key, inputs_of(problem, run, options), [&]() -> Json {
    const SolveResult result = run_solver(problem, run, options);
    Vector normal;
    for (Index c = 0; c < problem.contacts(); ++c)
      normal.push_back(result.x[static_cast<std::size_t>(problem.dimension * c)]);
    std::sort(normal.begin(), normal.end(), std::greater<>());
    return normal;
  });
}

Json recorded(const SolveResult& result) {
  return {{"status", to_string(result.status)},    {"message", result.message},
          {"iterations", result.iterations},       {"outer_iterations", result.outer_iterations},
          {"products", result.products},           {"seconds", result.seconds},
          {"error", result.quality.error},         {"violation", result.quality.violation},
          {"objective", result.quality.objective}, {"records", thinned(result.history)}};
}

Json recorded_run(const ContactProblem& problem, const SolverRun& run, SolveOptions options) {
  options.keep_history = true;
  return recorded(run_solver(problem, run, options));
}

DataTable curve_table(std::string name, std::string caption) {
  return {std::move(name),
          std::move(caption),
          {"panel", "curve", "iteration", "products", "seconds", "error", "objective", "excess",
           "separated", "boundary", "interior", "changes", "velocity_error", "magnitude"},
          {},
          false};
}

void add_curve(DataTable& table, const std::string& panel, const std::string& curve,
               const Json& recorded, double best) {
  for (const Json& r : recorded.at("records"))
    table.rows.push_back({panel, curve, r[iteration], r[products], r[seconds], r[error],
                          r[objective], number(r[objective]) - best, r[separated], r[boundary],
                          r[interior], r[changes], r[velocity_error],
                          std::abs(number(r[objective]))});
}

Plot curves_plot(std::string name, std::string title, std::string caption, std::string y,
                 std::string label, bool log_y) {
  return {.name = std::move(name),
          .title = std::move(title),
          .caption = std::move(caption),
          .table = "curves",
          .x = "iteration",
          .y = std::move(y),
          .curve = "curve",
          .panel = "panel",
          .x_label = "iterations",
          .y_label = std::move(label),
          .log_x = true,
          .log_y = log_y};
}

Plot products_plot(std::string name, std::string title, std::string caption, std::string x_label) {
  Plot plot = curves_plot(std::move(name), std::move(title), std::move(caption), "error", "error");
  plot.x = "products";
  plot.x_label = std::move(x_label);
  return plot;
}

Plot impulses_plot(std::string name, std::string title, std::string caption) {
  return {.name = std::move(name),
          .title = std::move(title),
          .caption = std::move(caption),
          .table = "impulses",
          .x = "rank",
          .y = "impulse",
          .curve = "curve",
          .panel = "",
          .x_label = "contacts, sorted",
          .y_label = "normal impulse [N s]"};
}

double least_objective(const Json& recorded) {
  double least = std::numeric_limits<double>::infinity();
  for (const Json& record : recorded.at("records"))
    least = std::min(least, number(record[objective]));
  return least;
}

double objective_at(const Json& recorded, long iterations) {
  double value = std::nan("");
  for (const Json& record : recorded.at("records")) {
    if (record[iteration].get<long>() > iterations) break;
    value = number(record[objective]);
  }
  return value;
}

double error_within(const Json& recorded, long iterations) {
  double least = std::numeric_limits<double>::infinity();
  for (const Json& record : recorded.at("records")) {
    if (record[iteration].get<long>() > iterations) break;
    least = std::min(least, number(record[error]));
  }
  return least;
}

Reached reached_objective(const Json& recorded, double value) {
  return first_at_most(recorded, objective, value);
}

Reached reached_error(const Json& recorded, double value) {
  return first_at_most(recorded, error, value);
}

} // namespace talus::experiments
