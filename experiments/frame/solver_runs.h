#pragma once
// Runs of solvers as experiments need them: by name, with options, recorded, thinned for plots.

#include "experiment.h"
#include "talus/solve/solver.h"

namespace talus::experiments {

struct SolverRun {
  std::string solver;
  std::vector<std::pair<std::string, std::string>> options = {}; ///< By name, as text.
  std::string label = {}; ///< Of its curve; the solver's name if empty.
};

/// Options that stop at an error or after so many iterations, whichever comes first.
SolveOptions to_error(double tolerance, long iterations);

SolveResult run_solver(const ContactProblem& problem, const SolverRun& run,
                       const SolveOptions& options);

/// A run as it is kept: status, iterations, products, seconds, quality, and its history thinned to
/// points that look evenly spaced on a logarithmic axis (the first 20, then every 2 %, and the
/// last).
Json recorded_run(const ContactProblem& problem, const SolverRun& run, SolveOptions options);
/// The same of a run that kept its history.
Json recorded(const SolveResult& result);

/// What the outcome of a run depends on: the problem, the solver with all of its options (also
/// those left at their defaults), and when it stops.
Json inputs_of(const ContactProblem& problem, const SolverRun& run, const SolveOptions& options);
/// The recorded run, kept as `key`.
Json kept_run(const Context& context, const std::string& key, const ContactProblem& problem,
              const SolverRun& run, SolveOptions options);
/// The normal impulses that a run ends with, largest first, kept as `key`.
Json kept_impulses(const Context& context, const std::string& key, const ContactProblem& problem,
                   const SolverRun& run, SolveOptions options);

/// An empty table for curves of recorded runs: panel, curve, iteration, products, seconds, error,
/// objective, excess, separated, boundary, interior, changes, velocity_error, magnitude (of the
/// objective).
DataTable curve_table(std::string name, std::string caption);

/// Adds a recorded run as a curve. `excess` is the objective minus `best`, the least known one.
void add_curve(DataTable& table, const std::string& panel, const std::string& curve,
               const Json& recorded, double best = 0);

/// A plot of the table "curves" over iterations, one panel per value of `panel`.
Plot curves_plot(std::string name, std::string title, std::string caption, std::string y,
                 std::string label, bool log_y = true);
/// The error of those curves over their products.
Plot products_plot(std::string name, std::string title, std::string caption, std::string x_label);

/// A plot of the table "impulses" with the columns curve, rank and impulse: normal impulses sorted
/// by size.
Plot impulses_plot(std::string name, std::string title, std::string caption);

/// The least objective that any record of the run has.
double least_objective(const Json& recorded);

/// The objective after (at most) so many iterations; NaN before the first record.
double objective_at(const Json& recorded, long iterations);

/// The least error within so many iterations: what a method that keeps its best iterate returns.
double error_within(const Json& recorded, long iterations);

/// First record whose `column` (an index of the kept history) is at most `value`: its iteration,
/// products and seconds; infinite if there is none.
struct Reached {
  double iterations, products, seconds;
};
Reached reached_objective(const Json& recorded, double objective);
Reached reached_error(const Json& recorded, double error);

} // namespace talus::experiments
