#pragma once
// A problem of so few contacts that all of it lies on the stack, in the scaled variables of
// scaled_problem.h: N column by column, a contact's entries in one SIMD register. Setting up
// vectors and threads would take longer than solving it.

#include "talus/core/lanes.h"
#include "talus/problem/contact_set.h"
#include "talus/problem/delassus.h"
#include "talus/problem/quality.h"

namespace talus {

class FewContacts {
public:
  static constexpr Index most = 10;
  static constexpr int dimension = 3;
  /// The entries of a contact; the fourth is zero.
  using Entries = Lanes4;

  /// True for local models in space with at least one and at most `most` contacts and without
  /// equality rows.
  static bool admits(const ContactProblem& problem);

  /// For a problem that is admitted, and its operator.
  FewContacts(const ContactProblem& problem, const DelassusOperator& n);

  Index contacts() const { return contacts_; }
  double scale(Index c) const { return scale_[c]; }
  /// In scaled variables.
  ContactSet set(Index c) const { return {friction_, dimension, mu_[c], bound_[c]}; }
  double mu(Index c) const { return mu_[c]; }
  bool has_round_cones() const { return friction_.kind == FrictionKind::cone; }
  Law law() const { return law_; }
  bool is_tilted() const { return law_ == Law::coulomb && is_cone_shaped(friction_.kind); }
  const Entries& free_velocity(Index c) const { return q_[c]; }
  /// N: what each entry of the impulses does to contact 0, 1, ..., entry after entry.
  const Entries* columns() const { return n_; }
  /// |P(-q̂)|, 64 ε |q̂| and |q̄|, as ScaledProblem has them.
  double reference() const { return reference_; }
  double rounding() const { return rounding_; }
  double free_velocity_norm() const { return free_velocity_norm_; }

private:
  void fill_rows(const SparseMatrix& w, ConstSpan compliance);
  void fill_free_velocity(ConstSpan q);

  Index contacts_;
  Law law_;
  FrictionSet friction_;
  double scale_[most], mu_[most], bound_[most];
  Entries q_[most], n_[dimension * most * most];
  double reference_, rounding_, free_velocity_norm_;
};

/// Judges x = (r) as quality.h tells, in the same numbers up to rounding; u becomes N x + q̄. For
/// round cones.
Quality judge(const FewContacts& problem, ConstSpan x, Span u);

} // namespace talus
