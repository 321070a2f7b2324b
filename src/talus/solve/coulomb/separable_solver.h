#pragma once
// Solvers of  min ½ z'Nz + q'z  over a product of half-lines and fixed cross sections (none, box,
// prism, cylinder; every set in the plane), and how they reach Coulomb's law: through the fixed
// point on the bounds. On a cone-shaped set they solve Coulomb's law alone.

#include "talus/solve/coulomb/bound_fixed_point.h"

namespace talus {

class SeparableSolver : public Solver {
public:
  const SolverInfo& info() const final { return info_; }

  /// One convex solve, or the fixed point on the bounds when they follow the normal impulse.
  void run(ScaledProblem& problem, Span z, Monitor& monitor) final {
    prepare(problem);
    fixed_point_.run(problem, z, monitor, [&] { minimise(problem, z, monitor); });
  }

  /// Called once per solve, before any subproblem.
  virtual void prepare(const ScaledProblem& problem) { (void)problem; }

  /// Minimises from z ∈ K until the monitor says stop.
  virtual void minimise(ScaledProblem& problem, Span z, Monitor& monitor) = 0;

  void visit_options(OptionVisitor& visitor) override { fixed_point_.visit_options(visitor); }

protected:
  SeparableSolver(std::string name, std::string summary, std::string paper, std::string products)
      : info_{.name = std::move(name),
              .summary = std::move(summary),
              .paper = std::move(paper),
              .laws = {Law::coulomb},
              .coulomb = "fixed point",
              .products_per_iteration = std::move(products)} {}

  void run_over_ranks() { info_.over_ranks = true; }

private:
  SolverInfo info_;
  BoundFixedPoint fixed_point_;
};

} // namespace talus
