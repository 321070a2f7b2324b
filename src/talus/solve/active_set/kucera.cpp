// Kučera's method (Kučera, SIAM J. Optim. 2008; heyn2013 sec. 4, eqs. 25-29): conjugate gradients
// on the free variables, an expansion step of fixed length when they would leave the set, and a
// proportioning step that releases active variables when their share of the projected gradient is
// the larger one.
//
//     g̃ = (γ - Π(γ - α̃ g)) / α̃ = φ̃ + β̃        (free and active part; eqs. 25-27)
//     β̃'g <= Γ² φ̃'g   conjugate gradient step, or expansion γ - α_f p - α̃ φ̃
//     otherwise       proportioning γ - α̃ β̃
//
// Class: convex problems on separable sets (half-lines, intervals, discs, polygons: a point on the
// boundary of a disc is active, as in Kučera's theory), symmetric N; Coulomb's law by the fixed
// point on the bounds. Converges linearly in the condition number for definite N. Use it for
// frictionless and box problems, where the active set settles and conjugate gradients finish. Cost:
// one product for a conjugate gradient or proportioning step, two for an expansion.

#include "talus/core/vector_ops.h"
#include "talus/solve/active_set/free_set.h"
#include "talus/solve/coulomb/separable_solver.h"

#include <cmath>
#include <limits>

namespace talus {
namespace {

class Kucera : public SeparableSolver {
public:
  Kucera()
      : SeparableSolver("kucera", "conjugate gradients with expansion and proportioning",
                        "heyn2013, algorithm KUCERA", "1 to 2") {
    run_over_ranks();
  }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("proportion", gamma_, Range::above(0),
                  "Γ, how reluctantly active variables are released");
    visitor.visit("step", step_, Range::inside(0, 2), "α̃ in units of 1/|N|");
    SeparableSolver::visit_options(visitor);
  }

  void prepare(const ScaledProblem& problem) override {
    const double norm_estimate = problem.largest_eigenvalue();
    alpha_ = step_ / (norm_estimate > 0 && std::isfinite(norm_estimate) ? norm_estimate : 1.0);
  }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    const Index n = problem.size();
    Vector g(n), p(n), np(n), projected(n), phi(n), step(n);
    FreeSet free(problem, FreeSet::Boundary::fixed);
    const double alpha = alpha_;
    const auto restart = [&] { // lines 16-17, 20-21
      problem.velocity(z, g);
      free.update(z);
      free.restrict_to(g, p);
    };
    restart();
    for (long k = 1; monitor.proceed(z, g); ++k) {
      problem.project_step(z, alpha, g, step);
      combine(1 / alpha, z, -1 / alpha, step, projected);
      free.restrict_to(projected, phi);
      const double share_free = problem.dot(phi, g),
                   share_active = problem.dot(projected, g) - share_free;
      if (share_active > gamma_ * gamma_ * share_free) {
        combine(1.0, projected, -1.0, phi, projected);
        axpy(-alpha, projected, z);
        problem.project(z, z);
        monitor.note("proportioning");
        restart();
        continue;
      }
      problem.product(p, np);
      const double curvature = problem.dot(p, np), descent = problem.dot(g, p);
      const double alpha_cg =
          curvature > 0 ? descent / curvature : std::numeric_limits<double>::infinity();
      combine(-1.0, p, 0.0, p, step);
      const double alpha_f = free.longest_step(z, step);
      if (alpha_cg < alpha_f) {
        axpy(-alpha_cg, p, z);
        axpy(-alpha_cg, np, g);
        if (k % refresh == 0) problem.velocity(z, g); // forget accumulated rounding
        free.restrict_to(g, phi);
        combine(1.0, phi, -problem.dot(phi, np) / curvature, p, p);
        continue;
      }
      if (!(alpha_f < std::numeric_limits<double>::infinity()))
        return monitor.stall("the objective is unbounded below");
      monitor.note("expansion");
      axpy(-alpha_f, p, z);
      axpy(-alpha_f, np, g);
      problem.project(z, z);
      free.update(z);
      problem.project_step(z, alpha, g, step);
      combine(1.0, step, -1.0, z, step);
      free.restrict_to(step, step);
      axpy(1.0, step, z);
      problem.project(z, z);
      restart();
    }
  }

private:
  static constexpr long refresh = 100;

  double gamma_ = 1.0, step_ = 1.0;
  double alpha_ = 0; ///< α̃ of the problem at hand.
};

} // namespace

std::unique_ptr<Solver> make_kucera() {
  return std::make_unique<Kucera>();
}

} // namespace talus
