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
// end; on large piles it restarts every other sweep, where ansgs goes on. Use it like nsgs where
// more accuracy is wanted. Cost: a sweep and a few vector passes, little more than a product.

#include "talus/solve/sweeps/extrapolated_sweep.h"

namespace talus {
namespace {

template <class Real>
class ConjugateSweep : ExtrapolatedSweep<Real> {
  using Base = ExtrapolatedSweep<Real>;

public:
  using Base::handles_moments;

  void start(const ScaledProblem& problem, std::vector<Real>& step) {
    Base::prepare(problem, step);
    last_squared_ = 0;
  }

  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) {
    rows.mark();
    const double squared = Base::sweep(rows, x, backward);
    const double ratio = last_squared_ > 0 ? squared / last_squared_ : 0.0;
    const double beta = ratio <= 1 ? ratio : 0.0;
    last_squared_ = squared;
    std::vector<Real>&r = Base::step(), &p = Base::memory();
    if (beta == 0)
      std::swap(r, p);
    else
      Base::template extrapolate<Rows::dimension>(
          x,
          [&](Index i) {
            const double along = beta * p[i];
            p[i] = static_cast<Real>(r[i] + along);
            return along;
          },
          [](Index, double) {});
    rows.extrapolate(beta, x);
    if (beta != 0) Base::apply_projection(rows);
  }

private:
  double last_squared_ = 0;
};

class Nncg : public Solver {
public:
  const SolverInfo& info() const override { return info_; }
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    runs_(problem, z, monitor);
  }

private:
  SolverInfo info_ = {.name = "nncg",
                      .summary = "nonlinear conjugate gradients over Gauss-Seidel sweeps",
                      .paper = "Silcowitz, Niebe, Erleben 2010",
                      .friction = AdmittedSets::every(),
                      .coulomb = "direct",
                      .products_per_iteration = "1",
                      .over_ranks = true};
  ExtrapolatedSweepRuns<ConjugateSweep> runs_;
};

} // namespace

std::unique_ptr<Solver> make_nncg() {
  return std::make_unique<Nncg>();
}

} // namespace talus
