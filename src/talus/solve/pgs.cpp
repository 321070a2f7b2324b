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

#include "talus/solve/sweep_solver.h"

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
    const DelassusOperator& n = problem_.delassus();
    for_each_block(
        problem_, backward,
        [&](Index c) {
          const double* block = &n.diagonal()[static_cast<std::size_t>(c) * d * d];
          double* xc = &x[d * c];
          double u[d], dx[d];
          rows.velocity(c, u);
          const auto relaxed = [&](int i) {
            const double diagonal = block[(d + 1) * i];
            return xc[i] - omega_ * u[i] * (diagonal > 0 ? 1 / diagonal : n.rho()[c]);
          };
          const auto move = [&](int i, double target) {
            dx[i] = target - xc[i];
            xc[i] = target;
            for (int k = i + 1; k < d; ++k) u[k] += block[d * k + i] * dx[i];
          };
          move(0, std::max(0.0, relaxed(0)));
          const double bound = tangential_bound(problem_, c, xc[0]);
          const FrictionSet cross_section = problem_.contact_set(c).set;
          if constexpr (d == 3)
            if (couples_friction(cross_section.kind)) {
              relax_friction(block, n.rho()[c], u, cross_section, bound, xc, dx);
              return rows.add(c, dx);
            }
          for (int i = 1; i < d; ++i) move(i, std::clamp(relaxed(i), -bound, bound));
          rows.add(c, dx);
        },
        [&](Index j) { relax_row(rows, problem_, x, j, omega_); });
  }

private:
  /// Whether the bound of one friction component depends on the other in space.
  static bool couples_friction(FrictionKind kind) {
    return kind == FrictionKind::prism || kind == FrictionKind::polyhedron ||
           kind == FrictionKind::cylinder || kind == FrictionKind::cone;
  }

  /// The projected step of both friction components, u the velocity at x.
  void relax_friction(const double* block, double rho, const double* u, FrictionSet cross_section,
                      double bound, double* x, double* dx) const {
    const double mean = 0.5 * (block[4] + block[8]);
    const double largest =
        mean + std::hypot(0.5 * (block[4] - block[8]), 0.5 * (block[5] + block[7]));
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
      "relaxation ω in (0, 2)");
}

} // namespace talus
