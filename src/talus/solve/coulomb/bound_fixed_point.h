#pragma once
// Coulomb's law through fixed bounds: how solvers of separable sets reach cone-shaped ones.
//
// With the tangential bound of every contact held fixed (Tresca's law), a cone becomes a cylinder,
// a pyramid a box, a polyhedron a prism. These sets are products of a half-line and a cross
// section: the normal row knows nothing of friction, so their optimality conditions are Signorini's
// and maximum dissipation's. At a fixed point bound_c = mu_c r_n,c they are Coulomb's law exactly,
// with no tilt (heyn2013 sec. 6, preclik2009 sec. 2; Haslinger 1983). The associated law of a cone
// is not such a fixed point: a solver that relies on this lists Law::coulomb alone.
//
// The outer loop solves inexactly, warm-started from the last answer, and takes over the new
// bounds. The iteration contracts for moderate friction; where it cycles, `bound_relaxation` below
// 1 helps.

#include "talus/solve/monitor.h"

namespace talus {

struct BoundFixedPoint {
  double inner_reduction = 0.3; ///< A subproblem ends at this share of the current error.
  double relaxation = 1.0;      ///< Share of the new bounds that is taken over, in (0, 1].

  void visit_options(OptionVisitor& visitor);

  /// Calls solve_fixed(), which improves z until the monitor says stop: once on the problem as it
  /// is when its set has no bound that follows r_n; else on subproblems with frozen bounds until
  /// the problem itself is solved. z is in the set of the (sub)problem at every call.
  template <class SolveFixed>
  void run(ScaledProblem& problem, Span z, Monitor& monitor, SolveFixed&& solve_fixed) const {
    if (!problem.is_tilted()) return solve_fixed();
    BoundIteration iteration(*this, problem, z);
    while (iteration.begin(problem, z, monitor)) {
      solve_fixed();
      if (!iteration.end(problem, z, monitor)) break;
    }
    problem.release_bounds();
  }

private:
  /// The state of the outer loop.
  class BoundIteration {
  public:
    BoundIteration(const BoundFixedPoint& options, const ScaledProblem& problem, ConstSpan z);
    /// Freezes the current bounds and opens a subproblem; false when there is nothing left to do.
    bool begin(ScaledProblem& problem, Span z, Monitor& monitor);
    /// Closes the subproblem and takes over its bounds; false when a limit ended it.
    bool end(ScaledProblem& problem, Span z, Monitor& monitor);

  private:
    const BoundFixedPoint& options_;
    Vector bound_, u_;
    double reduction_;
    long iterations_before_ = 0;
  };
};

} // namespace talus
