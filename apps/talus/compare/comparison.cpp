#include "comparison.h"

#include "report/output.h"
#include "report/report.h"
#include "report/table.h"
#include "support/loaded_problem.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/problem/delassus/sweep_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace talus::cli {
namespace {

/// Solves again, up to `most_runs` times, while all runs together are shorter than `enough`
/// seconds, and keeps the least time.
SolveResult timed_solve(const LoadedProblem& loaded, const ComparisonSettings& settings,
                        const std::string& solver_name, const SolveOptions& options) {
  constexpr int most_runs = 5;
  constexpr double enough = 0.05;
  SolveResult best = loaded.solve_with(*settings.make_solver(solver_name), options);
  if (best.status != Status::converged) return best;
  double total = best.seconds;
  for (int run = 1; run < most_runs && total < enough; ++run) {
    SolveResult again = loaded.solve_with(*settings.make_solver(solver_name), options);
    if (again.status == Status::stopped) return again;
    total += again.seconds;
    if (again.seconds < best.seconds) best = std::move(again);
  }
  return best;
}

/// Every record up to 100, then about one for each percent of further iterations: a curve on a
/// logarithmic axis looks the same, and a million iterations fit on a page.
History thinned(const History& history) {
  History result;
  double next = 0;
  for (std::size_t i = 0; i < history.records.size(); ++i) {
    const bool last = i + 1 == history.records.size();
    if (static_cast<double>(i) < next && !last) continue;
    result.records.push_back(history.records[i]);
    next = i < 100 ? static_cast<double>(i) + 1 : 1.01 * static_cast<double>(i);
  }
  return result;
}

/// Solves problem after problem and keeps what is to be told about it.
class Comparer {
public:
  explicit Comparer(const ComparisonSettings& settings)
      : bar_(settings.show_progress ? pieces(settings) : 0) {
    result_.settings = settings;
    result_.threads = thread_count();
  }

  Comparison run() {
    for (const std::string& file : settings().problems.files) {
      if (result_.is_stopped) break;
      try {
        add_problem(LoadedProblem(file, settings().problems, settings().stop));
      } catch (const Error& error) {
        result_.file_errors.emplace_back(error.what());
      }
    }
    for (const NamedProblem& given : settings().given) {
      if (result_.is_stopped) break;
      add_problem(
          LoadedProblem(given.name, given.problem, settings().problems.face, settings().stop));
    }
    return std::move(result_);
  }

private:
  const ComparisonSettings& settings() const { return result_.settings; }

  static std::size_t pieces(const ComparisonSettings& settings) {
    return (settings.problems.files.size() + settings.given.size()) * settings.solvers.size() *
           (settings.tolerances.size() + (settings.keep_convergence ? 1 : 0));
  }

  void add_problem(const LoadedProblem& loaded) {
    const ContactProblem& problem = loaded.problem();
    ComparedProblem entry{loaded.path(), unique_label(loaded.path()), problem.contacts(),
                          problem.dofs(), problem.dimension};
    merge(result_.law, std::string(to_string(problem.law)));
    merge(result_.friction, to_string(problem.friction));
    const std::size_t index = result_.problems.size();
    result_.problems.push_back(std::move(entry));
    // Sweeps ask for rows of N, which some operators form at the first request: set-up, not to be
    // counted to whichever solver comes first.
    if (loaded.trouble().empty()) loaded.delassus().rows();
    const std::size_t runs = result_.runs.size(), curves = result_.convergence_csv.size();
    if (run_all(loaded, index)) return;
    result_.is_stopped = true;
    result_.problems.pop_back();
    result_.runs.resize(runs);
    result_.convergence_csv.resize(curves);
  }

  /// False when it was stopped on the way.
  bool run_all(const LoadedProblem& loaded, std::size_t problem) {
    for (const double tolerance : settings().tolerances)
      for (const std::string& solver : settings().solvers)
        if (!add_run(loaded, problem, solver, tolerance)) return false;
    if (!settings().keep_convergence) return true;
    for (const std::string& solver : settings().solvers)
      if (!add_convergence(loaded, problem, solver)) return false;
    return true;
  }

  bool wants_to_stop() const {
    return settings().wants_to_stop() || (settings().stop && settings().stop->load());
  }

  static void merge(std::string& all, const std::string& one) {
    if (all.empty()) all = one;
    if (all != one) all = "as in the files";
  }

  SolveOptions options_for(double tolerance) const {
    SolveOptions options;
    options.tolerance = tolerance;
    options.measure = settings().measure;
    options.max_iterations = settings().max_iterations;
    options.time_limit = settings().time_limit;
    options.stop = settings().stop;
    return options;
  }

  /// False when it was stopped.
  bool add_run(const LoadedProblem& loaded, std::size_t problem, const std::string& solver,
               double tolerance) {
    if (wants_to_stop()) return false;
    bar_.show(done_++, fmt::format("{} {} {}", result_.problems[problem].label, solver,
                                   short_tolerance(tolerance)));
    const SolveResult result = timed_solve(loaded, settings(), solver, options_for(tolerance));
    if (result.status == Status::stopped) return false;
    Run run{problem,
            solver,
            tolerance,
            result.status,
            result.message,
            result.seconds,
            to_json(loaded, solver, result, result_.threads)};
    run.fields["tolerance"] = tolerance;
    run.fields["message"] = result.message;
    result_.runs.push_back(std::move(run));
    return true;
  }

  /// False when it was stopped.
  bool add_convergence(const LoadedProblem& loaded, std::size_t problem,
                       const std::string& solver) {
    if (wants_to_stop()) return false;
    bar_.show(done_++, fmt::format("{} {} history", result_.problems[problem].label, solver));
    SolveOptions options = options_for(settings().tolerances.back());
    options.keep_history = true;
    const SolveResult result = timed_solve(loaded, settings(), solver, options);
    if (result.status == Status::stopped) return false;
    if (result.history.records.empty()) return true;
    std::string csv = to_csv(thinned(result.history));
    csv = with_csv_column(csv, "solver", solver);
    csv = with_csv_column(csv, "problem", result_.problems[problem].label);
    std::string& all = result_.convergence_csv;
    all += all.empty() ? std::string_view(csv) : without_header(csv);
    return true;
  }

  std::string unique_label(const std::string& path) {
    std::string label = label_of(path);
    for (int copy = 2; !labels_.insert(label).second; ++copy)
      label = fmt::format("{} ({})", label_of(path), copy);
    return label;
  }

  Comparison result_;
  ProgressBar bar_;
  std::size_t done_ = 0;
  std::set<std::string> labels_;
};

} // namespace

Comparison compare(const ComparisonSettings& settings) {
  return Comparer(settings).run();
}

const Run& Comparison::run(std::size_t problem, double tolerance, const std::string& solver) const {
  const auto position = [](const auto& list, const auto& value) {
    return static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
  };
  const std::size_t solver_count = settings.solvers.size();
  const std::size_t row =
      problem * settings.tolerances.size() + position(settings.tolerances, tolerance);
  return runs.at(row * solver_count + position(settings.solvers, solver));
}

std::size_t Comparison::solved(const std::string& solver, double tolerance) const {
  return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), [&](const Run& each) {
    return each.solver == solver && each.tolerance == tolerance && each.status == Status::converged;
  }));
}

std::size_t Comparison::admitted(const std::string& solver, double tolerance) const {
  return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), [&](const Run& each) {
    return each.solver == solver && each.tolerance == tolerance &&
           each.status != Status::unsupported;
  }));
}

double Comparison::times_best_other(const std::string& solver, double tolerance) const {
  double logs = 0;
  int count = 0;
  for (std::size_t problem = 0; problem < problems.size(); ++problem) {
    const Run& own = run(problem, tolerance, solver);
    const double best = fastest(*this, problem, tolerance, solver);
    if (own.status != Status::converged || !(best > 0) || std::isinf(best)) continue;
    logs += std::log(own.seconds / best);
    ++count;
  }
  return count > 0 ? std::exp(logs / count) : std::numeric_limits<double>::quiet_NaN();
}

double fastest(const Comparison& comparison, std::size_t problem, double tolerance,
               const std::string& except) {
  double best = std::numeric_limits<double>::infinity();
  for (const std::string& solver : comparison.settings.solvers) {
    const Run& run = comparison.run(problem, tolerance, solver);
    if (run.status == Status::converged && solver != except) best = std::min(best, run.seconds);
  }
  return best;
}

std::string outcome(const Comparison& comparison, const Run& run) {
  switch (run.status) {
  case Status::converged:
    return short_seconds(run.seconds);
  case Status::time_limit:
    return "> " + short_seconds(comparison.settings.time_limit);
  case Status::iteration_limit:
    return "max iter";
  case Status::product_limit:
    return "max products";
  case Status::stopped:
    return "stopped";
  case Status::stalled:
    return "stalled";
  case Status::infeasible:
    return "infeasible";
  case Status::unsupported:
    return "n/a";
  case Status::invalid_problem:
    return "invalid";
  }
  return "?";
}

} // namespace talus::cli
