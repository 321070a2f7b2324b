#pragma once
// GPMINRES, gradient projected minimum residual (heyn2013 sec. 4, eqs. 13-20; after Moré, Toraldo
// 1991 with conjugate gradients replaced by MINRES because N is only semidefinite).
//
// Two phases alternate. Projected gradient steps along Π(γ - α ∇q) find a face of the set; they end
// when the face stays (eq. 17) or the decrease becomes sluggish (eq. 18). Then MINRES minimises the
// residual on the free variables of that face until its own decrease becomes sluggish (eq. 20), and
// a backtracking search along the projected path Π(γ + α d) takes the step. While the active
// variables are also the binding ones, the face may be the right one: MINRES then goes on with a
// smaller η₂ and twice as many steps, without a gradient phase in between.
//
// MINRES is written as the conjugate residual method, its equal for semidefinite matrices, whose
// vectors give the objective and the full N d without further products. Friction: discs are treated
// as free_set.h says, Coulomb's law by the fixed point on the bounds.
//
// Class: convex problems on separable sets, symmetric N. Every accepted step decreases the
// objective; finite termination is proved for definite N (Burke, Moré 1994) and observed otherwise.
// Cost: one product per MINRES step, one or two per gradient step and one per trial of a search
// that met a bound. Use it for frictionless and heavily loaded problems at high accuracy.

#include "talus/solve/active_set/free_set.h"
#include "talus/solve/coulomb/separable_solver.h"

namespace talus {

class GpMinres : public SeparableSolver {
public:
  GpMinres();
  void visit_options(OptionVisitor& visitor) override;
  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override;

protected:
  GpMinres(std::string name, std::string summary);

  /// Called before each MINRES phase with the face it works on.
  virtual void prepare_preconditioner(const FreeSet& free);
  /// y ≈ A⁻¹ x for the free block A; symmetric positive definite on the face, y in the face.
  virtual void precondition(ConstSpan x, Span y) const;

  int krylov_steps_ = 10;

private:
  struct State;
  bool gradient_phase(State& s, Monitor& monitor) const;
  bool krylov_phase(State& s, Monitor& monitor, double eta, int steps);
  void search(State& s, double alpha, bool along_gradient) const;

  double eta1_ = 0.25, eta2_ = 0.1, armijo_ = 0.01;
};

} // namespace talus
