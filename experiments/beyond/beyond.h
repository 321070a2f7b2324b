#pragma once
// What the experiments beyond the papers share: piles of one shape in any size, processor times,
// and cells for numbers that may not exist.

#include "experiments/frame/solver_runs.h"
#include "experiments/frame/sphere_pile.h"

#include <map>

namespace talus::experiments {

/// Spheres of radius 0.1 m and 6.28 kg in a cylinder about as wide as the pile is high: the same
/// shape for every number of spheres.
SpherePile shaped_pile(Index spheres, double friction);

/// The problem of the step that a world takes next.
ContactProblem next_step(World world, double step);

/// What a solve took, on one thread and without recording.
struct TimedSolve {
  SolveResult result;
  double processor = 0; ///< Seconds of processor time from the problem to the judged answer.
};
TimedSolve timed_solve(const ContactProblem& problem, const SolverRun& run,
                       const SolveOptions& options);

/// The same with `options.time_limit` in processor time. Solvers watch the wall clock: a solve that
/// a busy machine cut short is repeated with more of it.
TimedSolve solve_within(const ContactProblem& problem, const SolverRun& run, SolveOptions options);

/// The number for a table; an empty cell if it is not finite.
Json cell(double number);
/// As text: "-" if it is not finite.
std::string words(double number, const char* format = "{:.0f}");

/// "apgd 212, cpg 165": counts by name.
std::string listed(const std::map<std::string, double>& counts);

/// The name of a run's curve.
std::string label_of(const SolverRun& run);

/// A log-log plot with markers; its table has the columns `panel` and `curve`.
Plot log_plot(std::string name, std::string title, std::string caption, std::string table,
              std::string x, std::string y, std::string x_label, std::string y_label);

} // namespace talus::experiments
