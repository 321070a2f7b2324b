// Accelerated nonsmooth Gauss-Seidel: Nesterov's extrapolation over sweeps,
//
//     g_k = GS(y_k),   y_{k+1} = P_K(g_k + β_k (g_k - g_{k-1})),
//     β_k = min((k - 1) / (k + 2), 0.8),
//
// beginning anew when (g_k - y_k)·(g_k - g_{k-1}) < 0 in scaled variables (momentum.h). The
// contacts of a simulation under Coulomb's law on round cones, with or without moments, are visited
// in batches (batched_sweeps.h), where y_{k+1} is not projected.
//
// With the bound errors fall smoothly on piles, to 1e-4 at least; a bound of 0.9 is slower at first
// and faster after hundreds of sweeps. momentum.h says what happens where they do not.
//
// The sweep is that of nsgs, so every friction set and both laws are solved directly. No
// convergence theory. The method of choice for piles, cold and warm: from nothing to 1e-3 it takes
// 0.7 (1000 contacts) to 0.25 times (28,000) the sweeps of nncg (docs/theory/sweeps.md). Cost: a
// sweep and a few vector passes, little more than a product.

#include "talus/problem/scaled/contact_sum.h"
#include "talus/solve/batches/batched_sweeps.h"
#include "talus/solve/sweeps/extrapolated_sweep.h"

namespace talus {
namespace {

template <class Real>
class AcceleratedSweeps : ExtrapolatedSweep<Real> {
  using Base = ExtrapolatedSweep<Real>;

public:
  using Base::handles_moments;

  void start(const ScaledProblem& problem, std::vector<Real>& step, double momentum) {
    Base::prepare(problem, step);
    momentum_ = Momentum(momentum);
  }

  /// The memory holds e = y_k - g_{k-1}, so that g_k - g_{k-1} = r + e.
  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) {
    const double squared = Base::sweep(rows, x, backward);
    momentum_.observe(squared, rows.can_leap() && points_onward<Rows::dimension>());
    Base::relax(momentum_.omega());
    const double beta = momentum_.beta();
    if (beta == 0) {
      forget();
      return rows.leap(0, x);
    }
    std::vector<Real>&r = Base::step(), &e = Base::memory();
    Base::template extrapolate<Rows::dimension>(
        x,
        [&](Index i) {
          const double along = beta * (static_cast<double>(r[i]) + e[i]);
          e[i] = static_cast<Real>(along);
          return along;
        },
        [&](Index i, double change) { e[i] += static_cast<Real>(change); });
    rows.leap(beta, x);
    Base::apply_projection(rows);
  }

private:
  void forget() { std::ranges::fill(Base::memory(), Real(0)); }

  /// r·(r + e) >= 0.
  template <int d>
  bool points_onward() {
    const ScaledProblem& problem = Base::problem();
    const std::vector<Real>&r = Base::step(), &e = Base::memory();
    const auto product = [&](Index i) { return double{r[i]} * (double{r[i]} + e[i]); };
    double sum = sum_over_contacts(
        problem,
        [&](Index begin, Index end) {
          double part = 0;
          for (Index c = begin; c < end; ++c) {
            const double s = problem.scale()[c];
            for (int i = 0; i < d; ++i) part += product(d * c + i) / (s * s);
          }
          return part;
        },
        default_chunk);
    for (Index j = 0; j < problem.equalities(); ++j) {
      const double s = problem.scale()[problem.contacts() + j];
      sum += product(d * problem.contacts() + j) / (s * s);
    }
    return sum >= 0;
  }

  Momentum momentum_;
};

class Ansgs : public Solver {
public:
  const SolverInfo& info() const override { return info_; }
  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("momentum", momentum_, Range::between(0, 0.99),
                  "largest share of a change that goes on");
  }
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    if (RigidBatches<3>::admits(problem)) return batched_.run(problem, z, monitor, momentum_);
    if (RigidBatches<6>::admits(problem)) return rolling_.run(problem, z, monitor, momentum_);
    runs_(problem, z, monitor, momentum_);
  }

private:
  SolverInfo info_ = {.name = "ansgs",
                      .summary = "Gauss-Seidel sweeps with Nesterov's extrapolation",
                      .paper = "this project",
                      .friction = AdmittedSets::every(),
                      .coulomb = "direct",
                      .products_per_iteration = "1",
                      .over_ranks = true};
  double momentum_ = 0.8;
  BatchedSweeps<3> batched_;
  BatchedSweeps<6> rolling_;
  ExtrapolatedSweepRuns<AcceleratedSweeps> runs_;
};

} // namespace

std::unique_ptr<Solver> make_ansgs() {
  return std::make_unique<Ansgs>();
}

} // namespace talus
