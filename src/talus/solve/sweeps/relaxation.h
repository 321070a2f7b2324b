#pragma once
// The two convex relaxations of a step with Coulomb friction (anitescu2002), as contact problems of
// their own that any convex solver of the family can solve. With d_k the generators of the friction
// cone, λ_c = Λ(u)_c = max_k d_k·u_t the sliding speed of a contact, and Γ = mu λ:
//
//     P1(Γ)   the associated law with normal velocities raised by Γ:
//             K ∋ r ⊥ u + (Γ, 0) ∈ K*. A solution with Γ = mu Λ(u) solves the step.
//     P2(λ)   friction that costs λ per unit of generator weight instead of being bounded by the
//             normal impulse: r_n ≥ 0 ⊥ u_n ≥ 0,  β_k ≥ 0 ⊥ d_k·u_t + λ ≥ 0. Its solution keeps
//             non-penetration exact and dissipates, r·u = -λ Σ β ≤ 0, for every λ ≥ 0, but its
//             impulses need not lie in the friction cone. With λ of the step's solution it has the
//             velocities of the step.
//
// P2 has one component per unknown: dimension 1, unknowns (r_n, β) contact by contact.

#include "talus/problem/contact_problem.h"

namespace talus {

/// λ_c = Λ(u)_c in m/s, from contact velocities u (`dimension` per contact): |u_t| for the circular
/// cone.
void sliding_speeds(const ContactProblem& problem, ConstSpan u, Span speeds);

/// P1(Γ), Γ in m/s, one per contact.
ContactProblem first_relaxation(const ContactProblem& problem, ConstSpan gamma);

class SecondRelaxation {
public:
  /// For polyhedral cone-shaped sets and problems without compliance, else InvalidArgument. Keeps
  /// nothing of the problem.
  explicit SecondRelaxation(const ContactProblem& problem);

  /// P2(λ), λ in m/s, one per contact.
  const ContactProblem& at(ConstSpan speeds);
  /// Impulses and multipliers of the step from those of P2.
  void to_impulses(ConstSpan unknowns, Span x) const;

private:
  ContactProblem relaxed_;
  SparseMatrix combine_;       ///< r = combine · (r_n, β).
  Vector offset_;              ///< Normal or tangential free velocities at λ = 0.
  std::vector<Index> contact_; ///< Whose λ the unknown costs; -1 for r_n.
};

} // namespace talus
