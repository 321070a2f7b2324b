// Accelerated projected gradients on Coulomb's law itself: the iteration of apgd with the tilted
// velocity û = N y + q + s e_n in place of the gradient, where s follows Coulomb's tilt σ(u_t) from
// iteration to iteration instead of being held fixed while a convex problem is solved:
//
//     z⁺ = Π_K(y − û(y)/L),    s⁺ = s + α (σ(u_t(z⁺)) − s),    y = z⁺ + β (z⁺ − z)
//
// A fixed point satisfies the exact law. û is not the gradient of anything, and momentum that is
// harmless to a convex problem feeds oscillations between tilts and impulses. They show as an error
// that rises again. Where it has risen by `rise` over its least value since the last restart, the
// momentum restarts, and θ, from which β follows, is kept above `caution` times its value there;
// the bound is forgotten slowly. Otherwise as apgd: L is raised when a step is too long, and the
// momentum restarts when û'(z⁺ − z) > 0.
//
// Some problems end in a cycle all the same. When the error has not fallen clearly for an eighth of
// all iterations, the method starts again from the best iterate with twice the caution; after three
// such attempts apgd goes on, by convex problems with fixed tilts.
//
// Class: Coulomb's law on every set, and joints. Convergence: no theorem, and large piles may stall
// (docs/theory/growth.md). Where it converges it takes between a third and a quarter of the
// products of apgd's fixed point on lattices of spheres (growth_bench). Cost of an iteration: one
// product and a pass over the contacts, as apgd (nesterov_gradient_step.h).

#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/gradients/nesterov_gradient_step.h"
#include "talus/solve/monitor.h"
#include "talus/solve/registry.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// θ of Nesterov's sequence, which gives the momentum β, bounded below by what proved unstable.
class Momentum {
public:
  Momentum(double rise, double caution) : rise_(rise), caution_(caution) {}

  double beta() const { return beta_; }

  /// After a step that left the error at `error`; answers whether the momentum restarts.
  bool advance(double error, bool uphill) {
    least_error_ = std::min(least_error_, error);
    const bool rose = error > rise_ * least_error_;
    if (rose) floor_ = std::clamp(caution_ * theta_, floor_, largest_floor);
    if (rose || uphill) {
      theta_ = 1;
      least_error_ = error;
    } else {
      floor_ *= forgetting;
    }
    theta_ = std::max(theta_, floor_);
    const double next = 0.5 * theta_ * (std::sqrt(theta_ * theta_ + 4) - theta_);
    beta_ = theta_ * (1 - theta_) / (theta_ * theta_ + next);
    theta_ = next;
    return rose || uphill;
  }

private:
  static constexpr double largest_floor = 0.1, forgetting = 0.9997;
  double rise_, caution_;
  double theta_ = 1, beta_ = 0, floor_ = 0, least_error_ = HUGE_VAL;
};

/// Whether the error still falls.
class Progress {
public:
  explicit Progress(long first_iteration) : milestone_(first_iteration) {}

  bool goes_on(long iteration, double error) {
    if (error < clear_progress * milestone_error_) {
      milestone_error_ = error;
      milestone_ = iteration;
    }
    return iteration - milestone_ <= std::max(patience, iteration / 8);
  }

private:
  static constexpr double clear_progress = 0.8;
  static constexpr long patience = 500;
  double milestone_error_ = HUGE_VAL;
  long milestone_;
};

class CoulombApgd : public Solver {
public:
  CoulombApgd() {
    info_.name = "coulomb-apgd";
    info_.summary = "accelerated projected gradient on Coulomb's law itself, tilt included";
    info_.paper = "this project, after Mazhar et al. 2015 and De Saxcé, Feng 1998";
    info_.laws = {Law::coulomb};
    info_.friction = AdmittedSets::every();
    info_.coulomb = "direct";
    info_.products_per_iteration = "1";
    info_.over_ranks = true;
  }
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("tilt_relaxation", relaxation_, Range::share(),
                  "share of the new tilt that is taken over in an iteration");
    visitor.visit("rise", rise_, Range::at_least(1),
                  "growth of the error that restarts the momentum");
    visitor.visit("caution", caution_, Range::above(0),
                  "bound of θ after such a restart, over its value there");
    visitor.visit("shrink", shrink_, Range::share(),
                  "factor by which L falls after an accepted step");
    visitor.visit("grow", grow_, Range::above(1),
                  "factor by which L rises when a step was too long");
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    double caution = caution_;
    for (int attempt = 0; attempt < most_attempts; ++attempt, caution *= 2) {
      if (follow_tilts(problem, caution, z, monitor)) return;
      copy(monitor.best(), z);
      monitor.note("the error no longer falls");
    }
    monitor.note("convex problems with fixed tilts");
    iterates_.release_memory(); // apgd has its own
    make_solver("apgd")->run(problem, z, monitor);
  }

private:
  static constexpr int power_iterations = 10, most_attempts = 3;

  /// False when the error no longer falls and the monitor would go on.
  bool follow_tilts(ScaledProblem& problem, double caution, Span z, Monitor& monitor) {
    iterates_.begin(z);
    Iterate &last = iterates_.last, &now = iterates_.now, &next = iterates_.next;
    tilt_.resize(problem.contacts());
    double curvature = first_curvature(problem, power_iterations, last.z, next.z);
    Momentum momentum(rise_, caution);
    Progress progress(monitor.iterations());
    problem.velocity(now.z, now.u);
    copy(now.z, last.z);
    copy(now.u, last.u);
    problem.tilts(now.u, tilt_);
    const double reference = problem.reference() > 0 ? problem.reference() : 1.0;
    const bool measured = monitor.options().measure == Measure::talus && !problem.is_frozen();
    bool goes_on = monitor.proceed(now.z, now.u);
    while (goes_on) {
      if (problem.is_tilted() && !progress.goes_on(monitor.iterations(), monitor.error()))
        return false;
      const StepSums sums = take_step(problem, {now, last, momentum.beta(), tilt_},
                                      problem.is_frozen(), grow_, curvature, next);
      if (momentum.advance(monitor.error(), sums.ascent > 0)) monitor.note("restart");
      relax_tilts(problem, next.u);
      curvature *= shrink_;
      iterates_.advance();
      goes_on = measured ? monitor.proceed(now.z, now.u, std::sqrt(sums.residual) / reference)
                         : monitor.proceed(now.z, now.u);
    }
    iterates_.end(z);
    return true;
  }

  /// Each tilt moves towards σ(u_t).
  void relax_tilts(const ScaledProblem& problem, ConstSpan u) {
    const int d = problem.dimension();
    parallel_for(
        problem.contacts(),
        [&](Index begin, Index end) {
          for (Index c = begin; c < end; ++c)
            tilt_[c] += relaxation_ * (tilt(problem.own_set(c), &u[d * c]) - tilt_[c]);
        },
        DelassusOperator::contact_chunk);
  }

  SolverInfo info_;
  double relaxation_ = 0.5, rise_ = 1.5, caution_ = 0.7, shrink_ = 0.98, grow_ = 2.0;
  Iterates iterates_;
  Vector tilt_;
};

} // namespace

std::unique_ptr<Solver> make_coulomb_apgd() {
  return std::make_unique<CoulombApgd>();
}

} // namespace talus
