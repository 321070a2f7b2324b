#pragma once
// A solver that solves joints exactly and leaves contacts, limits and motors to another.
//
// Gauss-Seidel and gradient methods need many iterations to carry forces along a mechanism of stiff
// joints (lever arms, chains, closed loops); on the reduced problem (joint_elimination.h) they need
// none. Contacts that would open anyway are left out of it until their velocities show that they
// take part. The answer is judged on the whole problem, with all rows, and `converged` means that.
// Iterations, products and work are those on the reduced problem.

#include "talus/solve/solver.h"

namespace talus {

class JointElimination;

/// True if the problem is rigid and has rows to eliminate.
bool has_free_rows(const ContactProblem& problem);

class JointEliminatingSolver : public Solver {
public:
  /// `inner` solves the reduced problems, and those without joints as they are.
  explicit JointEliminatingSolver(std::shared_ptr<Solver> inner) : inner_(std::move(inner)) {}

  const SolverInfo& info() const override { return inner_->info(); }
  void visit_options(OptionVisitor& visitor) override { inner_->visit_options(visitor); }
  std::string details() override { return inner_->details(); }
  std::string refuses(const ScaledProblem& problem) const override;
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override;

private:
  JointElimination& eliminate(const ScaledProblem& problem, Monitor& monitor);

  std::shared_ptr<Solver> inner_;
  /// Of the last problem. Steps solve several that differ in offsets alone (close_joints() in
  /// step/assembly/joint_closing.h).
  std::shared_ptr<JointElimination> elimination_;
  SolveWorkspace workspace_; ///< Of reduced problems.
  SolveResult reduced_;
};

} // namespace talus
