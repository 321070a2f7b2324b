// Conjugate projected gradient (Renouf & Alart 2005; preclik2009 sec. 3.2, Algorithm 2):
//
//     r = -(A x + b),   r̂ = proj_T(x)(r),   p̂ = proj_T(x)(p),   β = -r̂'A p̂ / p̂'A p̂,   p ← r̂ + β p̂,
//     α = r'p / p'A p,   x ← proj_F(x + α p)
//
// T is the tangent cone of the admissible set at x. While the active set stays, this is the
// conjugate gradient method on the free components: the residual follows from A p and an iteration
// costs one product. Only when the projection moved the iterate is A x made anew (`recompute` does
// so in every iteration, the textbook form; the iterates are the same). β is by default that of
// Renouf and Alart, with the last p and A p unprojected, which needs no product either; the paper's
// p̂ costs one whenever it is not p. On a packing of 1000 spheres without friction that makes 1.3
// products per iteration and half those of apgd
// (talus solve A1000_mu0.hdf5 --friction none --solver cpg --tol 1e-6).
//
// Round sets (cylinder, cone), which the paper calls open: the direction is projected on the
// tangent half-space, and α and β take the Hessian of the Lagrangian, which knows the bend of the
// boundary (boundary_curvature.h). Without it every sliding contact overshoots. With it small
// problems are solved, at two products per iteration as the projection always moves; on packings
// the cylinder stays at 5e-5 after 10,000 iterations (talus reproduce beyond-cpg), and contacts
// near the apex of a cone bend so sharply that it stays well behind apgd and spg below 1e-2: use
// those.
//
// Convex problems (none, box, prism, cylinder; cone-shaped sets with the associated law): finite on
// a settled active set of a polyhedral set; steps that the projection led uphill are shortened,
// which Algorithm 2 does not do and which makes the method convergent. Coulomb's law: the bounds
// follow the normal impulses from iteration to iteration (the paper's treatment of the pyramid,
// without theory); where that gets stuck, an outer loop of convex problems with fixed bounds takes
// over. Use it on frictionless and box problems below 1e-3. Cost: 1 to 2 products per iteration.

#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/boundary_curvature.h"
#include "talus/problem/scaled/tangent_cone.h"
#include "talus/solve/coulomb/bound_fixed_point.h"
#include "talus/solve/coulomb/convex_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

/// The friction z_t at a contact whose bound changes from `bound` to `next`: what slid keeps
/// sliding, that is, it stays at the bound; the rest is cut to the new bound.
void follow_bound(const ContactSet& set, const double* old, double bound, double next, double* z) {
  constexpr double reached = 1 - 1e-12;
  const int d = set.dimension;
  ContactSet resized = set;
  resized.bound = next;
  if (set.set.kind == FrictionKind::box || d == 2) {
    for (int i = 1; i < d; ++i) {
      const bool slides = bound > 0 && std::abs(old[i]) >= reached * bound &&
                          std::abs(z[i]) >= reached * bound && old[i] * z[i] > 0;
      z[i] = slides ? std::copysign(next, z[i]) : std::clamp(z[i], -next, next);
    }
    return;
  }
  const double reach = gauge(set, z);
  if (bound > 0 && gauge(set, old) >= reached * bound && reach >= reached * bound)
    for (int i = 1; i < d; ++i) z[i] *= next / reach;
  project(resized, z, z);
}

class Cpg : public ConvexSolver {
public:
  const SolverInfo& info() const override { return info_; }

  void visit_options(OptionVisitor& visitor) override {
    visitor.visit("recompute", recompute_, "textbook form: make A x anew in every iteration");
    visitor.visit(
        "beta", beta_, {"projected", "previous", "polak-ribiere"},
        "conjugation: β from the projected p̂ (the paper; a product when p̂ is not p), from "
        "the last p and A p, or from gradients alone");
    visitor.visit("curvature", curvature_,
                  "round sets: α and β know the curvature of the boundary where contacts slide");
    visitor.visit("safeguard", safeguard_,
                  "convex problems: shorten steps that the projection led uphill");
    visitor.visit("coulomb", coulomb_, {"follow", "outer", "tilts"},
                  "Coulomb's law: bounds follow the normal impulses in every iteration (and in an "
                  "outer loop where that gets stuck), in an outer loop only, or fixed point on "
                  "tilts");
    visitor.visit("bound_relaxation", fixed_point_.relaxation, Range::share(),
                  "outer loop on bounds: share of the new bounds that is taken over");
    ConvexSolver::visit_options(visitor);
  }

  void run(ScaledProblem& problem, Span z, Monitor& monitor) override {
    if (!problem.is_tilted() || coulomb_ == by_tilts) return ConvexSolver::run(problem, z, monitor);
    if (coulomb_ == follow) {
      iterate(problem, z, monitor, true);
      problem.release_bounds();
      if (!stuck_) return;
      copy(monitor.best(), z);
      monitor.note("bounds in an outer loop");
    }
    fixed_point_.run(problem, z, monitor, [&] { iterate(problem, z, monitor, false); });
  }

  void minimise(ScaledProblem& problem, Span z, Monitor& monitor) override {
    iterate(problem, z, monitor, false);
  }

private:
  enum { follow, outer, by_tilts };
  enum { projected, previous, polak_ribiere };

  void iterate(ScaledProblem& problem, Span z, Monitor& monitor, bool follow_bounds) {
    resize(problem.size());
    problem.velocity(z, u_);
    bool conjugate = false;
    double milestone = std::numeric_limits<double>::infinity();
    long last_milestone = 0;
    stuck_ = false;
    for (long k = 1; monitor.proceed(z, u_); ++k) {
      if (follow_bounds) {
        if (monitor.error() < clear_progress * milestone) {
          milestone = monitor.error();
          last_milestone = k;
        }
        stuck_ = k - last_milestone > patience + k / 2;
        if (stuck_) return;
        freeze_bounds(problem, z);
      }
      choose_direction(problem, z, conjugate);
      problem.product(p_, np_);
      const double descent = slope(problem);
      const double curvature = problem.dot(p_, np_) + bend(problem, z, p_, p_);
      if (!(descent > 0) || !(curvature > 0)) {
        stuck_ = follow_bounds;
        return monitor.stall("no descent direction is left");
      }
      const double alpha = descent / curvature;
      const bool moved = step(problem, z, alpha, p_, follow_bounds);
      if (moved || recompute_ || k % refresh == 0)
        problem.velocity(next_, u_next_);
      else
        combine(1.0, u_, alpha, np_, u_next_);
      conjugate = true;
      if (moved && safeguard_ && !follow_bounds && !descends(problem, z)) {
        conjugate = false;
        monitor.note("shortened step");
        shorten(problem, z, alpha);
      }
      copy(next_, z);
      copy(u_next_, u_);
    }
  }

  /// p ← r̂ + β p̂, or r̂ alone at the start and where the sum would not descend. `gradient_` becomes
  /// r̂.
  void choose_direction(const ScaledProblem& problem, ConstSpan z, bool conjugate) {
    std::swap(gradient_, last_gradient_);
    combine(-1.0, u_, 0.0, u_, gradient_);
    project_on_tangent_cone(problem, z, gradient_, gradient_);
    if (conjugate) {
      project_on_tangent_cone(problem, z, p_, direction_);
      const double beta = conjugation(problem, z);
      combine(1.0, gradient_, beta, direction_, p_);
    }
    if (!conjugate || !(slope(problem) > 0)) copy(gradient_, p_);
  }

  /// r'p. Near the solution r is almost normal to the set and p small and tangent, up to rounding
  /// relative to r that would decide the product; r̂'p is then the better number.
  double slope(const ScaledProblem& problem) const {
    const double value = -problem.dot(u_, p_);
    if (std::abs(value) > 1e-14 * problem.dot(u_, u_)) return value;
    return problem.dot(gradient_, p_);
  }

  /// β, with p the last direction, np = A p, direction = p̂.
  double conjugation(const ScaledProblem& problem, ConstSpan z) {
    if (beta_ == polak_ribiere) {
      const double last = problem.dot(last_gradient_, last_gradient_);
      const double change =
          problem.dot(gradient_, gradient_) - problem.dot(gradient_, last_gradient_);
      return last > 0 ? std::max(0.0, change / last) : 0.0;
    }
    double numerator, curvature;
    if (beta_ == previous || problem.distance(direction_, p_) <= rounding * problem.norm(p_)) {
      numerator = problem.dot(gradient_, np_) + bend(problem, z, gradient_, p_);
      curvature = problem.dot(p_, np_) + bend(problem, z, p_, p_);
    } else {
      problem.product(direction_, next_);
      numerator = problem.dot(gradient_, next_) + bend(problem, z, gradient_, direction_);
      curvature = problem.dot(direction_, next_) + bend(problem, z, direction_, direction_);
    }
    return curvature > 0 ? -numerator / curvature : 0.0;
  }

  double bend(const ScaledProblem& problem, ConstSpan z, ConstSpan p, ConstSpan q) const {
    return curvature_ ? boundary_curvature(problem, z, u_, p, q) : 0.0;
  }

  /// next = proj_F(z + α p); true if the projection moved it.
  bool step(const ScaledProblem& problem, ConstSpan z, double alpha, ConstSpan p,
            bool follow_bounds) {
    combine(1.0, z, alpha, p, direction_);
    copy(direction_, next_);
    if (follow_bounds)
      move_with_bounds(problem, z, next_);
    else
      problem.project(next_, next_);
    return problem.distance(direction_, next_) > rounding * problem.norm(next_);
  }

  /// Whether the objective falls from z to next; f(next) - f(z) = ½ (u + u_next)'(next - z).
  bool descends(const ScaledProblem& problem, ConstSpan z) {
    combine(1.0, next_, -1.0, z, direction_);
    const double slope = problem.dot(u_, direction_);
    return slope < 0 && slope + problem.dot(u_next_, direction_) <= 2 * sufficient * slope;
  }

  /// Projects ever shorter steps along p, then along the gradient, until the objective falls; a
  /// product each. Steps in the direction of the gradient always get there, up to rounding.
  void shorten(const ScaledProblem& problem, ConstSpan z, double alpha) {
    constexpr int trials = 4, gradient_trials = 20;
    for (int trial = 1; trial <= trials; ++trial) {
      step(problem, z, std::ldexp(alpha, -trial), p_, false);
      problem.velocity(next_, u_next_);
      if (descends(problem, z)) return;
    }
    for (int trial = 0; trial < gradient_trials; ++trial) {
      problem.project_step(z, std::ldexp(1.0, -trial), u_, next_);
      problem.velocity(next_, u_next_);
      if (descends(problem, z)) return;
    }
  }

  void resize(Index n) {
    for (Vector* v : {&u_, &gradient_, &last_gradient_, &p_, &np_, &direction_, &next_, &u_next_})
      v->assign(n, 0.0);
  }

  void freeze_bounds(ScaledProblem& problem, ConstSpan z) {
    const int d = problem.dimension();
    bound_.resize(problem.contacts());
    for (Index c = 0; c < problem.contacts(); ++c)
      bound_[c] = problem.problem().mu[c] * std::max(0.0, z[d * c]);
    problem.freeze_bounds(bound_);
  }

  /// The iterate's correction after a step from z to `trial`, with the bounds of the new normal
  /// impulses.
  void move_with_bounds(const ScaledProblem& problem, ConstSpan z, Span trial) const {
    const int d = problem.dimension();
    parallel_for(
        problem.contacts(),
        [&](Index begin, Index end) {
          for (Index c = begin; c < end; ++c) {
            trial[d * c] = std::max(0.0, trial[d * c]);
            follow_bound(problem.contact_set(c), &z[d * c], bound_[c],
                         problem.problem().mu[c] * trial[d * c], &trial[d * c]);
          }
        },
        512);
    for (Index j = 0; j < problem.equalities(); ++j) {
      const Index i = d * problem.contacts() + j;
      trial[i] = problem.project_row(j, trial[i]);
    }
  }

  /// A projection that moved the iterate by less than this share of its size did nothing.
  static constexpr double rounding = 1e-15;
  static constexpr double sufficient = 1e-4; ///< Share of the predicted descent that is enough.
  /// Bounds that follow are stuck when the error has not fallen clearly for a while.
  static constexpr double clear_progress = 0.9;
  static constexpr long patience = 100;
  static constexpr long refresh = 50; ///< Iterations after which gathered rounding is forgotten.

  SolverInfo info_ =
      running_over_ranks(convex_info("cpg", "conjugate projected gradient",
                                     "preclik2009 Algorithm 2 (Renouf & Alart 2005)", "1 to 2"));
  bool recompute_ = false, curvature_ = true, safeguard_ = true;
  int beta_ = previous, coulomb_ = follow;
  BoundFixedPoint fixed_point_;
  bool stuck_ = false;
  Vector u_, gradient_, last_gradient_, p_, np_, direction_, next_, u_next_, bound_;
};

} // namespace

std::unique_ptr<Solver> make_cpg() {
  return std::make_unique<Cpg>();
}

} // namespace talus
