// talus solve: one solver on each problem, its answer judged, shown and written.

#include "commands.h"
#include "report/output.h"
#include "report/report.h"
#include "report/table.h"
#include "support/stop_signals.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/problem/files/lcp_file.h"
#include "talus/solve/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <utility>

namespace talus::cli {
namespace {

struct SolveArguments {
  ProblemArguments problems;
  std::string solver = default_solver;
  std::vector<std::string> solver_options;
  SolveOptions options;
  std::string history_path, out_path, reference_path;
  bool json = false;
};

std::unique_ptr<Solver> configured_solver(const SolveArguments& arguments) {
  auto solver = make_solver(arguments.solver);
  for (const std::string& assignment : arguments.solver_options) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos)
      throw InvalidArgument(fmt::format("--option takes name=value, not '{}'", assignment));
    set_option(*solver, assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return solver;
}

void check(const SolveArguments& arguments) {
  if (!arguments.out_path.empty() && arguments.problems.files.size() > 1)
    throw InvalidArgument(fmt::format("--out holds one solution, but {} problems were given",
                                      arguments.problems.files.size()));
  if (!arguments.reference_path.empty() && arguments.history_path.empty())
    throw InvalidArgument("--reference fills a column of the file that --history names");
  if (!arguments.reference_path.empty() && arguments.problems.files.size() > 1)
    throw InvalidArgument(fmt::format("--reference holds one solution, but {} problems were given",
                                      arguments.problems.files.size()));
  if (!arguments.out_path.empty()) require_writable(arguments.out_path);
  if (!arguments.history_path.empty()) require_writable(arguments.history_path);
}

/// The contact velocities of a solution that --out wrote.
Vector reference_velocity(const std::string& path, const ContactProblem& problem) {
  Vector u = read_fclib(path).solution.u;
  if (static_cast<Index>(u.size()) != problem.impulses())
    throw FileError(path, fmt::format("a reference needs a solution with {} velocities, not {}",
                                      problem.impulses(), u.size()));
  return u;
}

/// What a reader of the solution file should know, since FCLIB has no field for it.
std::string provenance(const LoadedProblem& loaded, const std::string& solver,
                       const SolveResult& result) {
  return fmt::format("solution by talus {}: solver {}, law {}, friction {}, {}, error {:.3e}",
                     TALUS_VERSION, solver, to_string(loaded.problem().law),
                     to_string(loaded.problem().friction), words(result.status),
                     result.quality.error);
}

/// Guesses that came with the problem stay with it; text files have none.
std::vector<FclibSolution> stored_guesses(const std::string& path) {
  try {
    return read_fclib(path).guesses;
  } catch (const FileError&) {
    return {};
  }
}

void write_solution(const std::string& path, const LoadedProblem& loaded, const std::string& solver,
                    const SolveResult& result) {
  ContactProblem problem = loaded.problem();
  std::string& description = problem.description;
  description += (description.empty() ? "" : "; ") + provenance(loaded, solver, result);
  FclibSolution solution;
  const auto impulses = problem.impulses();
  solution.v = result.v;
  solution.u.assign(result.u.begin(), result.u.begin() + impulses);
  solution.r.assign(result.x.begin(), result.x.begin() + impulses);
  solution.l.assign(result.x.begin() + impulses, result.x.end());
  if (problem.dimension == 1)
    write_lcp(path, problem, {solution.l, solution.r, solution.u});
  else
    write_fclib(path, {std::move(problem), stored_guesses(loaded.path()), std::move(solution)});
}

/// The lines of a table, printed while the problems are solved.
class ResultTable {
public:
  explicit ResultTable(const std::vector<std::string>& files) : table_(columns(files)) {}

  void print(const LoadedProblem& loaded, const SolveResult& result) {
    if (!std::exchange(begun_, true)) fmt::print("{}", table_.header());
    const auto judged = [&](double value) {
      return has_answer(result) ? short_number(value) : std::string("-");
    };
    const Quality& quality = result.quality;
    fmt::print("{}",
               table_.line({label_of(loaded.path()), std::to_string(loaded.problem().contacts()),
                            words(result.status), std::to_string(result.iterations),
                            std::to_string(result.products), judged(quality.error),
                            judged(quality.error_fclib), judged(quality.violation),
                            short_seconds(result.seconds)}));
    if (!result.message.empty()) fmt::print("  {}\n", result.message);
    std::fflush(stdout);
  }

private:
  static std::vector<Column> columns(const std::vector<std::string>& files) {
    std::size_t width = 0;
    for (const std::string& file : files) width = std::max(width, display_width(label_of(file)));
    return {{"problem", false, width}, {"contacts", true, 8},  {"status", false, 15},
            {"iterations", true, 10},  {"products", true, 9},  {"error", true, 9},
            {"error_fclib", true, 11}, {"violation", true, 9}, {"time", true, 8}};
  }

  Table table_;
  bool begun_ = false;
};

/// Histories of all problems as one CSV; with several problems a last column names the problem.
class HistoryFile {
public:
  HistoryFile(std::string path, bool several) : path_(std::move(path)), several_(several) {}

  void add(const std::string& problem, const History& history) {
    const std::string csv =
        several_ ? with_csv_column(to_csv(history), "problem", problem) : to_csv(history);
    text_ += text_.empty() ? std::string_view(csv) : without_header(csv);
  }

  void write() const {
    if (!path_.empty() && !text_.empty()) write_file(path_, text_);
  }

private:
  std::string path_, text_;
  bool several_;
};

int run_solve(const SolveArguments& arguments) {
  const auto solver = configured_solver(arguments);
  check(arguments);
  SolveOptions options = arguments.options;
  options.keep_history = !arguments.history_path.empty();

  const std::vector<std::string>& files = arguments.problems.files;
  std::unique_ptr<ResultTable> table;
  if (!arguments.json) table = std::make_unique<ResultTable>(files);
  HistoryFile history(arguments.history_path, files.size() > 1);

  const StopSignals signals;
  options.stop = signals.flag();
  bool all_files_fine = true, all_converged = true;
  for (const std::string& file : files) {
    if (signals.received() != 0) break;
    try {
      const LoadedProblem loaded(file, arguments.problems, signals.flag());
      if (!arguments.reference_path.empty())
        options.reference_velocity = reference_velocity(arguments.reference_path, loaded.problem());
      const SolveResult result = loaded.solve_with(*solver, options);
      all_converged = all_converged && result.status == Status::converged;
      if (table)
        table->print(loaded, result);
      else
        fmt::print("{}\n", one_line(to_json(loaded, arguments.solver, result, thread_count())));
      std::fflush(stdout);
      if (!arguments.history_path.empty()) history.add(file, result.history);
      if (!arguments.out_path.empty() && has_answer(result))
        write_solution(arguments.out_path, loaded, arguments.solver, result);
    } catch (const Error& error) {
      fmt::print(stderr, "talus: {}\n", error.what());
      all_files_fine = false;
    }
  }
  history.write();
  if (signals.received() != 0) {
    fmt::print(stderr, "talus: stopped by signal {}\n", signals.received());
    return 128 + signals.received();
  }
  if (!all_files_fine) return failure;
  return all_converged ? success : not_converged;
}

} // namespace

void register_solve(CLI::App& app, Command& chosen) {
  auto arguments = std::make_shared<SolveArguments>();
  SolveArguments* a = arguments.get();
  CLI::App* command = app.add_subcommand("solve", "Solve contact problems and judge the answers");
  command
      ->add_option("--solver", a->solver,
                   fmt::format("Solver (default {}); `talus solvers` lists them", default_solver))
      ->type_name("NAME");
  command
      ->add_option("--option", a->solver_options,
                   "Option of the solver as name=value, repeatable; see `talus solvers NAME`")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option_function<std::string>(
          "--tol",
          [a](const std::string& text) { a->options.tolerance = parse_positive(text, "--tol"); },
          "Largest error of a solution (default 1e-8)")
      ->type_name("X");
  add_measure(*command, a->options.measure);
  add_count(*command, "--max-iterations", a->options.max_iterations,
            "Limit of iterations (default 1000000)");
  add_count(*command, "--max-products", a->options.max_products,
            "Limit in products with N, factorisations included; 0 (default) for none");
  add_nonnegative(*command, "--time-limit", a->options.time_limit,
                  "Limit in seconds per problem; 0 (default) for none");
  add_problem_arguments(*command, a->problems);
  command->add_option("--history", a->history_path, "Write every iteration to this CSV file")
      ->type_name("FILE");
  command
      ->add_option("--reference", a->reference_path,
                   "FCLIB file with a solution, as --out writes it: the history then holds the "
                   "velocity error against it")
      ->type_name("FILE");
  command
      ->add_option(
          "--out", a->out_path,
          "Write the problem with its solution to this file: FCLIB, or text for LCP and MLCP")
      ->type_name("FILE");
  command->add_flag("--json", a->json, "One JSON object per problem and line on standard output");
  command->footer(
      "Ctrl-C ends the solve at hand; the best it has found is shown and written. A second "
      "one ends the\nprogram at once.\n"
      "Exit code: 0 all converged, 3 some did not, 1 file trouble, 2 wrong arguments, "
      "130 and 143\nstopped by SIGINT and SIGTERM.");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      return with_threads(arguments->problems.threads, [&] { return run_solve(*arguments); });
    };
  });
}

} // namespace talus::cli
