#include "talus/solve/solver.h"

#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace talus {
namespace {

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
  return std::find(range.begin(), range.end(), value) != range.end();
}

SolveResult refused(Status status, std::string message) {
  SolveResult result;
  result.status = status;
  result.message = std::move(message);
  return result;
}

void start_from(const SolveOptions& options, const ScaledProblem& problem, Span z) {
  if (options.initial.empty()) return fill(z, 0.0);
  if (static_cast<Index>(options.initial.size()) != problem.size() || !all_finite(options.initial))
    throw InvalidArgument(
        fmt::format("the starting impulses must be {} finite numbers", problem.size()));
  problem.to_scaled(options.initial, z);
  problem.project(z, z);
}

} // namespace

std::string_view to_string(Status status) {
  switch (status) {
  case Status::converged:
    return "converged";
  case Status::iteration_limit:
    return "iteration_limit";
  case Status::time_limit:
    return "time_limit";
  case Status::stalled:
    return "stalled";
  case Status::unsupported:
    return "unsupported";
  case Status::invalid_problem:
    return "invalid_problem";
  }
  return "unknown";
}

void judge_answer(const ContactProblem& problem, const DelassusOperator& n,
                  const SolveOptions& options, std::string_view claim, SolveResult& result) {
  result.quality = judge(problem, n, result.x);
  result.u.resize(n.size());
  n.apply(result.x, result.u);
  axpy(1.0, n.free_velocity(), result.u);
  if (n.dofs() > 0) {
    result.v.resize(n.dofs());
    n.generalized_velocity(result.x, result.v);
  }
  const double error = error_of(result.quality, options.measure);
  if (error <= options.tolerance) {
    result.status = Status::converged;
    result.message.clear();
  } else if (result.status == Status::converged) {
    result.status = Status::stalled;
    result.message = fmt::format("{} but the judged error is {:.3g}", claim, error);
  }
}

std::string refusal(const SolverInfo& info, const ContactProblem& problem) {
  const auto refuse = [&](const std::string& what) {
    return fmt::format("{} does not solve {}", info.name, what);
  };
  if (!contains(info.dimensions, problem.dimension))
    return refuse(fmt::format("problems of dimension {}", problem.dimension));
  // One component per contact leaves no room for friction, and both laws agree where nothing is
  // tilted.
  if (problem.dimension > 1) {
    const auto& sets = problem.dimension == 2 ? info.friction_plane : info.friction;
    if (!contains(sets, problem.friction.kind))
      return refuse(fmt::format("the friction set {} in {} dimensions", to_string(problem.friction),
                                problem.dimension));
    if (is_cone_shaped(problem.friction.kind) && !contains(info.laws, problem.law))
      return refuse(fmt::format("the {} law on the set {}", to_string(problem.law),
                                to_string(problem.friction)));
  }
  if (problem.equalities() > 0 && !info.joints)
    return refuse("problems with equality rows (joints)");
  return "";
}

SolveResult solve(Solver& solver, const ContactProblem& problem, const DelassusOperator& n,
                  const SolveOptions& options) {
  if (std::string why = refusal(solver.info(), problem); !why.empty())
    return refused(Status::unsupported, std::move(why));

  const auto begin = std::chrono::steady_clock::now();
  ScaledProblem scaled(problem, n);
  if (std::string what = solver.refuses(scaled); !what.empty())
    return refused(Status::unsupported,
                   fmt::format("{} does not solve {}", solver.info().name, what));
  Monitor monitor(scaled, options);
  Vector z(scaled.size());
  start_from(options, scaled, z);
  // Where zero impulses are a solution, relative errors have no meaning and no other start is
  // better.
  if (scaled.reference() == 0)
    fill(z, 0.0);
  else
    solver.run(scaled, z, monitor);

  SolveResult result;
  result.x.resize(scaled.size());
  scaled.to_physical(monitor.best().empty() ? ConstSpan(z) : monitor.best(), result.x);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.status = monitor.status();
  result.message = monitor.message();
  result.iterations = monitor.iterations();
  result.outer_iterations = monitor.outer_iterations();
  result.products = scaled.products();
  result.history = monitor.take_history();
  judge_answer(problem, n, options, "the solver stopped at its tolerance", result);
  return result;
}

SolveResult solve(Solver& solver, const ContactProblem& problem, const SolveOptions& options) {
  try {
    validate(problem);
    const auto n = make_operator(problem);
    return solve(solver, problem, *n, options);
  } catch (const InvalidProblem& failure) {
    return refused(Status::invalid_problem, failure.what());
  }
}

} // namespace talus
