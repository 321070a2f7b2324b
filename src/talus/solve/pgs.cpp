// Projected Gauss-Seidel, componentwise (preclik2009 sec. 3.1):  x_i ← clamp(x_i - ω u_i / N_ii,
// lower_i, upper_i).
//
// Bounds are fixed (none, box) or follow the contact's current normal impulse (pyramid, and every
// cone-shaped set in the plane), within the sweep or in an outer fixed point of box problems. Both
// solve Coulomb's law on the pyramid: the normal row knows nothing of friction. Round sets and
// polyhedra in space couple their components and are not admitted. Linear convergence for symmetric
// positive definite N; also applied to linear complementarity problems, where it may diverge and
// then says so. Cost: a sweep reads N once, about one product.

#include "talus/solve/bound_fixed_point.h"
#include "talus/solve/sweep.h"

#include <algorithm>

namespace talus {
namespace {

class Pgs : public Solver {
public:
  Pgs() {
    info_.name = "pgs";
    info_.summary = "componentwise projected Gauss-Seidel";
    info_.paper = "preclik2009 sec. 3.1";
    info_.laws = {Law::coulomb};
    info_.friction = {FrictionKind::none, FrictionKind::box, FrictionKind::pyramid};
    info_.friction_plane = {FrictionKind::none,  FrictionKind::box,        FrictionKind::pyramid,
                            FrictionKind::prism, FrictionKind::polyhedron, FrictionKind::cylinder,
                            FrictionKind::cone};
    info_.coulomb = "direct";
    info_.products_per_iteration = "1";
  }
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("sweep", order_, {"forward", "backward", "symmetric"}, "order of the contacts");
    visitor.visit("omega", omega_, "relaxation ω in (0, 2)");
    visitor.visit("bounds", bounds_, {"sweep", "outer"},
                  "cone-shaped sets: bounds follow the normal impulse within the sweep, or in an "
                  "outer fixed point of problems with fixed bounds");
    fixed_point_.visit_options(visitor);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    SweepRows rows = problem.delassus().rows();
    const auto run_to_tolerance = [&] {
      std::visit(
          [&](auto& concrete) {
            run_sweeps(concrete, problem, z, monitor, static_cast<SweepOrder>(order_),
                       [&](auto& r, Span x, bool backward) { sweep(r, problem, x, backward); });
          },
          rows);
    };
    if (bounds_ == in_outer_loop)
      fixed_point_.run(problem, z, monitor, run_to_tolerance);
    else
      run_to_tolerance();
  }

private:
  enum { in_sweep, in_outer_loop };

  template <class Rows>
  void sweep(Rows& rows, const ScaledProblem& problem, Span x, bool backward) const {
    constexpr int d = Rows::dimension;
    const DelassusOperator& n = problem.delassus();
    for_each_block(
        problem, backward,
        [&](Index c) {
          const double* block = &n.diagonal()[static_cast<std::size_t>(c) * d * d];
          double u[d], dx[d];
          rows.velocity(c, u);
          for (int i = 0; i < d; ++i) {
            const double diagonal = block[(d + 1) * i];
            const double step = omega_ * u[i] * (diagonal > 0 ? 1 / diagonal : n.rho()[c]);
            const double bound = i == 0 ? 0.0 : tangential_bound(problem, c, x[d * c]);
            const double old = x[d * c + i];
            x[d * c + i] =
                i == 0 ? std::max(0.0, old - step) : std::clamp(old - step, -bound, bound);
            dx[i] = x[d * c + i] - old;
            for (int k = i + 1; k < d; ++k) u[k] += block[d * k + i] * dx[i];
          }
          rows.add(c, dx);
        },
        [&](Index j) { relax_row(rows, problem, x, j, omega_); });
  }

  static double tangential_bound(const ScaledProblem& problem, Index c, double normal_impulse) {
    const ContactSet set = problem.contact_set(c);
    if (set.set.kind == FrictionKind::none) return 0;
    if (is_cone_shaped(set.set.kind)) return set.mu * normal_impulse;
    return set.bound * problem.scale()[c];
  }

  SolverInfo info_;
  int order_ = 0;
  double omega_ = 1.0;
  int bounds_ = in_sweep;
  BoundFixedPoint fixed_point_;
};

} // namespace

std::unique_ptr<Solver> make_pgs() {
  return std::make_unique<Pgs>();
}

} // namespace talus
