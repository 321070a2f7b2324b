// P-SPG-FB: preconditioned spectral projected gradient with fallback (heyn2013 sec. 4).
//
// The averaged diagonal preconditioner P = diag(1/rho) is the scaling of ScaledProblem, so in its
// variables the preconditioned method is the plain one. Steps alternate between the two
// Barzilai-Borwein lengths; the line search is Grippo-Lampariello-Lucidi's (spectral_gradient.h);
// the fallback γ_FB with the smallest residual is the monitor's best iterate.
//
// Class: convex problems, every set; Coulomb's law by the fixed point on tilts. Converges to the
// minimum, non-monotonically and without a rate (Birgin, Martínez, Raydan 2000). Use it for rough
// answers: cheap and quick to 1e-2, slow below 1e-3. Cost: one product per iteration.

#include "talus/solve/coulomb/convex_solver.h"
#include "talus/solve/gradients/spectral_gradient.h"

namespace talus {
namespace {

class Spg : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("memory", search_.memory, Range::at_least(1),
                  "N_GLL, objective values the line search looks back on");
    visitor.visit("armijo", search_.armijo, Range::inside(0, 1), "ξ, sufficient decrease");
    visitor.visit("alternate", alternate_,
                  "alternate the two step lengths (false: the first alone)");
    ConvexSolver::visit_options(visitor);
  }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    spectral_gradient(problem, z, monitor, search_, [&](long j, double first, double second) {
      return alternate_ && j % 2 == 0 ? second : first;
    });
  }

private:
  SolverInfo info_ =
      running_over_ranks(convex_info("spg", "spectral projected gradient with fallback (P-SPG-FB)",
                                     "heyn2013, algorithm P-SPG-FB", "1", AdmittedSets::every()));
  SpectralSearch search_;
  bool alternate_ = true;
};

} // namespace

std::unique_ptr<Solver> make_spg() {
  return std::make_unique<Spg>();
}

} // namespace talus
