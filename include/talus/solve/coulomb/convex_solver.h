#pragma once
// Solvers of the convex problem  min ½ z'Nz + q'z, z ∈ K  and how they reach Coulomb's law.
//
// Coulomb's law is not the optimality condition of any convex problem, but it is a fixed point of
// them: with the tilt s_c = σ(u_t) of every contact held fixed, the problem is convex with normal
// free velocities raised by s (mazhar2014 sec. 4.3, eqs. 26-27 with the sign that cancels the
// relaxation; Acary, Cadoux, Lemaréchal, Malick 2011). The outer loop solves it inexactly,
// warm-started from the last answer, and moves s towards the tilt of the new velocities. Taking the
// new tilt over whole lets sphere packings fall into a cycle of two tilts; a share of 0.8 does not.

#include "talus/solve/monitor.h"

namespace talus {

class ConvexSolver : public Solver {
public:
  /// One convex solve, or the fixed point when the law tilts velocities.
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override;

  /// Minimises from z ∈ K until the monitor says stop.
  virtual void minimise(ScaledProblem& problem, Span z, Monitor& monitor) = 0;

  void visit_options(OptionVisitor& visitor) override;

protected:
  /// What all convex solvers have in common: both laws, every set of the plane and of space unless
  /// told otherwise, joints, warm starts.
  static SolverInfo convex_info(std::string name, std::string summary, std::string paper,
                                std::string products, AdmittedSets sets = {});

private:
  void run_fixed_point(ScaledProblem& problem, Span z, Monitor& monitor);

  double inner_reduction_ = 0.3;
  double relaxation_ = 0.8;
  Vector u_, tilt_, target_; ///< Work space of the fixed point.
};

} // namespace talus
