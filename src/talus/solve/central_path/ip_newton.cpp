// A primal-dual interior-point method that follows the central path of the contact problem under
// the exact law: not a sequence of convex problems but one path,
//
//     x ∘ y = μ e,    x = (√mu z_n, z_t/√mu),   y = (û_n/√mu, √mu û_t),   û = N z + q + σ(u_t) e_n,
//
// to μ = 0. Each iteration linearises all of it, De Saxcé's tilt included, with Nesterov-Todd
// scaling, Mehrotra's predictor and corrector, and a start that satisfies none of the equations:
//
//     (H + T N) dz = rhs,     H = the scaling squared, T = I + e_n ∇σ(u_t)ᵀ,  T = I: associated law
//
// Close to the solution the cones' boundaries are lost to rounding, but there the active set is
// known: below an error of `finish`, or when the path is blocked, proximal Newton steps
// (prox_newton.cpp) take over, mostly one or two of them. When they do not reduce the error, the
// path goes on to a hundredth of it before they are tried again. (Interior points with the tilt as
// unknown: Acary, Armand, Nguyen, Shpakovych 2023; scaling: Nesterov, Todd 1997; predictor and
// corrector: Mehrotra 1992.)
//
// coulomb-ip follows the same path by other means: symmetric factors with GMRES around them, for
// every set, and to its very end.
//
// Class: second-order cones (in the plane every cone-shaped set), frictionless contacts and
// complementarity problems, both laws, joints. Convergence: for the associated law that of conic
// interior-point methods, whose number of iterations hardly depends on size, mass ratios or
// redundant contacts; for Coulomb's law no theorem, and the same in practice.
// Cost of an iteration: a sparse factorisation (newton_system.h), two solves with it, one product.

#include "talus/solve/central_path/central_path_newton.h"
#include "talus/solve/central_path/central_path_solver.h"

namespace talus {
namespace {

class IpNewton : public PathSolver {
public:
  IpNewton() {
    info_.name = "ip-newton";
    info_.summary = "interior point along the central path of the exact law, Newton to finish";
    info_.paper = "Acary, Armand, Nguyen, Shpakovych 2023 (Mehrotra 1992; Nesterov, Todd 1997)";
    info_.products_per_iteration = "1 and a factorisation";
  }
  void visit_options(OptionVisitor& visitor) override { options_.visit(visitor); }

private:
  void follow(const ScaledProblem& problem, Span z, Span u, Monitor& monitor) override {
    follow_path_and_finish(problem, options_, z, u, monitor);
  }

  PathAndNewtonOptions options_;
};

} // namespace

std::unique_ptr<Solver> make_ip_newton() {
  return std::make_unique<IpNewton>();
}

} // namespace talus
