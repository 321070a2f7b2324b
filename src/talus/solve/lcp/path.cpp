// The equations of motion with polyhedral friction as a mixed complementarity problem with bounds,
// solved by a Newton method along a smoothed path: the part that the solver PATH (Dirkse and Ferris
// 1993) plays in mazhar2014 sec. 4.4, with the relaxation (associated law) or without it (Coulomb).
//
// Unknowns are velocities, joint impulses, normal impulses, weights of friction generators and
// their multipliers (polyhedral_step.h), so that all matrices stay as sparse as the contact graph;
// the method is in mcp_newton.h. Local models have no velocities: they are solved with N itself.
//
// Class: polyhedral friction under both laws; plain and mixed linear complementarity problems.
// Convergence: global for the associated law (a monotone problem) up to regularisation. Under
// Coulomb's law the matrix has no such property; when descent ends, plain semismooth Newton steps
// are tried from there and then a path that begins further away, and after the last restart the
// message says so.
// Cost: an iteration is a sparse LU factorisation of 6 rows per body and 6 per contact (pyramid),
// and one product; typically 10 to 40 iterations whatever the size.

#include "talus/core/vector_ops.h"
#include "talus/linalg/eigen_sparse.h"
#include "talus/solve/lcp/mcp_newton.h"
#include "talus/solve/monitor.h"
#include "talus/solve/sweeps/polyhedral_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

class Path : public Solver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("smoothing", options_.smoothing, Range::above(0),
                  "first smoothing τ, relative to the residual of zero impulses");
    visitor.visit("memory", options_.memory, Range::at_least(1),
                  "steps that the non-monotone line search remembers");
    visitor.visit("restarts", restarts_, Range::at_least(0),
                  "times the path is begun anew when descent ends");
    visitor.visit("velocities", with_velocities_,
                  "keep velocities as unknowns (the equations of motion) where they are known");
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Vector u(problem.size());
    problem.velocity(z, u);
    if (!monitor.proceed(z, u)) return;
    const PolyhedralStep step = build(problem);
    McpNewton newton(step.mixed, options_, monitor.stop_test());
    for (int restart = 0;;) {
      const bool moved = newton.step();
      if (moved) {
        as_eigen(z) = step.impulses * newton.y();
        problem.velocity(z, u);
        if (!monitor.proceed(z, u)) return;
        continue;
      }
      if (monitor.must_stop()) return;
      if (++restart > restarts_) break;
      // From where descent ended without smoothing (isolated solutions have no path), then from
      // zero with more of it.
      if (restart % 2 == 1)
        newton.restart(newton.y(), 0);
      else
        newton.restart(Eigen::VectorXd::Zero(step.mixed.size()),
                       std::ldexp(options_.smoothing, std::min(restart, most_doublings)));
    }
    monitor.stall(fmt::format(
        "no Newton step reduces the residual along the smoothed path, after {} restarts",
        restarts_));
  }

private:
  static constexpr int most_doublings = 60; ///< Of the smoothing.

  PolyhedralStep build(const ScaledProblem& problem) const {
    if (with_velocities_)
      if (const auto pieces = problem.delassus().primal())
        return polyhedral_step_with_velocities(problem, *pieces);
    return polyhedral_step(problem);
  }

  SolverInfo info_ = polyhedral_info(
      "path", "smoothing Newton on the equations of motion as a mixed complementarity problem",
      "mazhar2014 sec. 4.4 (the part of PATH; Gabriel and Moré 1997)", "1 and a factorisation");
  McpNewtonOptions options_;
  int restarts_ = 4;
  bool with_velocities_ = true;
};

} // namespace

std::unique_ptr<Solver> make_path() {
  return std::make_unique<Path>();
}

} // namespace talus
