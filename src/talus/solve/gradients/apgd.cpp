// Accelerated projected gradient descent (Nesterov) with adaptive restart: the method mazhar2014
// calls APGD, whose algorithm is in Mazhar, Heyn, Negrut, Tasora, "Using Nesterov's method to
// accelerate multibody dynamics with friction and contact", ACM TOG 2015.
//
//     z⁺ = Π_K(y - g(y)/L),  θ⁺² = (1 - θ⁺) θ²,  β = θ(1-θ)/(θ² + θ⁺),  y = z⁺ + β (z⁺ - z)
//
// g(y) = N y + q follows from the velocities at z⁺ and z by linearity, so an accepted iteration
// costs one product. L is an estimate of the largest curvature, raised when (z⁺-y)'N(z⁺-y) > L
// |z⁺-y|², and lowered slowly otherwise. The momentum restarts when g(y)'(z⁺ - z) > 0 (O'Donoghue &
// Candès 2015). The objective falls like 1/k²; with restarts the error falls linearly in practice,
// at the square root of the condition number. Use it for large packings and accuracies below 1e-3.
// Class: convex problems, every set; Coulomb's law by the fixed point on tilts.
//
// An iteration reads memory three times (nesterov_gradient_step.h): y, g(y) and z⁺ in one pass
// over the contacts; the bodies' gathering of impulses; and the product's pass over the contacts,
// which also makes all inner products and the error.

#include "talus/core/vector_ops.h"
#include "talus/solve/coulomb/convex_solver.h"
#include "talus/solve/gradients/nesterov_gradient_step.h"

#include <cmath>

namespace talus {
namespace {

class Apgd : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("restart", restart_, "drop the momentum when it points uphill");
    visitor.visit("shrink", shrink_, Range::share(),
                  "factor by which L falls after an accepted step");
    visitor.visit("grow", grow_, Range::above(1),
                  "factor by which L rises when a step was too long");
    ConvexSolver::visit_options(visitor);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    iterates_.begin(z);
    // One power iteration is low, which costs a rejected step or two; a good estimate would cost
    // ten products.
    curvature_ = first_curvature(problem, 1, iterates_.last.z, iterates_.next.z);
    ConvexSolver::run(problem, z, monitor);
  }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    iterates_.begin(z);
    Iterate &last = iterates_.last, &now = iterates_.now, &next = iterates_.next;
    problem.velocity(now.z, now.u);
    copy(now.z, last.z);
    copy(now.u, last.u);
    double theta = 1, beta = 0;
    const double reference = problem.reference() > 0 ? problem.reference() : 1.0;
    const bool measured = monitor.measures_plain_residual();
    bool goes_on = monitor.proceed(now.z, now.u);
    while (goes_on) {
      const StepSums sums =
          take_step(problem, {now, last, beta, {}}, true, grow_, curvature_, next);
      if (restart_ && sums.ascent > 0) {
        theta = 1;
        monitor.note("restart");
      }
      const double theta_next = 0.5 * theta * (std::sqrt(theta * theta + 4) - theta);
      beta = theta * (1 - theta) / (theta * theta + theta_next);
      theta = theta_next;
      curvature_ *= shrink_;
      iterates_.advance();
      goes_on = measured ? monitor.proceed(now.z, now.u, std::sqrt(sums.residual) / reference)
                         : monitor.proceed(now.z, now.u);
    }
    iterates_.end(z);
  }

private:
  SolverInfo info_ = running_over_ranks(
      convex_info("apgd", "accelerated projected gradient with restart",
                  "mazhar2014 (algorithm: Mazhar et al. 2015)", "1", AdmittedSets::every()));
  bool restart_ = true;
  double shrink_ = 0.98, grow_ = 2.0;
  Iterates iterates_;
  double curvature_ = 1; ///< L, kept between the convex problems of one run.
};

} // namespace

std::unique_ptr<Solver> make_apgd() {
  return std::make_unique<Apgd>();
}

} // namespace talus
