// Projected Gauss-Seidel, componentwise (preclik2009 sec. 3.1):  x_i ← clamp(x_i - ω u_i / N_ii,
// lower_i, upper_i).
//
// Bounds are fixed (none, box) or follow the contact's current normal impulse (pyramid, and every
// cone-shaped set in the plane), within the sweep or in an outer fixed point of box problems. Both
// solve Coulomb's law on the pyramid: the normal row knows nothing of friction. Round sets and
// polyhedra in space couple their components and are not admitted. Linear convergence for symmetric
// positive definite N; also applied to linear complementarity problems, where it may diverge and
// then says so. Cost: a sweep reads N once, about one product.

#include "talus/solve/sweep_solver.h"

#include <algorithm>

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
          double u[d], dx[d];
          rows.velocity(c, u);
          for (int i = 0; i < d; ++i) {
            const double diagonal = block[(d + 1) * i];
            const double step = omega_ * u[i] * (diagonal > 0 ? 1 / diagonal : n.rho()[c]);
            const double bound = i == 0 ? 0.0 : tangential_bound(problem_, c, x[d * c]);
            const double old = x[d * c + i];
            x[d * c + i] =
                i == 0 ? std::max(0.0, old - step) : std::clamp(old - step, -bound, bound);
            dx[i] = x[d * c + i] - old;
            for (int k = i + 1; k < d; ++k) u[k] += block[d * k + i] * dx[i];
          }
          rows.add(c, dx);
        },
        [&](Index j) { relax_row(rows, problem_, x, j, omega_); });
  }

private:
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
                 .friction = {FrictionKind::none, FrictionKind::box, FrictionKind::pyramid},
                 .coulomb = "direct",
                 .products_per_iteration = "1"},
      "relaxation ω in (0, 2)");
}

} // namespace talus
