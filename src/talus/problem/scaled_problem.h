#pragma once
// The problem as solvers see it: symmetric scaling, kernels, and a count of products.
//
// With s_c = sqrt(rho_c) and z = x / s the problem keeps its form: N becomes S N S, whose diagonal
// blocks have mean 1, q̄ becomes S q̄, cone-shaped sets stay, fixed bounds become bound / s_c. The
// Talus error is then |z - P(z - û)| / |P(-q̂)| in the plain Euclidean norm, so step sizes,
// penalties and tolerances mean the same for grams and tonnes. `u` below is always the scaled
// velocity S (N x + q̄) = gradient of the objective in z.

#include "talus/problem/contact_set.h"
#include "talus/problem/delassus.h"
#include "talus/problem/quality.h"

namespace talus {

class ScaledProblem {
public:
  /// Keeps references to both arguments. A `law` other than the problem's own is used by the
  /// Coulomb fixed point, which solves associated problems with a tilted q̄.
  ScaledProblem(const ContactProblem& problem, const DelassusOperator& n);

  Index size() const { return n_->size(); }
  Index contacts() const { return n_->contacts(); }
  Index equalities() const { return n_->equalities(); }
  int dimension() const { return n_->dimension(); }
  Law law() const { return law_; }
  const ContactProblem& problem() const { return *problem_; }
  const DelassusOperator& delassus() const { return *n_; }
  /// True when the law tilts velocities: Coulomb on a cone-shaped set.
  bool is_tilted() const { return law_ == Law::coulomb && is_cone_shaped(problem_->friction.kind); }

  /// An associated problem whose normal free velocities are raised by tilt_c (scaled, one per
  /// contact): the convex subproblem of the fixed point s = sigma(u_t).
  void become_associated_with_tilt(ConstSpan tilt);

  /// y = S N S z. Counts one product.
  void product(ConstSpan z, Span y) const;
  /// u = S N S z + q. Counts one product.
  void velocity(ConstSpan z, Span u) const;
  ConstSpan free_velocity() const { return q_; }
  long products() const { return products_; }

  /// The contact's set in scaled variables.
  ContactSet contact_set(Index contact) const;
  /// y = P_K(x), contact by contact; identity on equality rows. y may be x.
  void project(ConstSpan x, Span y) const;
  /// y = P_K(x - step * g).
  void project_step(ConstSpan x, double step, ConstSpan g, Span y) const;
  /// û = u with the normal entries tilted if the law asks for it. û may be u.
  void tilt_velocity(ConstSpan u, Span tilted) const;
  /// σ(u_t) of each contact.
  void tilts(ConstSpan u, Span tilt) const;

  /// |z - P(z - û)|, the numerator of the Talus error.
  double natural_residual(ConstSpan z, ConstSpan u) const;
  /// |P(-q̂)| of the untilted problem as given: the denominator.
  double reference() const { return reference_; }
  /// The chosen measure of the problem's current law at z, u = velocity(z): no product.
  double error(ConstSpan z, ConstSpan u, Measure measure) const;
  /// ½ z'(SNS)z + q'z from u = velocity(z): no product.
  double objective(ConstSpan z, ConstSpan u) const;

  /// Number of contacts whose impulse is not strictly inside K (separated or on the boundary), and
  /// for each contact its state 0 separated, 1 boundary, 2 interior (counted against `states` of
  /// the previous call in `changes`).
  struct ActiveSet {
    Index separated = 0, boundary = 0, interior = 0, changes = 0;
  };
  ActiveSet active_set(ConstSpan z, std::span<signed char> states) const;

  void to_scaled(ConstSpan x, Span z) const;
  void to_physical(ConstSpan z, Span x) const;
  ConstSpan scale() const { return scale_; }

  /// Largest eigenvalue of S N S by power iteration from a fixed start (counts its products).
  double largest_eigenvalue(int iterations = 20) const;

private:
  const ContactProblem* problem_;
  const DelassusOperator* n_;
  Law law_;
  Vector scale_; ///< sqrt(rho), one per block.
  Vector q_;     ///< Scaled free velocity, tilted if asked.
  Vector bound_; ///< Scaled tangential bounds of the fixed-bound sets.
  double reference_ = 0;
  mutable long products_ = 0;
};

} // namespace talus
