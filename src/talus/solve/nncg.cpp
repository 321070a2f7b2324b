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
// end. Use it like nsgs where more accuracy is wanted. Cost: a sweep and a restart of the rows,
// about two products.

#include "talus/core/vector_ops.h"
#include "talus/solve/accelerated_sweep.h"
#include "talus/solve/contact_sweep.h"

namespace talus {
namespace {

/// The conjugate step after a sweep.
class FletcherReeves {
public:
  explicit FletcherReeves(Index size) : step_(size), direction_(size, 0.0) {}

  void advance(ConstSpan x, ConstSpan swept, Span next) {
    combine(1.0, swept, -1.0, x, step_);
    const double squared = dot(step_, step_);
    const double beta = last_squared_ > 0 ? squared / last_squared_ : 0.0;
    last_squared_ = squared;
    copy(swept, next);
    if (beta > 1 || beta == 0) return copy(step_, direction_);
    axpy(beta, direction_, next);
    combine(1.0, step_, beta, direction_, direction_);
  }

private:
  Vector step_, direction_;
  double last_squared_ = 0;
};

class Nncg : public Solver {
public:
  const SolverInfo& info() const override { return info_; }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    constexpr SweepOrder order = SweepOrder::forward;
    ContactSweep sweep(problem);
    AcceleratedSweep conjugate(problem, order, sweep, FletcherReeves(problem.size()));
    SweepRows rows = problem.delassus().rows();
    std::visit([&](auto& concrete) { run_sweeps(concrete, problem, z, monitor, order, conjugate); },
               rows);
  }

private:
  SolverInfo info_ = {.name = "nncg",
                      .summary = "nonlinear conjugate gradients over Gauss-Seidel sweeps",
                      .paper = "Silcowitz, Niebe, Erleben 2010",
                      .coulomb = "direct",
                      .products_per_iteration = "2"};
};

} // namespace

std::unique_ptr<Solver> make_nncg() {
  return std::make_unique<Nncg>();
}

} // namespace talus
