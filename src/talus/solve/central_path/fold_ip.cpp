// An interior-point method that follows the central path of the contact problem under the exact law
// wherever it leads. With x, y the impulse and the tilted velocity in the self-dual cone
// (path_cones.h), the path consists of the points (x, y, ε) with
//
//     x ∘ y = ε e,    u = N z + q,    û = u + σ_δ(û_t) e_n,    σ_δ(v) = mu √(|v|² + δ²),   δ ∝ ε.
//
// For the associated law (no σ) there is one point for every ε, and interior-point methods walk
// down to ε = 0. Under Coulomb's law the path folds: ε, falling, meets a value below which this
// branch has no points, and the path goes on upwards before it comes down again. Methods that
// insist on a smaller ε in every step end at the first fold; piles at rest may have many of them.
//
// The path does not end, though. Points of every ε are described by p = x − y without constraints
// (cone_spectrum.h), which leaves one smooth equation F(p, ε) = 0, F = û − σ_δ e_n − u, whose
// solutions form a curve (for all but exceptional problems, by Sard's theorem). If it has a single
// point at large ε, where the problem is that of N and the cones alone, and while the points of
// each ε > 0 stay bounded, it cannot stop or return, and must come to ε = 0. It is followed by its
// arc length (Keller 1977): a step along the tangent, and Newton's method back to the curve in the
// plane orthogonal to it. Both take the system of ip-newton,
//
//     (H + T N) dz = T F  and  û − (dσ_δ/d log ε) e_n,     H dx = −dy along x ∘ y = ε e,
//
// with T = I + e_n ∇σ_δᵀ. Where the curve bends sharply an angle does not tell forwards from
// backwards; the sign of det(H + T N), which is that of d log ε / ds up to a constant, does
// (Allgower, Georg 1990). Lengths are relative changes of x and y. Proximal Newton steps finish, as
// in ip-newton.
//
// Class: as ip-newton. Convergence: where others end, at the price of some hundred factorisations;
// a step that is too long may jump to another branch and lose the path. The number of folds grows
// with the pile. It cannot make use of a start. Cost of an iteration: two to three factorisations,
// three products and two solves with each.

#include "talus/solve/central_path/central_path_newton.h"
#include "talus/solve/central_path/central_path_solver.h"

namespace talus {
namespace {

class FoldIp : public PathSolver {
public:
  FoldIp() {
    info_.name = "fold-ip";
    info_.summary = "interior point along the central path of the exact law, through its folds";
    info_.paper = "this project (Keller 1977; Chen, Harker 1993; Allgower, Georg 1990)";
    info_.products_per_iteration = "about 8, and 2 to 3 factorisations";
    info_.warm_start = false;
  }
  void visit_options(OptionVisitor& visitor) override { options_.visit(visitor); }

private:
  void follow(const ScaledProblem& problem, Span z, Span u, Monitor& monitor) override {
    follow_folds_and_finish(problem, options_, z, u, monitor);
  }

  FoldsAndNewtonOptions options_;
};

} // namespace

std::unique_ptr<Solver> make_fold_ip() {
  return std::make_unique<FoldIp>();
}

} // namespace talus
