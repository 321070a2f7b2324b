#pragma once
// The frame of the Gauss-Seidel solvers: the options they share, and the treatment of tangential
// bounds that preclik2009 sec. 3.1 describes.
//
// A Sweep is made once per solve as Sweep(problem, omega) and called as sweep(rows, x, backward);
// it reads the contacts' sets from the problem, so that frozen bounds reach it.

#include "talus/linalg/anderson.h"
#include "talus/solve/coulomb/bound_fixed_point.h"
#include "talus/solve/sweeps/accelerated_sweep.h"

#include <algorithm>

namespace talus {

struct SweepOptions {
  int order = static_cast<int>(SweepOrder::forward);
  double omega = 1.0;
  int anderson_memory = 0;

  void visit(OptionVisitor& visitor, std::string_view omega_doc) {
    visitor.visit("sweep", order, {"forward", "backward", "symmetric"}, "order of the contacts");
    visitor.visit("omega", omega, Range::inside(0, 2), omega_doc);
    visitor.visit("anderson_memory", anderson_memory, Range::between(0, 100),
                  "iterations that Anderson acceleration looks back on; 0: none");
  }

  /// Repeats the sweep until the monitor stops it; measured(error) is called after every measure.
  template <class Sweep, class Measured = IgnoreError>
  void run(Sweep& sweep, const ScaledProblem& problem, Span z, Monitor& monitor,
           Measured&& measured = {}) {
    const auto sweep_order = static_cast<SweepOrder>(order);
    if (anderson_memory <= 0)
      return run_sweeps(memory_, problem, z, monitor, sweep_order, sweep, measured);
    AcceleratedSweep accelerated(problem, sweep_order, sweep,
                                 Anderson(problem.size(), anderson_memory));
    run_sweeps(memory_, problem, z, monitor, sweep_order, accelerated, measured);
  }

private:
  SweepMemory memory_;
};

/// The tangential bound of a contact in physical units: mu times the present normal impulse for a
/// cone-shaped set, else data.
inline double tangential_bound(const ScaledProblem& problem, Index contact, double normal_impulse) {
  const ContactSet set = problem.contact_set(contact);
  if (section_of(set.set.kind, set.dimension) == Section::point) return 0;
  if (is_cone_shaped(set.set.kind)) return room(set, normal_impulse);
  return set.bound * problem.scale()[contact];
}

/// One sweep that moves the normal impulse of a contact by projection, x_n ← max(0, x_n - ω u_n /
/// N_nn), and then its friction: relax_friction(c, block, u, bound, x_c, dx) changes the tangential
/// part of x_c within the bound and writes the change to dx, given the contact's diagonal block of
/// N and its velocity u, which is up to date in the tangential components. It is called from
/// several threads.
template <class Rows, class RelaxFriction>
void sweep_normals_and_friction(Rows& rows, const ScaledProblem& problem, double omega, Span x,
                                bool backward, RelaxFriction&& relax_friction) {
  constexpr int d = Rows::dimension;
  const DelassusOperator& n = problem.delassus();
  const ConstSpan diagonal = n.diagonal();
  for_each_block(
      rows, problem, backward,
      [&](Index c) {
        const double* block = &diagonal[static_cast<std::size_t>(c) * d * d];
        double* xc = &x[d * c];
        double u[d], dx[d];
        rows.velocity(c, u);
        const double step = omega * u[0] * (block[0] > 0 ? 1 / block[0] : n.rho()[c]);
        const double normal = std::max(0.0, xc[0] - step);
        dx[0] = normal - xc[0];
        xc[0] = normal;
        for (int i = 1; i < d; ++i) u[i] += block[d * i] * dx[0];
        if constexpr (d > 1)
          relax_friction(c, block, u, tangential_bound(problem, c, normal), xc, dx);
        rows.add(c, dx);
      },
      [&](Index j) { relax_row(rows, problem, x, j, omega); });
}

/// A solver whose sweep knows fixed bounds and bounds that follow the normal impulse.
template <class Sweep>
class SweepSolver final : public Solver {
public:
  SweepSolver(SolverInfo info, std::string omega_doc)
      : info_(std::move(info)), omega_doc_(std::move(omega_doc)) {}
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    options_.visit(visitor, omega_doc_);
    visitor.visit("bounds", bounds_, {"sweep", "outer"},
                  "cone-shaped sets: bounds follow the normal impulse within the sweep, or in an "
                  "outer fixed point of problems with fixed bounds");
    fixed_point_.visit_options(visitor);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    Sweep sweep(problem, options_.omega);
    const auto run_to_tolerance = [&] { options_.run(sweep, problem, z, monitor); };
    if (bounds_ == in_outer_loop)
      fixed_point_.run(problem, z, monitor, run_to_tolerance);
    else
      run_to_tolerance();
  }

private:
  enum { in_sweep, in_outer_loop };

  SolverInfo info_;
  std::string omega_doc_;
  SweepOptions options_;
  int bounds_ = in_sweep;
  BoundFixedPoint fixed_point_;
};

} // namespace talus
