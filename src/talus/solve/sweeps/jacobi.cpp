// Projected Jacobi, heyn2013 eq. 12 with the sign of the gradient corrected:
//
//     γ̃ = γ - ω B (N γ + r),   γ̂ = Π_K(γ̃),   γ ← λ γ̂ + (1 - λ) γ,      B = diag(rho)
//
// In scaled variables B is the identity, so this is a projected gradient step of length ω.
//
// Class: convex problems, every set; Coulomb's law by the fixed point on tilts. Converges for
// ω < 2 / λmax(SNS), linearly where N is definite; the paper's ω = 0.3 is kept unless 1 / λmax is
// lower. Use it as the baseline it is. Cost: one product per iteration.

#include "talus/core/vector_ops.h"
#include "talus/linalg/anderson.h"
#include "talus/solve/coulomb/convex_solver.h"

#include <algorithm>

namespace talus {
namespace {

class Jacobi : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("omega", omega_, Range::above(0), "step ω");
    visitor.visit("lambda", lambda_, Range::share(), "damping λ");
    visitor.visit("safe", safe_, "limit ω to 1/λmax, found by 20 power iterations");
    visitor.visit("anderson_memory", anderson_memory_, Range::between(0, 100),
                  "iterations that Anderson acceleration looks back on; 0: none");
    ConvexSolver::visit_options(visitor);
  }

  std::string refuses(const ScaledProblem& problem) const override {
    return problem.division() && anderson_memory_ > 0
               ? "problems divided over ranks with Anderson acceleration"
               : "";
  }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Vector u(problem.size()), step(problem.size());
    double omega = omega_;
    if (safe_) {
      const double curvature = problem.largest_eigenvalue();
      if (curvature > 0 && std::isfinite(curvature)) omega = std::min(omega, 1 / curvature);
    }
    problem.velocity(z, u);
    if (anderson_memory_ > 0) return minimise_accelerated(problem, z, u, omega, monitor);
    while (monitor.proceed(z, u)) {
      problem.project_step(z, omega, u, step);
      combine(lambda_, step, 1 - lambda_, z, z);
      problem.velocity(z, u);
    }
  }

private:
  void minimise_accelerated(ScaledProblem& problem, Span z, Span u, double omega,
                            Monitor& monitor) const {
    Vector step(problem.size()), next(problem.size());
    Anderson anderson(problem.size(), anderson_memory_);
    while (monitor.proceed(z, u)) {
      problem.project_step(z, omega, u, step);
      combine(lambda_, step, 1 - lambda_, z, step);
      if (!anderson.advance(z, step, next)) monitor.note("extrapolation undone");
      problem.project(next, z);
      problem.velocity(z, u);
    }
  }

  SolverInfo info_ = running_over_ranks(convex_info("jacobi", "projected Jacobi, the baseline",
                                                    "heyn2013 eq. 12", "1", AdmittedSets::every()));
  double omega_ = 0.3, lambda_ = 1.0;
  bool safe_ = true;
  int anderson_memory_ = 0;
};

} // namespace

std::unique_ptr<Solver> make_jacobi() {
  return std::make_unique<Jacobi>();
}

} // namespace talus
