#pragma once
// A problem file made ready: read, changed as the command line asks, with its operator.

#include "arguments.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/solve/solver.h"

#include <atomic>
#include <memory>
#include <string>

namespace talus::cli {

class LoadedProblem {
public:
  /// Throws FileError when the file cannot be read. A problem that was read but is contradictory,
  /// or that has no operator of the wanted face, is kept with the reason in trouble().
  /// `stop` cuts the estimate of normal impulses short that some friction sets need.
  LoadedProblem(const std::string& path, const ProblemArguments& arguments,
                const std::atomic<bool>* stop = nullptr);
  /// A problem that was made elsewhere; the name takes the place of the path.
  LoadedProblem(std::string name, ContactProblem problem, OperatorStorage face,
                const std::atomic<bool>* stop = nullptr);
  LoadedProblem(const LoadedProblem&) = delete;
  LoadedProblem& operator=(const LoadedProblem&) = delete;

  const std::string& path() const { return path_; }
  const ContactProblem& problem() const { return problem_; }
  /// Why the problem is invalid; empty if it is not.
  const std::string& trouble() const { return trouble_; }
  /// Only without trouble.
  const DelassusOperator& delassus() const { return *operator_; }

  /// Runs a solver; an invalid problem is reported in the status.
  SolveResult solve_with(Solver& solver, const SolveOptions& options) const;

private:
  void make_ready(OperatorStorage face, const std::atomic<bool>* stop);

  std::string path_;
  ContactProblem problem_;
  std::unique_ptr<DelassusOperator> operator_;
  std::string trouble_;
};

/// The file's name without folder and extension, for people.
std::string label_of(const std::string& path);

} // namespace talus::cli
