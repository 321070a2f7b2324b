// Projected gradient descent, preclik2009 Algorithm 1:
//
//     r = -(A x + b),   p = proj_T(x)(r),   α = r'p / p'A p,   x ← proj_F(x + α p)
//
// T is the tangent cone of the admissible set at x: the descent direction is projected on it, so
// that an exact line search along it makes sense. Converges like steepest descent, at the condition
// number; it is the reference for CPG. Cost: the product A p, and one more when the final
// projection moved the iterate.

#include "talus/core/vector_ops.h"
#include "talus/problem/tangent_cone.h"
#include "talus/solve/convex_solver.h"

namespace talus {
namespace {

class Pgd : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    const Index n = problem.size();
    Vector u(n), p(n), np(n), trial(n);
    problem.velocity(z, u);
    while (monitor.proceed(z, u)) {
      combine(-1.0, u, 0.0, u, p);
      project_on_tangent_cone(problem, z, p, p);
      problem.product(p, np);
      const double descent = -dot(u, p), curvature = dot(p, np);
      if (!(descent > 0) || !(curvature > 0)) return monitor.stall("no descent direction is left");
      const double alpha = descent / curvature;
      combine(1.0, z, alpha, p, trial);
      problem.project(trial, z);
      if (distance(trial, z) == 0)
        axpy(alpha, np, u);
      else
        problem.velocity(z, u);
    }
  }

private:
  SolverInfo info_ = convex_info("pgd", "projected gradient descent with exact line search",
                                 "preclik2009 Algorithm 1", "1 to 2");
};

} // namespace

std::unique_ptr<Solver> make_pgd() {
  return std::make_unique<Pgd>();
}

} // namespace talus
