// Proximal-point semismooth Newton: a sequence of Newton solves of the problem with compliance ε
// added around the last iterate,
//
//     z⁺ ≈ zero of  F_ε(z) = z - P_K((z - û + ε z_k) / (1 + ε)),   u = N z + q,
//
// with the exact generalised derivative of P_K and, for Coulomb's law, of De Saxcé's tilt
// (natural_map.h); the generalised Newton of preclik2009 sec. 3.3 made robust. N + ε I is regular,
// so that hyperstatic problems (rank-deficient N) have unique, stable Newton directions, while the
// fixed point z = z_k is an exact solution. Proximal steps are solved to half their residual; ε
// falls after easy ones and rises after hard ones, so that the method turns into plain Newton.
//
// Class: every set, both laws, joints however redundant.
// Convergence: for the associated law the proximal point algorithm converges globally (Rockafellar
// 1976), its Newton steps locally quadratically (strong semismoothness); for Coulomb's law the
// local theory holds, the global one does not.
// Cost: an iteration is a Newton step: a sparse factorisation (newton_system.h), one product, and
// one more per proximal step. Over ranks the factorisation is one of MUMPS, or a Krylov solve
// (option linear).
// Use it for hyperstatic stacks, masonry and mechanisms up to some thousand contacts and where high
// accuracy is wanted; in loose granular packings of thousands of contacts the active set changes
// too slowly for it.

#include "talus/core/vector_ops.h"
#include "talus/solve/newton/proximal_newton.h"
#include "talus/solve/rank_bodies.h"

namespace talus {
namespace {

class ProxNewton : public Solver {
public:
  const SolverInfo& info() const override { return info_; }
  void visit_options(OptionVisitor& visitor) override {
    options_.visit(visitor);
    visitor.visit("linear", options_.linear, linear_engine_names(), linear_engine_doc);
  }

  std::string refuses(const ScaledProblem& problem) const override {
    return ProximalNewton::refusal(problem, options_);
  }
  bool has_same_bits_over_ranks() const override { return false; }
  std::string refuses_ranks() const override { return engine_refusal(options_.engine()); }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Vector u(problem.size());
    problem.velocity(z, u);
    if (!monitor.proceed(z, u)) return;
    ProximalNewton newton(problem, options_, monitor.stop_test());
    while (true) {
      const auto outcome = newton.step(z, u, monitor);
      if (outcome == ProximalNewton::Outcome::stopped) return;
      if (outcome == ProximalNewton::Outcome::failed && newton.exhausted())
        return monitor.stall("no Newton step reduces the proximal problem, whatever its weight");
    }
  }

private:
  SolverInfo info_ = {.name = "prox-newton",
                      .summary = "proximal-point semismooth Newton on the natural map",
                      .paper = "preclik2009 sec. 3.3 (proximal point: Rockafellar 1976)",
                      .friction = AdmittedSets::every(),
                      .coulomb = "direct",
                      .products_per_iteration = "1 and a factorisation",
                      .over_ranks = true};
  ProximalNewtonOptions options_;
};

} // namespace

std::unique_ptr<Solver> make_prox_newton() {
  return std::make_unique<ProxNewton>();
}

} // namespace talus
