#include "talus/solve/solver.h"

#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/infeasible.h"
#include "talus/solve/monitor.h"
#include "talus/solve/registry.h"

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

void refuse(Status status, std::string message, SolveResult& result) {
  result = {};
  result.status = status;
  result.message = std::move(message);
}

void start_from(const Vector& initial, const ScaledProblem& problem, Span z) {
  if (initial.empty()) return fill(z, 0.0);
  if (static_cast<Index>(initial.size()) != problem.size() || !all_finite(initial))
    throw InvalidArgument(
        fmt::format("the starting impulses must be {} finite numbers", problem.size()));
  problem.to_scaled(initial, z);
  problem.project(z, z);
}

/// Limits and a reference that a solve could not respect.
void require_meaning(const SolveOptions& options, const ContactProblem& problem) {
  const auto require = [](bool good, std::string_view name, auto value, std::string_view range) {
    if (!good) throw InvalidArgument(fmt::format("{} is {}, it must be {}", name, value, range));
  };
  require(options.tolerance >= 0, "tolerance", options.tolerance, "a number >= 0");
  require(options.max_iterations >= 0, "max_iterations", options.max_iterations, "0 or more");
  require(options.max_products >= 0, "max_products", options.max_products, "0 (none) or positive");
  require(options.time_limit >= 0, "time_limit", options.time_limit, "0 (none) or positive");
  const auto length = static_cast<Index>(options.reference_velocity.size());
  if (length != 0 && length != problem.impulses() && length != problem.size())
    throw InvalidArgument(fmt::format("the reference velocity has {} entries; it needs {}, those "
                                      "of the contacts, or {}, those of u",
                                      length, problem.impulses(), problem.size()));
}

} // namespace

std::string_view to_string(Status status) {
  switch (status) {
  case Status::converged:
    return "converged";
  case Status::iteration_limit:
    return "iteration_limit";
  case Status::product_limit:
    return "product_limit";
  case Status::time_limit:
    return "time_limit";
  case Status::stopped:
    return "stopped";
  case Status::infeasible:
    return "infeasible";
  case Status::stalled:
    return "stalled";
  case Status::unsupported:
    return "unsupported";
  case Status::invalid_problem:
    return "invalid_problem";
  }
  return "unknown";
}

namespace {

/// judge_answer() with the scaled problem at hand; z is work space of its size.
void judge_scaled(const ScaledProblem& scaled, Span z, const SolveOptions& options,
                  std::string_view claim, SolveResult& result) {
  const DelassusOperator& n = scaled.delassus();
  result.u.resize(n.size());
  result.quality = judge(scaled, result.x, z, result.u);
  result.v.resize(n.dofs());
  // Ranks make velocities together, those without bodies too.
  if (n.dofs() > 0 || n.division()) n.generalized_velocity(result.x, result.v);
  const double error = error_of(result.quality, options.measure);
  const bool admissible = relative_size(result.quality) <= largest_relative_size;
  if (error <= options.tolerance && admissible) {
    result.status = Status::converged;
    result.message.clear();
  } else if (result.status == Status::converged) {
    result.status = Status::stalled;
    result.message =
        admissible
            ? fmt::format("{} but the judged error is {:.3g}", claim, error)
            : fmt::format("{} but with impulses {:.1e} times those that stop each contact on "
                          "its own",
                          claim, relative_size(result.quality));
  }
}

} // namespace

void judge_answer(const ContactProblem& problem, const DelassusOperator& n,
                  const SolveOptions& options, std::string_view claim, SolveResult& result) {
  const ScaledProblem scaled(problem, n);
  Vector z(n.size());
  judge_scaled(scaled, z, options, claim, result);
}

std::vector<int> admitted_dimensions(const SolverInfo& info) {
  return info.dimensions.empty() ? info.friction.dimensions() : info.dimensions;
}

std::string refusal(const SolverInfo& info, const ContactProblem& problem) {
  const auto refuse = [&](const std::string& what) {
    return fmt::format("{} does not solve {}", info.name, what);
  };
  if (!info.dimensions.empty() && !contains(info.dimensions, problem.dimension))
    return refuse(fmt::format("problems of dimension {}", problem.dimension));
  // One component per contact leaves no room for friction, and both laws agree where nothing is
  // tilted.
  if (problem.dimension > 1) {
    if (!info.friction.admits(problem.friction.kind, problem.dimension))
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

namespace {

/// What neither the solver nor its monitor do where the problem is divided over ranks.
std::string refusal_over_ranks(const SolverInfo& info, const SolveOptions& options) {
  if (!info.over_ranks)
    return fmt::format("{} does not run over ranks; those that do: {}", info.name,
                       solvers_over_ranks());
  if (options.time_limit > 0)
    return "over ranks there is no time limit: clocks differ (use max_products)";
  if (options.keep_history) return "over ranks no history is kept";
  return "";
}

/// Vectors of one solve, besides the answer.
struct Vectors {
  Vector z, subproblem_best;
};

void run_solver(Solver& solver, ScaledProblem& scaled, const SolveOptions& options,
                Monitor::Clock::time_point begin, Vectors& vectors, SolveResult& result) {
  Vector& z = vectors.z;
  z.resize(scaled.size());
  start_from(options.continue_from_result ? result.x : options.initial, scaled, z);
  // The best iterate is kept where the answer will be.
  Monitor monitor(scaled, options, {std::move(result.x), std::move(vectors.subproblem_best)},
                  begin);
  // Where zero impulses are a solution, relative errors have no meaning and no other start is
  // better.
  if (scaled.reference() == 0)
    fill(z, 0.0);
  else
    solver.run(scaled, z, monitor);

  if (!monitor.best().empty()) copy(monitor.best(), z);
  result.status = monitor.status();
  result.message = monitor.message();
  result.iterations = monitor.iterations();
  result.outer_iterations = monitor.outer_iterations();
  result.products = scaled.products();
  result.work = monitor.work();
  result.history = monitor.take_history();
  Monitor::Storage storage = monitor.take_storage();
  vectors.subproblem_best = std::move(storage.subproblem_best);
  result.x = std::move(storage.best);
  result.x.resize(scaled.size());
  scaled.to_physical(z, result.x);
}

void solve_scaled(Solver& solver, const ContactProblem& problem, const DelassusOperator& n,
                  const SolveOptions& options, ScaledProblem& scaled, Vectors& vectors,
                  SolveResult& result) {
  require_meaning(options, problem);
  if (std::string why = refusal(solver.info(), problem); !why.empty())
    return refuse(Status::unsupported, std::move(why), result);
  if (n.division())
    if (std::string why = refusal_over_ranks(solver.info(), options); !why.empty())
      return refuse(Status::unsupported, std::move(why), result);
  const auto begin = Monitor::Clock::now();
  scaled.assign(problem, n);
  if (std::string what = solver.refuses(scaled); !what.empty())
    return refuse(Status::unsupported,
                  fmt::format("{} does not solve {}", solver.info().name, what), result);
  run_solver(solver, scaled, options, begin, vectors, result);
  result.seconds = std::chrono::duration<double>(Monitor::Clock::now() - begin).count();
  scaled.release_tilt();
  scaled.release_bounds();
  judge_scaled(scaled, vectors.z, options, "the solver stopped at its tolerance", result);
  // Islands and contradictions reach over ranks, which nobody looks at as a whole.
  if (!n.division()) treat_infeasible(solver, problem, n, options, result);
}

} // namespace

struct SolveWorkspace::Data {
  std::unique_ptr<DelassusOperator> n;
  ScaledProblem scaled;
  Vectors vectors;
};

SolveWorkspace::SolveWorkspace() : data_(std::make_unique<Data>()) {}
SolveWorkspace::~SolveWorkspace() = default;
SolveWorkspace::SolveWorkspace(SolveWorkspace&&) noexcept = default;
SolveWorkspace& SolveWorkspace::operator=(SolveWorkspace&&) noexcept = default;

SolveResult solve(Solver& solver, const ContactProblem& problem, const DelassusOperator& n,
                  const SolveOptions& options) {
  SolveResult result;
  SolveWorkspace workspace;
  solve(solver, problem, n, options, workspace, result);
  return result;
}

void solve(Solver& solver, const ContactProblem& problem, const DelassusOperator& n,
           const SolveOptions& options, SolveWorkspace& workspace, SolveResult& result) {
  SolveWorkspace::Data& data = *workspace.data_;
  solve_scaled(solver, problem, n, options, data.scaled, data.vectors, result);
}

void solve(Solver& solver, const ContactProblem& problem, const SolveOptions& options,
           SolveWorkspace& workspace, SolveResult& result) {
  SolveWorkspace::Data& data = *workspace.data_;
  try {
    validate(problem);
    if (!data.n || !data.n->rebuild(problem)) data.n = make_operator(problem);
    solve_scaled(solver, problem, *data.n, options, data.scaled, data.vectors, result);
  } catch (const InvalidProblem& failure) {
    data.n.reset();
    refuse(Status::invalid_problem, failure.what(), result);
  }
}

SolveResult solve(Solver& solver, const ContactProblem& problem, const SolveOptions& options) {
  SolveResult result;
  SolveWorkspace workspace;
  solve(solver, problem, options, workspace, result);
  return result;
}

} // namespace talus
