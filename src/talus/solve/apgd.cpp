// Accelerated projected gradient descent (Nesterov) with adaptive restart: the method mazhar2014
// calls APGD, whose algorithm is in Mazhar, Heyn, Negrut, Tasora, "Using Nesterov's method to
// accelerate multibody dynamics with friction and contact", ACM TOG 2015.
//
//     z⁺ = Π_K(y - g(y)/L),  θ⁺² = (1 - θ⁺) θ²,  β = θ(1-θ)/(θ² + θ⁺),  y = z⁺ + β (z⁺ - z)
//
// g(y) = N y + q follows from the products with z⁺ and z by linearity, so an accepted iteration
// costs one product. L is an estimate of the largest curvature, raised when (z⁺-y)'N(z⁺-y) > L
// |z⁺-y|², and lowered slowly otherwise. The momentum restarts when g(y)'(z⁺ - z) > 0 (O'Donoghue &
// Candès 2015). The objective falls like 1/k²; with restarts the error falls linearly in practice,
// at the square root of the condition number. Use it for large packings and accuracies below 1e-3.
// Class: convex problems, every set; Coulomb's law by the fixed point on tilts.

#include "talus/core/vector_ops.h"
#include "talus/solve/convex_solver.h"

#include <cmath>

namespace talus {
namespace {

class Apgd : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("restart", restart_, "drop the momentum when it points uphill");
    visitor.visit("shrink", shrink_, "factor by which L falls after an accepted step");
    visitor.visit("grow", grow_, "factor by which L rises when a step was too long");
    ConvexSolver::visit_options(visitor);
  }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    const Index n = problem.size();
    Vector next(n), y(n), nz(n), n_next(n), ny(n), g(n), difference(n), n_difference(n);
    double curvature = problem.largest_eigenvalue(power_iterations);
    if (!(curvature > 0)) curvature = 1;
    double theta = 1;
    problem.product(z, nz);
    copy(z, y);
    copy(nz, ny);
    combine(1.0, nz, 1.0, problem.free_velocity(), g);
    copy(g, u_of_z(n));
    while (monitor.proceed(z, u_)) {
      while (true) {
        problem.project_step(y, 1 / curvature, g, next);
        problem.product(next, n_next);
        combine(1.0, next, -1.0, y, difference);
        combine(1.0, n_next, -1.0, ny, n_difference);
        const double length = dot(difference, difference);
        // Rounding decides the comparison for tiny steps: then the step is accepted.
        if (dot(difference, n_difference) <= (1 + 1e-10) * curvature * length || length < tiny(y))
          break;
        curvature *= grow_;
      }
      // g(y)'(z⁺ - z), and z⁺ - z itself for the momentum.
      combine(1.0, next, -1.0, z, difference);
      if (restart_ && dot(g, difference) > 0) {
        theta = 1;
        monitor.note("restart");
      }
      const double theta_next = 0.5 * theta * (std::sqrt(theta * theta + 4) - theta);
      const double beta = theta * (1 - theta) / (theta * theta + theta_next);
      theta = theta_next;
      combine(1 + beta, n_next, -beta, nz, ny);
      axpy(beta, difference, (copy(next, y), Span(y)));
      combine(1.0, ny, 1.0, problem.free_velocity(), g);
      copy(next, z);
      std::swap(nz, n_next);
      combine(1.0, nz, 1.0, problem.free_velocity(), u_);
      curvature *= shrink_;
    }
  }

private:
  static constexpr int power_iterations = 10;

  static double tiny(ConstSpan y) {
    constexpr double epsilon = 1e-14;
    return epsilon * epsilon * dot(y, y);
  }
  Span u_of_z(Index n) {
    u_.resize(n);
    return u_;
  }

  SolverInfo info_ = convex_info("apgd", "accelerated projected gradient with restart",
                                 "mazhar2014 (algorithm: Mazhar et al. 2015)", "1");
  bool restart_ = true;
  double shrink_ = 0.98, grow_ = 2.0;
  Vector u_;
};

} // namespace

std::unique_ptr<Solver> make_apgd() {
  return std::make_unique<Apgd>();
}

} // namespace talus
