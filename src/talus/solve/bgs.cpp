// Block Gauss-Seidel with total enumeration (preclik2009 sec. 3.1): contact by contact, the
// one-contact problem with bounds is solved exactly by trying the combinations of bound states.
//
// The splitting is that of nsgs, the local solver the paper's: box (18 combinations in space,
// unique answer) and pyramid with bounds that follow the normal impulse (10 combinations), which is
// Coulomb's law on the pyramid. The last answer's states are tried first, so a settled sweep solves
// one linear system per contact. Linear convergence for symmetric positive definite N on none and
// box (block coordinate descent of a convex problem); no theory for the pyramid, robust in
// practice. Use it where the componentwise pgs suffers from the coupling within contacts: bodies
// that are not spheres. Cost: a sweep reads N once, about one product.

#include "talus/solve/bound_fixed_point.h"
#include "talus/solve/bounded_lcp.h"
#include "talus/solve/local_contact.h"
#include "talus/solve/sweep.h"

#include <algorithm>

namespace talus {
namespace {

class Bgs : public Solver {
public:
  Bgs() {
    info_.name = "bgs";
    info_.summary = "block Gauss-Seidel, contacts solved by total enumeration";
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
    visitor.visit("omega", omega_, "relaxation of each contact's update, in (0, 1]");
    visitor.visit("bounds", bounds_, {"sweep", "outer"},
                  "cone-shaped sets: bounds follow the normal impulse within the sweep, or in an "
                  "outer fixed point of problems with fixed bounds");
    fixed_point_.visit_options(visitor);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    prepare(problem);
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

  void prepare(const ScaledProblem& problem) {
    const int d = problem.dimension();
    const DelassusOperator& n = problem.delassus();
    blocks_.resize(problem.contacts());
    for (Index c = 0; c < problem.contacts(); ++c) {
      double scaled[9];
      for (int i = 0; i < d * d; ++i) scaled[i] = n.rho()[c] * n.diagonal()[d * d * c + i];
      blocks_[c] = prepare_local_contact(scaled, d);
    }
    states_.assign(problem.size(), BoundState::at_lower);
  }

  template <class Rows>
  void sweep(Rows& rows, const ScaledProblem& problem, Span x, bool backward) {
    constexpr int d = Rows::dimension;
    for_each_block(
        problem, backward,
        [&](Index c) {
          const double s = problem.scale()[c];
          const double* A = blocks_[c].A;
          double b[d], old[d], z[d], dx[d];
          rows.velocity(c, b);
          for (int i = 0; i < d; ++i) old[i] = x[d * c + i] / s;
          for (int i = 0; i < d; ++i) {
            b[i] *= s;
            for (int j = 0; j < d; ++j) b[i] -= A[d * i + j] * old[j];
          }
          components_.clear();
          append_components(problem.contact_set(c), 0, components_);
          enumeration_.solve(A, b, components_, {&states_[d * c], d}, z);
          for (int i = 0; i < d; ++i) {
            dx[i] = omega_ * s * (z[i] - old[i]);
            x[d * c + i] += dx[i];
          }
          rows.add(c, dx);
        },
        [&](Index j) { relax_row(rows, problem, x, j, omega_); });
  }

  SolverInfo info_;
  int order_ = 0;
  double omega_ = 1.0;
  int bounds_ = in_sweep;
  BoundFixedPoint fixed_point_;
  std::vector<LocalContact> blocks_;
  std::vector<BoundState> states_;
  std::vector<BoundedComponent> components_;
  BoundEnumeration enumeration_{3};
};

} // namespace

std::unique_ptr<Solver> make_bgs() {
  return std::make_unique<Bgs>();
}

} // namespace talus
