#pragma once
// Every solver on every problem at every tolerance, in one process: the data behind `talus
// compare`.
//
// Times are measured without recording. Short solves are repeated and the least time counts,
// because single runs below a few milliseconds measure the machine more than the method.
// Convergence curves come from a run of their own, with history, to the tightest tolerance.

#include "arguments.h"
#include "report/progress.h"
#include "talus/solve/registry.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace talus::cli {

/// A problem that does not come from a file.
struct NamedProblem {
  std::string name;
  ContactProblem problem;
};

struct ComparisonSettings {
  ProblemArguments problems;
  std::vector<NamedProblem> given;  ///< Compared after those of the files, as they are.
  std::vector<std::string> solvers; ///< In the order of the tables.
  /// Where solvers come from by their names; the catalogue unless told.
  std::function<std::unique_ptr<Solver>(const std::string&)> make_solver = talus::make_solver;
  std::vector<double> tolerances = {1e-4, 1e-6, 1e-8}; ///< Loosest first.
  double time_limit = 10;                              ///< Seconds per solve; 0: none.
  long max_iterations = 1000000;
  Measure measure = Measure::talus;
  bool keep_convergence = false;
  bool show_progress = true;
  /// Asked before every solve; true ends the comparison.
  std::function<bool()> wants_to_stop = [] { return false; };
  /// When it becomes true, the comparison ends, also in the midst of a solve; null: never.
  const std::atomic<bool>* stop = nullptr;
};

struct ComparedProblem {
  std::string path;
  std::string label; ///< Unique within the comparison.
  Index contacts = 0, dofs = 0;
  int dimension = 3;
};

/// One solve. `fields` are those of `talus solve --json`, then tolerance and message.
struct Run { // NOLINT(bugprone-exception-escape): only the assertions of the json could throw.
  std::size_t problem = 0; ///< Index into Comparison::problems.
  std::string solver;
  double tolerance = 0;
  Status status = Status::stalled;
  std::string message;
  double seconds = 0;
  nlohmann::ordered_json fields;
};

struct Comparison {
  ComparisonSettings settings;
  int threads = 1;
  std::string law, friction; ///< Of all problems; "as in the files" when they differ.
  std::vector<ComparedProblem> problems;
  std::vector<Run> runs;       ///< Problem by problem, tolerance by tolerance, solver by solver.
  std::string convergence_csv; ///< Thinned histories, with columns `problem` and `solver`.
  std::vector<std::string> file_errors; ///< Files that could not be read.
  /// It was stopped: the problem at hand and those behind it are missing.
  bool is_stopped = false;

  const Run& run(std::size_t problem, double tolerance, const std::string& solver) const;
  /// Problems solved by `solver` at `tolerance`.
  std::size_t solved(const std::string& solver, double tolerance) const;
  /// Problems that `solver` admits: those with a friction set, law and size that it can do.
  std::size_t admitted(const std::string& solver, double tolerance) const;
  /// Its time over that of the fastest other solver, in geometric mean over the problems that both
  /// solve; NaN without any.
  double times_best_other(const std::string& solver, double tolerance) const;
};

Comparison compare(const ComparisonSettings& settings);

/// The least time of a converged run on the problem at the tolerance; infinite if there is none.
/// `except` does not count.
double fastest(const Comparison& comparison, std::size_t problem, double tolerance,
               const std::string& except = {});

/// What a run came to, in a word or two: its time, or why there is none.
std::string outcome(const Comparison& comparison, const Run& run);

} // namespace talus::cli
