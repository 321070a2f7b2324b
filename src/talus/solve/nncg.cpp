// Nonsmooth nonlinear conjugate gradients over Gauss-Seidel sweeps (Silcowitz, Niebe, Erleben,
// "A nonsmooth nonlinear conjugate gradient method for interactive contact force problems", Visual
// Computer 2010). The step of a sweep, r = GS(x) - x, plays the negative gradient:
//
//     β = |r⁺|² / |r|²   (Fletcher-Reeves);   β > 1: restart, p = r⁺;   else x⁺ = GS(x) + β p,
//     p ← β p + r⁺
//
// The sweep is that of nsgs, so every friction set and both laws are solved directly; norms are
// those of the scaled variables, and iterates are projected back on K. No convergence theory. It
// reaches high accuracy in fewer sweeps than nsgs, with occasional erratic phases that the restarts
// end. Cost: a sweep and a restart of the rows, about two products.

#include "talus/core/vector_ops.h"
#include "talus/solve/contact_sweep.h"

namespace talus {
namespace {

/// One sweep and the conjugate step after it.
class ConjugateSweep {
public:
  explicit ConjugateSweep(const ScaledProblem& problem)
      : problem_(problem), sweep_(problem), before_(problem.size()), step_(problem.size()),
        direction_(problem.size(), 0.0) {}

  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) {
    problem_.to_scaled(x, before_);
    sweep_(rows, x, backward);
    problem_.to_scaled(x, step_);
    axpy(-1.0, before_, step_);
    const double squared = dot(step_, step_);
    const double beta = last_squared_ > 0 ? squared / last_squared_ : 0.0;
    last_squared_ = squared;
    if (beta > 1 || beta == 0) {
      copy(step_, direction_);
      return;
    }
    axpy(1.0, step_, before_);
    axpy(beta, direction_, before_);
    combine(1.0, step_, beta, direction_, direction_);
    problem_.project(before_, before_);
    problem_.to_physical(before_, x);
    rows.reset(x);
    problem_.count_products(1);
  }

private:
  const ScaledProblem& problem_;
  ContactSweep sweep_;
  Vector before_, step_, direction_;
  double last_squared_ = 0;
};

class Nncg : public Solver {
public:
  Nncg() {
    info_.name = "nncg";
    info_.summary = "nonlinear conjugate gradients over Gauss-Seidel sweeps";
    info_.paper = "Silcowitz, Niebe, Erleben 2010";
    info_.laws = {Law::associated, Law::coulomb};
    info_.friction = info_.friction_plane = {FrictionKind::none,       FrictionKind::box,
                                             FrictionKind::pyramid,    FrictionKind::prism,
                                             FrictionKind::polyhedron, FrictionKind::cylinder,
                                             FrictionKind::cone};
    info_.coulomb = "direct";
    info_.products_per_iteration = "2";
  }
  const SolverInfo& info() const override { return info_; }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    ConjugateSweep sweep(problem);
    SweepRows rows = problem.delassus().rows();
    std::visit(
        [&](auto& concrete) {
          run_sweeps(concrete, problem, z, monitor, SweepOrder::forward, sweep);
        },
        rows);
  }

private:
  SolverInfo info_;
};

} // namespace

std::unique_ptr<Solver> make_nncg() {
  return std::make_unique<Nncg>();
}

} // namespace talus
