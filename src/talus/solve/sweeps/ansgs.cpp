// Accelerated nonsmooth Gauss-Seidel: Nesterov's extrapolation over sweeps,
//
//     g_k = GS(y_k),   y_{k+1} = P_K(g_k + β_k (g_k - g_{k-1})),
//     β_k = min((k - 1) / (k + 2), 0.85),
//
// beginning anew (k = 1, so β = 0) when the step of a sweep points against the last change,
// (g_k - y_k)·(g_k - g_{k-1}) < 0 in scaled variables: the restart of O'Donoghue and Candès
// ("Adaptive restart for accelerated gradient schemes", 2015), with the step in place of the
// negative gradient.
//
// A sweep is not the gradient of anything: its linear part is not symmetric, and with β up to 1
// iterates swing up. With the bound they do not, on any pile that was tried, and errors fall
// smoothly, to 1e-4 at least; a bound of 0.9 is slower at first and faster after hundreds of
// sweeps. Later, and elsewhere, a few contacts can keep turning between sliding and sticking. Once
// the squared steps have grown tenfold or not shrunk for many sweeps, a step that is longer than
// the one before makes a new beginning, too. Each time that they do not shrink the bound is halved,
// in the end to 0, and then, as by nsgs, the relaxation of the contacts lowered.
//
// The sweep is that of nsgs, so every friction set and both laws are solved directly. No
// convergence theory. The method of choice for piles, cold and warm: from nothing to 1e-3 it takes
// 0.7 (1000 contacts) to 0.25 times (28,000) the sweeps of nncg (docs/theory/sweeps.md). Cost: a
// sweep and a few vector passes, little more than a product.

#include "talus/solve/sweeps/extrapolated_sweep.h"

#include <limits>
#include <utility>

namespace talus {
namespace {

template <class Real>
class AcceleratedSweeps : ExtrapolatedSweep<Real> {
  using Base = ExtrapolatedSweep<Real>;

public:
  void start(const ScaledProblem& problem, std::vector<Real>& step, double momentum) {
    Base::prepare(problem, step);
    momentum_ = momentum;
    omega_ = 1;
    sweeps_ = waiting_ = 0;
    unstable_ = false;
    milestone_ = last_squared_ = std::numeric_limits<double>::infinity();
  }

  /// The memory holds e = y_k - g_{k-1}, so that g_k - g_{k-1} = r + e.
  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) {
    const bool longer = is_too_long(Base::sweep(rows, x, backward));
    // The first sweep has nothing to compare with.
    if (++sweeps_ > 1 && (longer || !rows.can_leap() || !points_onward<Rows::dimension>()))
      sweeps_ = 1;
    const double k = static_cast<double>(sweeps_), beta = std::min((k - 1) / (k + 2), momentum_);
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

  /// Of the step's squared length, where steps do not shrink as they should.
  bool is_too_long(double squared) {
    const bool longer = squared > std::exchange(last_squared_, squared);
    unstable_ |= squared > 10 * milestone_;
    if (squared < milestone_) {
      milestone_ = squared;
      waiting_ = 0;
    } else if (++waiting_ > (unstable_ ? 30 : 150)) {
      unstable_ = true;
      waiting_ = 0;
      calm_down();
    }
    return unstable_ && longer;
  }
  void calm_down() {
    if (momentum_ == 0 && omega_ > 0.5) Base::relax(omega_ *= 0.9);
    momentum_ = momentum_ > 0.1 ? 0.5 * momentum_ : 0;
  }

  /// r·(r + e) >= 0.
  template <int d>
  bool points_onward() {
    const ScaledProblem& problem = Base::problem();
    const std::vector<Real>&r = Base::step(), &e = Base::memory();
    const auto product = [&](Index i) { return double{r[i]} * (double{r[i]} + e[i]); };
    double sum = parallel_sum(problem.contacts(), [&](Index begin, Index end) {
      double part = 0;
      for (Index c = begin; c < end; ++c) {
        const double s = problem.scale()[c];
        for (int i = 0; i < d; ++i) part += product(d * c + i) / (s * s);
      }
      return part;
    });
    for (Index j = 0; j < problem.equalities(); ++j) {
      const double s = problem.scale()[problem.contacts() + j];
      sum += product(d * problem.contacts() + j) / (s * s);
    }
    return sum >= 0;
  }

  double momentum_ = 0, omega_ = 1;
  long sweeps_ = 0; ///< Since the last beginning.
  double last_squared_ = 0;
  double milestone_ = 0; ///< The shortest squared step, `waiting_` sweeps ago.
  long waiting_ = 0;
  bool unstable_ = false;
};

class Ansgs : public Solver {
public:
  const SolverInfo& info() const override { return info_; }
  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("momentum", momentum_, Range::between(0, 0.99),
                  "largest share of a change that goes on");
  }
  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    runs_(problem, z, monitor, momentum_);
  }

private:
  SolverInfo info_ = {.name = "ansgs",
                      .summary = "Gauss-Seidel sweeps with Nesterov's extrapolation",
                      .paper = "this project",
                      .coulomb = "direct",
                      .products_per_iteration = "1"};
  double momentum_ = 0.85;
  ExtrapolatedSweepRuns<AcceleratedSweeps> runs_;
};

} // namespace

std::unique_ptr<Solver> make_ansgs() {
  return std::make_unique<Ansgs>();
}

} // namespace talus
