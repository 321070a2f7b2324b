#include "comparison_files.h"

#include "report/output.h"
#include "report/table.h"
#include "solver_plot_style.h"

#include <fmt/format.h>

#include <algorithm>
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

/// How many problems each solver solves, and how fast against the others.
std::string overview(const Comparison& comparison) {
  std::vector<Column> columns = {{"solver", false}};
  for (const double tolerance : comparison.settings.tolerances) {
    columns.push_back({"solved " + short_tolerance(tolerance)});
    columns.push_back({"x best"});
  }
  Table table(std::move(columns));
  for (const std::string& solver : comparison.settings.solvers) {
    std::vector<std::string> cells = {solver};
    for (const double tolerance : comparison.settings.tolerances) {
      const double ratio = comparison.times_best_other(solver, tolerance);
      cells.push_back(fmt::format("{}/{}", comparison.solved(solver, tolerance),
                                  comparison.admitted(solver, tolerance)));
      cells.push_back(std::isnan(ratio) ? "" : fmt::format("{:.2f}", ratio));
    }
    table.add(std::move(cells));
  }
  return table.text();
}

/// Times on some of the problems, a line for each solver.
std::string time_table(const Comparison& comparison, double tolerance, std::size_t begin,
                       std::size_t end) {
  std::vector<Column> columns = {{"solver", false}};
  for (std::size_t p = begin; p < end; ++p)
    columns.push_back({comparison.problems[p].label + "  ", true, 10});
  Table table(std::move(columns));
  std::vector<std::string> contacts = {"contacts"};
  for (std::size_t p = begin; p < end; ++p)
    contacts.push_back(fmt::format("{}  ", comparison.problems[p].contacts));
  table.add(std::move(contacts));
  for (const std::string& solver : comparison.settings.solvers) {
    std::vector<std::string> cells = {solver};
    for (std::size_t p = begin; p < end; ++p) {
      const Run& run = comparison.run(p, tolerance, solver);
      const bool wins =
          run.status == Status::converged && run.seconds == fastest(comparison, p, tolerance);
      cells.push_back(outcome(comparison, run) + (wins ? " *" : "  "));
    }
    table.add(std::move(cells));
  }
  return table.text();
}

/// As many problems side by side as 100 columns hold, then the next ones below.
std::string tolerance_block(const Comparison& comparison, double tolerance) {
  constexpr std::size_t most = 100, name_width = 15, least_cell = 12, gap = 4;
  std::string text = fmt::format(
      "Time to {} <= {}\n", comparison.settings.measure == Measure::talus ? "error" : "error_fclib",
      short_tolerance(tolerance));
  for (std::size_t begin = 0; begin < comparison.problems.size();) {
    std::size_t end = begin, width = name_width;
    while (end < comparison.problems.size()) {
      width += gap + std::max(least_cell, display_width(comparison.problems[end].label));
      if (width > most && end > begin) break;
      ++end;
    }
    text += (begin > 0 ? "\n" : "") + time_table(comparison, tolerance, begin, end);
    begin = end;
  }
  return text;
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
    text += tolerance_block(comparison, tolerance) + "\n";
  return text + overview(comparison) +
         "\n* fastest; n/a: the solver does not admit the problem, which is no failure\n"
         "solved: of the problems that the solver admits\n"
         "x best: times the best other, geometric mean over the problems that both solve\n";
}

} // namespace talus::cli
