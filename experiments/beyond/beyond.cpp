#include "beyond.h"

#include "experiments/frame/paper_step.h"
#include "talus/core/parallel.h"
#include "talus/step/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace talus::experiments {

SpherePile shaped_pile(Index spheres, double friction) {
  SpherePile pile;
  pile.spheres = spheres;
  pile.friction = friction;
  // The radius of a cylinder that is twice as high, filled to 0.6.
  pile.container_radius = 1.05 * pile.radius * std::cbrt(static_cast<double>(spheres));
  return pile;
}

ContactProblem next_step(World world, double step) {
  return Simulation(std::move(world), paper_step(step)).next_problem();
}

TimedSolve timed_solve(const ContactProblem& problem, const SolverRun& run,
                       const SolveOptions& options) {
  const std::clock_t start = std::clock();
  TimedSolve timed;
  timed.result = with_threads(1, [&] { return run_solver(problem, run, options); });
  timed.processor = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return timed;
}

TimedSolve solve_within(const ContactProblem& problem, const SolverRun& run, SolveOptions options) {
  const double limit = options.time_limit;
  while (true) {
    TimedSolve timed = timed_solve(problem, run, options);
    if (timed.result.status != Status::time_limit || timed.processor > 0.8 * limit) return timed;
    options.time_limit *= std::max(1.5, limit / timed.processor);
  }
}

Json cell(double number) {
  return std::isfinite(number) ? Json(number) : Json();
}

std::string words(double number, const char* format) {
  return std::isfinite(number) ? fmt::format(fmt::runtime(format), number) : "-";
}

std::string listed(const std::map<std::string, double>& counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, words(count));
  return text;
}

std::string label_of(const SolverRun& run) {
  return run.label.empty() ? run.solver : run.label;
}

Plot log_plot(std::string name, std::string title, std::string caption, std::string table,
              std::string x, std::string y, std::string x_label, std::string y_label) {
  return {.name = std::move(name),
          .title = std::move(title),
          .caption = std::move(caption),
          .table = std::move(table),
          .x = std::move(x),
          .y = std::move(y),
          .curve = "curve",
          .panel = "panel",
          .x_label = std::move(x_label),
          .y_label = std::move(y_label),
          .log_x = true,
          .log_y = true,
          .markers = true};
}

} // namespace talus::experiments
