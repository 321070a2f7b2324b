#include "comparison_files.h"

#include "report/output.h"
#include "report/table.h"
#include "solver_plot_style.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Strings bare, numbers as JSON writes them (exact), null as an empty field.
std::string csv_value(const Json& value) {
  if (value.is_string()) return csv_field(value.get_ref<const std::string&>());
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return "";
  return value.dump();
}

Json share_solved(const Comparison& comparison) {
  Json shares = Json::array();
  for (const std::string& solver : comparison.settings.solvers)
    for (const double tolerance : comparison.settings.tolerances)
      shares.push_back({{"solver", solver},
                        {"tolerance", tolerance},
                        {"solved", comparison.solved(solver, tolerance)},
                        {"problems", comparison.problems.size()},
                        {"times_best_other", comparison.times_best_other(solver, tolerance)}});
  return shares;
}

std::string tolerance_block(const Comparison& comparison, double tolerance) {
  const std::vector<std::string>& solvers = comparison.settings.solvers;
  std::vector<Column> columns = {{"problem", false}, {"contacts"}};
  for (const std::string& solver : solvers) columns.push_back({solver + "  ", true, 10});
  Table table(std::move(columns));
  for (std::size_t p = 0; p < comparison.problems.size(); ++p) {
    const double best = fastest(comparison, p, tolerance);
    std::vector<std::string> cells = {comparison.problems[p].label,
                                      std::to_string(comparison.problems[p].contacts)};
    for (const std::string& solver : solvers) {
      const Run& run = comparison.run(p, tolerance, solver);
      const bool wins = run.status == Status::converged && run.seconds == best;
      cells.push_back(outcome(comparison, run) + (wins ? " *" : "  "));
    }
    table.add(std::move(cells));
  }
  std::vector<std::string> totals = {"solved", ""}, ratios = {"times the best other", ""};
  for (const std::string& solver : solvers) {
    totals.push_back(
        fmt::format("{}/{}  ", comparison.solved(solver, tolerance), comparison.problems.size()));
    const double ratio = comparison.times_best_other(solver, tolerance);
    ratios.push_back(std::isnan(ratio) ? "" : fmt::format("{:.2f}  ", ratio));
  }
  table.add(std::move(totals));
  table.add(std::move(ratios));
  return fmt::format("Time to {} <= {}\n{}",
                     comparison.settings.measure == Measure::talus ? "error" : "error_fclib",
                     short_tolerance(tolerance), table.text());
}

} // namespace

std::string results_csv(const Comparison& comparison) {
  std::string text;
  for (const Run& run : comparison.runs) {
    std::string header, line;
    for (const auto& [name, value] : run.fields.items()) {
      header += (header.empty() ? "" : ",") + name;
      line += (line.empty() ? "" : ",") + csv_value(value);
    }
    if (text.empty()) text = header + '\n';
    text += line + '\n';
  }
  return text;
}

Json results_json(const Comparison& comparison) {
  const ComparisonSettings& settings = comparison.settings;
  Json json;
  json["talus"] = TALUS_VERSION;
  json["law"] = comparison.law;
  json["friction"] = comparison.friction;
  json["measure"] = to_string(settings.measure);
  json["tolerances"] = settings.tolerances;
  json["time_limit"] = settings.time_limit;
  json["max_iterations"] = settings.max_iterations;
  json["threads"] = comparison.threads;
  json["solvers"] = Json::array();
  for (const std::string& solver : settings.solvers) {
    const SolverPlotStyle look = solver_look(solver);
    json["solvers"].push_back({{"name", solver}, {"colour", look.colour}, {"dashes", look.dashes}});
  }
  json["problems"] = Json::array();
  for (const ComparedProblem& problem : comparison.problems)
    json["problems"].push_back({{"problem", problem.path},
                                {"label", problem.label},
                                {"contacts", problem.contacts},
                                {"dofs", problem.dofs},
                                {"dimension", problem.dimension}});
  json["share_solved"] = share_solved(comparison);
  json["runs"] = Json::array();
  for (const Run& run : comparison.runs) {
    Json fields = run.fields;
    fields["label"] = comparison.problems[run.problem].label;
    json["runs"].push_back(std::move(fields));
  }
  json["unreadable"] = comparison.file_errors;
  return json;
}

std::string comparison_table(const Comparison& comparison) {
  if (comparison.problems.empty()) return {};
  std::string text;
  for (const double tolerance : comparison.settings.tolerances)
    text += (text.empty() ? "" : "\n") + tolerance_block(comparison, tolerance);
  text += "\n* fastest; n/a: the solver does not admit the problem\n"
          "times the best other: geometric mean over the problems that both solve\n";
  return text;
}

} // namespace talus::cli
