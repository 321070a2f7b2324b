#include "loaded_problem.h"

#include "talus/core/error.h"
#include "talus/problem/files/problem_file.h"
#include "talus/solve/normal_estimate.h"

#include <algorithm>
#include <filesystem>

namespace talus::cli {
namespace {

void change(ContactProblem& problem, const ProblemArguments& arguments) {
  if (arguments.law) problem.law = *arguments.law;
  // On a line every friction set is the same half-line, and files come with its name, `none`.
  if (arguments.friction && problem.dimension > 1) problem.friction = *arguments.friction;
  if (arguments.mu) std::fill(problem.mu.begin(), problem.mu.end(), *arguments.mu);
}

} // namespace

LoadedProblem::LoadedProblem(const std::string& path, const ProblemArguments& arguments,
                             const std::atomic<bool>* stop)
    : path_(path), problem_(read_problem(path)) {
  change(problem_, arguments);
  make_ready(arguments.face, stop);
}

LoadedProblem::LoadedProblem(std::string name, ContactProblem problem, OperatorStorage face,
                             const std::atomic<bool>* stop)
    : path_(std::move(name)), problem_(std::move(problem)) {
  make_ready(face, stop);
}

void LoadedProblem::make_ready(OperatorStorage face, const std::atomic<bool>* stop) {
  try {
    if (has_fixed_bound(problem_.friction.kind) && problem_.normal_estimate.empty())
      problem_.normal_estimate = estimate_normal_impulses(problem_, {}, stop);
    validate(problem_);
    operator_ = make_operator(problem_, face);
  } catch (const InvalidProblem& error) {
    trouble_ = error.what();
  }
}

SolveResult LoadedProblem::solve_with(Solver& solver, const SolveOptions& options) const {
  if (trouble_.empty()) return solve(solver, problem_, *operator_, options);
  SolveResult result;
  result.status = Status::invalid_problem;
  result.message = trouble_;
  return result;
}

std::string label_of(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

} // namespace talus::cli
