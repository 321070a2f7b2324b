// Nonsmooth nonlinear conjugate gradients over Gauss-Seidel sweeps (Silcowitz, Niebe, Erleben,
// "A nonsmooth nonlinear conjugate gradient method for interactive contact force problems", Visual
// Computer 2010). The step of a sweep, r = GS(x) - x, plays the negative gradient:
//
//     β = |r⁺|² / |r|²   (Fletcher-Reeves);   β > 1: restart, p = r⁺;   else x⁺ = GS(x) + β p,
//     p ← β p + r⁺
//
// Velocities are linear in impulses, so those of x⁺ follow from the ones before and after the sweep
// and from those of p, without a product; only where the projection on K moves a contact are its
// bodies told.
//
// The sweep is that of nsgs, so every friction set and both laws are solved directly; norms are
// those of the scaled variables, and iterates are projected back on K. No convergence theory. It
// reaches high accuracy in fewer sweeps than nsgs, with occasional erratic phases that the restarts
// end. Use it like nsgs where more accuracy is wanted. Cost: a sweep and a few vector passes,
// little more than a product.

#include "talus/core/vector_ops.h"
#include "talus/solve/contact_sweep.h"

namespace talus {
namespace {

/// A sweep and the conjugate step after it.
class ConjugateSweep {
public:
  void start(const ScaledProblem& problem) {
    problem_ = &problem;
    sweep_.prepare(problem);
    last_squared_ = 0;
    for (Vector* work : {&before_, &direction_, &scaled_, &projected_})
      work->resize(problem.size());
  }

  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) {
    copy(x, before_);
    rows.mark();
    sweep_(rows, x, backward);
    combine(1.0, x, -1.0, before_, projected_);
    problem_->to_scaled(projected_, scaled_);
    const double squared = dot(scaled_, scaled_);
    const double ratio = last_squared_ > 0 ? squared / last_squared_ : 0.0;
    const double beta = ratio <= 1 ? ratio : 0.0;
    last_squared_ = squared;
    if (beta == 0) {
      copy(projected_, direction_);
      return rows.extrapolate(beta, x);
    }
    combine(1.0, projected_, beta, direction_, direction_);
    combine(1.0, before_, 1.0, direction_, x);
    rows.extrapolate(beta, x);
    return_inside(rows, x);
  }

private:
  /// Projects x on K and tells the rows what has changed.
  template <class Rows>
  void return_inside(Rows& rows, Span x) {
    constexpr int d = Rows::dimension;
    problem_->to_scaled(x, scaled_);
    problem_->project(scaled_, projected_);
    for (Index c = 0; c < problem_->contacts(); ++c) {
      double dx[d];
      bool moved = false;
      for (int i = 0; i < d; ++i) moved |= scaled_[d * c + i] != projected_[d * c + i];
      if (!moved) continue;
      for (int i = 0; i < d; ++i) dx[i] = move(x[d * c + i], c, d * c + i);
      rows.add(c, dx);
    }
    for (Index j = 0; j < problem_->equalities(); ++j) {
      const Index i = d * problem_->contacts() + j;
      if (scaled_[i] != projected_[i]) rows.row_add(j, move(x[i], problem_->contacts() + j, i));
    }
  }
  /// Takes entry i of the projection over into x; the change.
  double move(double& x, Index block, Index i) const {
    const double old = x;
    x = problem_->scale()[block] * projected_[i];
    return x - old;
  }

  const ScaledProblem* problem_ = nullptr;
  ContactSweep sweep_;
  Vector before_, direction_, scaled_, projected_;
  double last_squared_ = 0;
};

class Nncg : public Solver {
public:
  const SolverInfo& info() const override { return info_; }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    conjugate_.start(problem);
    run_sweeps(memory_, problem, z, monitor, SweepOrder::forward, conjugate_);
  }

private:
  SolverInfo info_ = {.name = "nncg",
                      .summary = "nonlinear conjugate gradients over Gauss-Seidel sweeps",
                      .paper = "Silcowitz, Niebe, Erleben 2010",
                      .coulomb = "direct",
                      .products_per_iteration = "1"};
  ConjugateSweep conjugate_;
  SweepMemory memory_;
};

} // namespace

std::unique_ptr<Solver> make_nncg() {
  return std::make_unique<Nncg>();
}

} // namespace talus
