// An interior-point method for Coulomb's law itself. The law is not the optimality condition of a
// convex problem, but its conditions can be followed along a central path all the same:
//
//     û − Aᵀ y = 0,   û = N z + q + σ_ε(u_t) e_n,    w = A z + a ∈ C,   y ∈ C,    w ∘ y = μ e,   μ
//     → 0
//
// with σ_ε(u_t) = mu √(|u_t|² + ε²) on the circular cone, ε proportional to μ. A step linearises
// the tilt as well, which makes the system T N + H with T = 1 + e_n ∇σᵀ unsymmetric. It is solved
// by GMRES with the symmetric factors of N + H as preconditioner: the preconditioned matrix is 1 +
// (T − 1) N (N + H)⁻¹, whose second term is bounded by the friction coefficients whatever the
// conditioning of N and H. Scaling, predictor and corrector are those of conic-ip
// (interior_point.h).
//
// Class: every set; sets that do not tilt are solved as conic-ip does. Convergence: no theory, the
// problem is not monotone and may have no solution. Methods of this class may come to rest near
// 1e-6 at points that are none; as everywhere, only the judged error counts. Where the path ends
// early, `polish` lets proximal Newton steps (prox_newton.cpp) go on from the best point. Cost of
// an iteration: a factorisation and, per system, as many solves and products as GMRES takes, about
// ten to thirty, growing with mu.

#include "talus/core/vector_ops.h"
#include "talus/solve/coulomb/convex_solver.h"
#include "talus/solve/interior_point/interior_point.h"
#include "talus/solve/newton/proximal_newton.h"

namespace talus {
namespace {

class CoulombIp : public Solver {
public:
  CoulombIp() {
    info_.name = "coulomb-ip";
    info_.summary = "interior point on Coulomb's law itself, tilt included";
    info_.paper = "after mazhar2014 sec. 5.3 and Acary, Armand, Nguyen, Shpakovych 2023";
    info_.laws = {Law::coulomb};
    info_.coulomb = "direct";
    info_.products_per_iteration = "20 to 60, and a factorisation";
  }
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    options_.visit(visitor);
    visitor.visit("polish", polish_, "go on by proximal Newton steps where the path ends");
  }

  std::string refuses(const ScaledProblem& problem) const override {
    InteriorPointOptions options = options_;
    options.tilted = problem.is_tilted();
    return InteriorPoint::refusal(problem, options);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    options_.tilted = problem.is_tilted();
    InteriorPoint path(problem, options_, factor_, monitor.stop_test());
    if (monitor.must_stop()) return;
    path.run(z, monitor);
    if (!polish_ || monitor.status() != Status::stalled || monitor.best().empty()) return;
    copy(monitor.best(), z);
    Vector u(problem.size());
    problem.velocity(z, u);
    monitor.note("polished by proximal Newton steps");
    if (!monitor.proceed(z, u)) return;
    ProximalNewton newton(problem, {}, monitor.stop_test());
    while (true) {
      const auto outcome = newton.step(z, u, monitor);
      if (outcome == ProximalNewton::Outcome::stopped) return;
      if (outcome == ProximalNewton::Outcome::failed && newton.exhausted())
        return monitor.stall("neither the central path nor Newton steps lead further");
    }
  }

private:
  SolverInfo info_;
  InteriorPointOptions options_;
  bool polish_ = true;
  SymmetricFactor factor_; ///< Its symbolic analysis serves the next solve as well.
};

} // namespace

std::unique_ptr<Solver> make_coulomb_ip() {
  return std::make_unique<CoulombIp>();
}

} // namespace talus
