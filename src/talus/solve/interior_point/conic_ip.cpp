// A primal-dual interior-point method for the cone problem  min ½ z'Nz + q'z, z ∈ K  (the part that
// a commercial conic solver plays in mazhar2014): Nesterov-Todd scaling, Mehrotra's predictor and
// corrector, infeasible start.
//
//     N z + q − Aᵀ y = 0,    w = A z + a ∈ C,   y ∈ C,    w ∘ y = σμ e        (cone_product.h)
//
// Two models (mazhar2014 sec. 5.3): `dual` has the impulses as its variables and velocities that
// always follow from them; in `primal` the velocities are variables of their own, and momentum,
// M̃ v = D̃ z, is one of the equations that become true on the way. Both end at the same answer.
//
// Class: every set (of rolling friction those with an inside), the associated law directly,
// Coulomb's through the fixed point on the tilt, each solve started from the last answer shifted
// back inside. Convergence: the number of iterations hardly depends on the size of the problem, on
// mass ratios or on redundant contacts. Cost of an iteration: a sparse factorisation
// (kkt_system.h), two solves with it and one product; over ranks the factorisation is one of MUMPS,
// or the solves are by a Krylov method (option linear). Use it for accuracy where first-order
// methods take thousands of products (hyperstatic packings, heavy loads on light bodies) and for
// the associated law to 1e-8 and beyond.

#include "talus/core/division.h"
#include "talus/core/ranks.h"
#include "talus/solve/coulomb/factorising_solver.h"
#include "talus/solve/interior_point/interior_point.h"
#include "talus/solve/rank_bodies.h"

#include <algorithm>

namespace talus {
namespace {

class ConicIp : public FactorisingSolver<InteriorPoint, InteriorPointOptions> {
public:
  ConicIp()
      : FactorisingSolver(running_over_ranks(convex_info(
            "conic-ip", "primal-dual interior point on second-order cones",
            "mazhar2014 sec. 5.3 (Nesterov, Todd 1997; Mehrotra 1992)", "1 and a factorisation",
            {Section::interval, Section::square, Section::polygon, Section::disc,
             Section::discs}))) {}

  void visit_options(OptionVisitor& visitor) override {
    FactorisingSolver::visit_options(visitor);
    visitor.visit("linear", options_.linear, linear_engine_names(), linear_engine_doc);
  }

  bool has_same_bits_over_ranks() const override { return false; }
  std::string refuses_ranks() const override { return engine_refusal(options_.engine()); }

  std::string refuses(const ScaledProblem& problem) const override {
    const bool flat =
        has_moments(problem.problem().friction.kind) && has_flat_cone(problem.problem());
    if (problem.division() ? problem.division()->ranks->any(flat) : flat)
      return "rolling friction with a coefficient of zero: its cone has no inside";
    return FactorisingSolver::refuses(problem);
  }

private:
  static bool has_flat_cone(const ContactProblem& problem) {
    const auto is_zero = [](double coefficient) { return coefficient == 0; };
    return std::ranges::any_of(problem.mu, is_zero) ||
           std::ranges::any_of(problem.rolling, is_zero) ||
           std::ranges::any_of(problem.spinning, is_zero);
  }
};

} // namespace

std::unique_ptr<Solver> make_conic_ip() {
  return std::make_unique<ConicIp>();
}

} // namespace talus
