// Projected gradient descent, preclik2009 Algorithm 1:
//
//     r = -(A x + b),   p = proj_T(x)(r),   α = r'p / p'A p,   x ← proj_F(x + α p)
//
// T is the tangent cone of the admissible set at x: the descent direction is projected on it, so
// that an exact line search along it makes sense. What the paper leaves out: the final projection
// can spoil the decrease where constraints become active, so α is halved a few times; and beside
// constraints that are nearly active every decrease along p can be too short (jamming), so the
// search then follows the arc proj_F(x + α r), which cannot jam.
//
// Class: convex problems, every set; Coulomb's law by the fixed point on tilts. Converges like
// steepest descent, at the condition number. Use it as the reference for cpg. Cost: the product A
// p, and one more for each trial that the projection moved.

#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/tangent_cone.h"
#include "talus/solve/coulomb/convex_solver.h"

namespace talus {
namespace {

class Pgd : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    const Index n = problem.size();
    Vector u(n), p(n), np(n), trial(n), next(n), u_next(n);
    problem.velocity(z, u);
    while (monitor.proceed(z, u)) {
      combine(-1.0, u, 0.0, u, p);
      project_on_tangent_cone(problem, z, p, p);
      problem.product(p, np);
      const double descent = -problem.dot(u, p), curvature = problem.dot(p, np);
      // f(next) - f(z) = ½ (u + u_next)·(next - z): exact for a quadratic, without cancellation.
      const auto change = [&] {
        combine(1.0, next, -1.0, z, trial);
        return 0.5 * (problem.dot(u, trial) + problem.dot(u_next, trial));
      };
      bool decreased = false;
      double alpha = descent / curvature;
      for (int k = 0; k < tangent_trials && !decreased && alpha > 0; ++k, alpha *= 0.5) {
        combine(1.0, z, alpha, p, trial);
        problem.project(trial, next);
        if (problem.distance(trial, next) == 0)
          combine(1.0, u, alpha, np, u_next);
        else
          problem.velocity(next, u_next);
        // At least a tenth of what the straight step would have gained.
        decreased = change() <= -0.1 * 0.5 * alpha * descent;
      }
      double arc = 1; // the mean diagonal entry of the scaled N is 1
      for (int k = 0; k < arc_trials && !decreased; ++k, arc *= 0.5) {
        problem.project_step(z, arc, u, next);
        problem.velocity(next, u_next);
        decreased = change() < 0;
      }
      if (!decreased) return monitor.stall("no step decreases the objective");
      copy(next, z);
      std::swap(u, u_next);
    }
  }

private:
  static constexpr int tangent_trials = 4, arc_trials = 40;

  SolverInfo info_ =
      running_over_ranks(convex_info("pgd", "projected gradient descent with exact line search",
                                     "preclik2009 Algorithm 1", "1 to 2"));
};

} // namespace

std::unique_ptr<Solver> make_pgd() {
  return std::make_unique<Pgd>();
}

} // namespace talus
