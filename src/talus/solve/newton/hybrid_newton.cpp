// Gauss-Seidel sweeps find the active set, Newton finishes: the combination preclik2009 recommends
// (sec. 3.3: Newton is slow at finding the active set, and done in a step once it is known).
//
// The sweeps are those of nsgs, the finisher is the proximal Newton of prox-newton. The method
// starts with sweeps and changes to Newton when the states of the contacts (separated, sliding,
// sticking) have settled, or when their number of sweeps is used up. It changes back when Newton
// has not halved the error for some steps, and then allows twice the sweeps. Every change is noted
// in the history with its reason.
//
// Class: every set, both laws. Convergence: that of prox-newton, from a better start. Use it where
// a step's problem has many contacts that turn out separated or sliding and high accuracy is
// wanted. Cost: a sweep is about one product; a Newton step one product and a factorisation.

#include "talus/core/vector_ops.h"
#include "talus/solve/newton/proximal_newton.h"
#include "talus/solve/sweeps/contact_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace talus {
namespace {

class HybridNewton : public Solver {
public:
  HybridNewton() { newton_.weight = 0.01; }
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("sweeps", sweeps_, Range::at_least(0),
                  "most sweeps before the first change to Newton");
    visitor.visit("settled", settled_, Range::at_least(1),
                  "sweeps in a row that keep the active set: it has settled");
    visitor.visit("unrest", unrest_, Range::between(0, 1),
                  "share of contacts that may change and still count as settled");
    visitor.visit("patience", patience_, Range::at_least(1),
                  "Newton steps without half the error before changing back");
    newton_.visit(visitor);
  }

  std::string refuses(const ScaledProblem& problem) const override {
    return ProximalNewton::refusal(problem, newton_);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Vector u(problem.size());
    problem.velocity(z, u);
    if (!monitor.proceed(z, u)) return;
    SweepRows rows = problem.delassus().rows();
    divide(rows);
    std::visit([&](auto& concrete) { alternate(concrete, problem, z, u, monitor); }, rows);
  }

private:
  enum class Sweeps { done, diverged, stopped };
  /// Sweeps that raise the error so far are worthless (N of a complementarity problem may be
  /// indefinite).
  static constexpr double divergence = 1e3;
  static constexpr long most_allowed = 1L << 40; ///< Sweeps, however often they are doubled.

  template <class Rows>
  void alternate(Rows& rows, const ScaledProblem& problem, Span z, Span u, Monitor& monitor) const {
    ContactSweep sweep;
    sweep.prepare(problem);
    std::optional<ProximalNewton> newton;
    bool sweep_again = true;
    // Sweeps and Newton steps both count iterations: the monitor ends the loop.
    for (long allowed = sweeps_;; allowed = std::min(2 * allowed, most_allowed)) {
      if (sweep_again) {
        const Sweeps outcome = sweep_until_settled(rows, sweep, problem, allowed, z, u, monitor);
        if (outcome == Sweeps::stopped) return;
        sweep_again = outcome == Sweeps::done;
      }
      if (!newton) newton.emplace(problem, newton_, monitor.stop_test());
      if (!newton_until_idle(*newton, z, u, monitor)) return;
      if (!sweep_again && newton->exhausted())
        return monitor.stall("sweeps diverge and no Newton step reduces the proximal problem");
      if (monitor.error() > monitor.best_error()) take_best(problem, monitor, z, u);
    }
  }

  static void take_best(const ScaledProblem& problem, const Monitor& monitor, Span z, Span u) {
    copy(monitor.best(), z);
    problem.velocity(z, u);
  }

  template <class Rows>
  Sweeps sweep_until_settled(Rows& rows, const ContactSweep& sweep, const ScaledProblem& problem,
                             long allowed, Span z, Span u, Monitor& monitor) const {
    constexpr long measure_every = 5;
    Vector x(problem.size());
    std::vector<signed char> states(problem.contacts(), -1);
    problem.to_operator(z, x);
    rows.reset(x);
    int calm = 0;
    for (long k = 1;; ++k) {
      sweep(rows, Span(x), false);
      problem.count_products(1);
      problem.from_operator(x, z);
      const Index changes = problem.active_set(z, states).changes;
      calm = changes <= unrest_ * problem.contacts() ? calm + 1 : 0;
      const bool settled = calm >= settled_, last = settled || k >= allowed;
      if (!monitor.count_iteration()) {
        problem.velocity(z, u);
        monitor.measure_last(z, u);
        return Sweeps::stopped;
      }
      if (!last && k % measure_every != 0 && !monitor.wants_every_iteration()) continue;
      problem.velocity(z, u);
      if (!(problem.error(z, u, Measure::talus) <= divergence)) {
        monitor.note(fmt::format("sweeps diverge after {}: Newton", k));
        take_best(problem, monitor, z, u);
        return Sweeps::diverged;
      }
      if (last)
        monitor.note(settled ? fmt::format("active set settled after {} sweeps: Newton", k)
                             : fmt::format("{} sweeps used: Newton", k));
      if (!monitor.measure(z, u)) return Sweeps::stopped;
      if (last) return Sweeps::done;
    }
  }

  /// False when the monitor ended the run.
  bool newton_until_idle(ProximalNewton& newton, Span z, Span u, Monitor& monitor) const {
    double milestone = monitor.error();
    long last_milestone = monitor.iterations();
    while (true) {
      if (newton.step(z, u, monitor) == ProximalNewton::Outcome::stopped) return false;
      if (monitor.error() <= 0.5 * milestone) {
        milestone = monitor.error();
        last_milestone = monitor.iterations();
      }
      if (monitor.iterations() - last_milestone < patience_ && !newton.exhausted()) continue;
      monitor.note(fmt::format("error not halved in {} Newton steps: sweeps",
                               monitor.iterations() - last_milestone));
      return true;
    }
  }

  SolverInfo info_ = {.name = "hybrid-newton",
                      .summary = "Gauss-Seidel until the active set settles, then proximal Newton",
                      .paper = "preclik2009 sec. 3.3",
                      .friction = AdmittedSets::every(),
                      .coulomb = "direct",
                      .products_per_iteration = "1, and a factorisation in Newton steps"};
  int sweeps_ = 50, settled_ = 5, patience_ = 20;
  double unrest_ = 0.002;
  ProximalNewtonOptions newton_;
};

} // namespace

std::unique_ptr<Solver> make_hybrid_newton() {
  return std::make_unique<HybridNewton>();
}

} // namespace talus
