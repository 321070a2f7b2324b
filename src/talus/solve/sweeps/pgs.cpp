// Projected Gauss-Seidel, component by component (preclik2009 sec. 3.1):
//
//     x_i ← clamp(x_i - ω u_i / N_ii, lower_i, upper_i)
//
// Bounds are fixed (none, box) or follow the contact's normal impulse (pyramid, and every
// cone-shaped set in the plane), within the sweep or in an outer fixed point of problems with fixed
// bounds. Either way the answer is Coulomb's law: the normal row knows nothing of friction. The
// cross sections of prism, polyhedron, cylinder and cone couple the two friction components of a
// contact in space, and moving one at a time would get stuck on their boundary; there the friction
// takes one projected step x_t ← Π(x_t - ω u_t / λ), λ the largest eigenvalue of its 2 x 2 block.
// Solving the block and then projecting is wrong (eq. 13) unless that block is a multiple of the
// identity, as it is for spheres, where all three are the same.
//
// Class: Coulomb's law, every set. Converges linearly for fixed bounds, symmetric positive definite
// N and ω in (0, 2) (coordinate descent of a convex problem); no theory for bounds that follow.
// Also applied to linear complementarity problems, where it may diverge and then says so. Use it as
// the baseline of the splitting methods: nsgs and nlgs do more per contact at the same cost. Cost:
// a sweep reads N once, about one product.

#include "talus/core/elementary.h"
#include "talus/solve/sweeps/sweep_solver.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

class ComponentSweep {
public:
  ComponentSweep(const ScaledProblem& problem, double omega) : problem_(problem), omega_(omega) {}

  template <class Rows>
  void operator()(Rows& rows, Span x, bool backward) const {
    constexpr int d = Rows::dimension;
    sweep_normals_and_friction(
        rows, problem_, omega_, x, backward,
        [&](Index c, const double* block, double* u, double bound, double* xc, double* dx) {
          const FrictionSet set = problem_.contact_set(c).set;
          const double rho = problem_.delassus().rho()[c];
          if (d == 3 && couples_friction(set.kind))
            return relax_block(block, rho, u, set, bound, xc, dx);
          for (int i = 1; i < d; ++i) {
            const double diagonal = block[(d + 1) * i];
            const double step = omega_ * u[i] * (diagonal > 0 ? 1 / diagonal : rho);
            const double friction = std::clamp(xc[i] - step, -bound, bound);
            dx[i] = friction - xc[i];
            xc[i] = friction;
            for (int k = i + 1; k < d; ++k) u[k] += block[d * k + i] * dx[i];
          }
        });
  }

private:
  /// Whether the bound of one friction component depends on the other in space.
  static bool couples_friction(FrictionKind kind) {
    const Section section = traits_of(kind).section;
    return section == Section::polygon || section == Section::disc;
  }

  /// The projected step of both friction components, u the velocity at x.
  void relax_block(const double* block, double rho, const double* u, FrictionSet cross_section,
                   double bound, double* x, double* dx) const {
    const double mean = 0.5 * (block[4] + block[8]);
    const double largest =
        mean + hypotenuse(0.5 * (block[4] - block[8]), 0.5 * (block[5] + block[7]));
    const double step = omega_ * (largest > 0 ? 1 / largest : rho);
    cross_section.kind = with_fixed_bound(cross_section.kind);
    double target[3] = {x[0], x[1] - step * u[1], x[2] - step * u[2]};
    project({cross_section, 3, 0, bound}, target, target);
    for (int i = 1; i < 3; ++i) {
      dx[i] = target[i] - x[i];
      x[i] = target[i];
    }
  }

  const ScaledProblem& problem_;
  double omega_;
};

} // namespace

std::unique_ptr<Solver> make_pgs() {
  return std::make_unique<SweepSolver<ComponentSweep>>(
      SolverInfo{.name = "pgs",
                 .summary = "componentwise projected Gauss-Seidel",
                 .paper = "preclik2009 sec. 3.1",
                 .laws = {Law::coulomb},
                 .coulomb = "direct",
                 .products_per_iteration = "1"},
      "relaxation ω");
}

} // namespace talus
