// Projected Barzilai-Borwein, in the form Chrono offers (ChSolverBB, by an author of heyn2013;
// after Birgin, Martínez, Raydan 2000).
//
// It is spg's sister (spectral_gradient.h): the same projected direction and spectral lengths, but
// the line search over the last objectives gives up after a few trials and takes what it has, and
// the length rule can be chosen. `adaptive` takes the short length when it is much shorter than the
// long one (Zhou, Gao, Dai 2006). The best iterate is the answer.
//
// Class: convex problems, every set; Coulomb's law by the fixed point on tilts. The curtailed line
// search gives up spg's convergence theory; it converges in practice, non-monotonically. Use it for
// rough answers: quick to 1e-2. Cost: one product per iteration.

#include "talus/solve/coulomb/convex_solver.h"
#include "talus/solve/gradients/spectral_gradient.h"

namespace talus {
namespace {

class Bb : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("length", length_, {"first", "second", "alternate", "adaptive"},
                  "which spectral step length: s's/s'y, s'y/y'y, both in turn, or by their ratio");
    visitor.visit("memory", search_.memory, Range::at_least(1),
                  "objective values the line search looks back on");
    visitor.visit("backtracks", search_.trials, Range::at_least(0),
                  "trials after which a step is taken as it is");
    ConvexSolver::visit_options(visitor);
  }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    spectral_gradient(problem, z, monitor, search_, [&](long j, double longer, double shorter) {
      const bool take_shorter = length_ == second || (length_ == alternate && j % 2 == 1) ||
                                (length_ == adaptive && shorter < much_shorter * longer);
      return take_shorter ? shorter : longer;
    });
  }

private:
  enum Length { first, second, alternate, adaptive };
  static constexpr double much_shorter = 0.5;

  SolverInfo info_ = running_over_ranks(
      convex_info("bb", "projected Barzilai-Borwein, as in Chrono",
                  "Barzilai, Borwein 1988; Chrono's ChSolverBB", "1", AdmittedSets::every()));
  int length_ = alternate;
  SpectralSearch search_ = {.trials = 3, .alpha_min = 1e-13, .alpha_max = 1e13};
};

} // namespace

std::unique_ptr<Solver> make_bb() {
  return std::make_unique<Bb>();
}

} // namespace talus
