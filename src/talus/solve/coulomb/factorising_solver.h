#pragma once
// The shell of convex solvers that work through factorisations: an engine is made for each problem
// and serves all convex problems of the fixed point of Coulomb's law; the symbolic analysis of its
// factors outlives it, so that the next solve on the same contact graph can use it.

#include "talus/linalg/symmetric_factor.h"
#include "talus/solve/coulomb/convex_solver.h"

#include <cassert>
#include <optional>
#include <utility>

namespace talus {

/// `Options` shows itself to a visitor; `Engine` is made from (problem, options, factor), has
/// run(z, monitor) and says by refusal(problem, options) which options do not suit a problem.
template <class Engine, class Options>
class FactorisingSolver : public ConvexSolver {
public:
  explicit FactorisingSolver(SolverInfo info) : info_(std::move(info)) {}
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    options_.visit(visitor);
    ConvexSolver::visit_options(visitor);
  }

  std::string refuses(const ScaledProblem& problem) const override {
    return Engine::refusal(problem, options_);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    engine_.emplace(problem, options_, factor_, monitor.stop_test());
    if (!monitor.must_stop()) ConvexSolver::run(problem, z, monitor);
    engine_.reset();
  }

  void minimise(ScaledProblem&, Span z, Monitor& monitor) override {
    assert(engine_);
    engine_->run(z, monitor);
  }

protected:
  Options options_;

private:
  SolverInfo info_;
  SymmetricFactor factor_;
  std::optional<Engine> engine_; ///< While a problem is being solved.
};

} // namespace talus
