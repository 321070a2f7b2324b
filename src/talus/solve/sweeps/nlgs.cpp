// Nonlinear Gauss-Seidel (preclik2009 sec. 3.1, eqs. 14-16): per contact the normal component by
// projection, then the friction components as one block by the maximum dissipation problem.
//
// On the cone the disc's radius mu x_n follows the normal impulse within the sweep (or, as an
// option, in an outer fixed point of cylinders), which gives Coulomb's law with isotropic friction;
// on the cylinder it is data. The friction block is solved by Newton's method in polar coordinates,
// which needs no iteration for homogeneous spheres. Linear convergence on the cylinder for positive
// definite N (block coordinate descent); on the cone no theory, and strong friction can make it
// fail. Use it for spheres and moderate friction, where it equals nsgs in cost and nearly in rate.
// Cost: a sweep reads N once, about one product.

#include "talus/contact/disc_friction.h"
#include "talus/core/elementary.h"
#include "talus/solve/sweeps/sweep_solver.h"

#include <algorithm>

namespace talus {
namespace {

class DissipationSweep {
public:
  DissipationSweep(const ScaledProblem& problem, double omega) : problem_(problem), omega_(omega) {}

  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) const {
    sweep_normals_and_friction(
        rows, problem_, omega_, x, backward,
        [&](Index, const double* block, const double* u, double radius, double* xc, double* dx) {
          relax_friction<Rows::dimension>(block, u, radius, xc, dx);
        });
  }

private:
  /// Friction given the tangential velocity u_t at x; writes x_t and its change.
  template <int d>
  void relax_friction(const double* block, const double* u, double radius, double* x,
                      double* dx) const {
    if constexpr (d == 2) {
      const double step = omega_ * (block[3] > 0 ? u[1] / block[3] : 0.0);
      const double friction = std::clamp(x[1] - step, -radius, radius);
      dx[1] = friction - x[1];
      x[1] = friction;
    } else if constexpr (d == 3) {
      const double A[4] = {block[4], block[5], block[7], block[8]};
      const double b[2] = {u[1] - A[0] * x[1] - A[1] * x[2], u[2] - A[2] * x[1] - A[3] * x[2]};
      const DiscSolution best = minimise_on_disc(A, b, radius);
      double moved[2];
      for (int i = 0; i < 2; ++i) moved[i] = x[i + 1] + omega_ * (best.x[i] - x[i + 1]);
      // A relaxed step may leave the disc, whose radius has just changed.
      const double length = hypotenuse(moved[0], moved[1]);
      const double shrink = length > radius ? radius / length : 1.0;
      for (int i = 0; i < 2; ++i) {
        const double friction = shrink * moved[i];
        dx[i + 1] = friction - x[i + 1];
        x[i + 1] = friction;
      }
    }
  }

  const ScaledProblem& problem_;
  double omega_;
};

} // namespace

std::unique_ptr<Solver> make_nlgs() {
  return std::make_unique<SweepSolver<DissipationSweep>>(
      SolverInfo{.name = "nlgs",
                 .summary = "nonlinear Gauss-Seidel, friction by maximum dissipation on the disc",
                 .paper = "preclik2009 sec. 3.1, eqs. 14-16",
                 .laws = {Law::coulomb},
                 .friction = {Section::interval, Section::disc},
                 .coulomb = "direct",
                 .products_per_iteration = "1"},
      "relaxation ω");
}

} // namespace talus
