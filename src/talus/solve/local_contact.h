#pragma once
// The one-contact problem  u = A z + b,  K ∋ z ⊥ û ∈ K*  for a positive definite A: what a
// Gauss-Seidel sweep solves again and again. A is assumed scaled to mean diagonal 1
// (ScaledProblem's variables).
//
// Cone, both laws: the cases separation (z = 0) and sticking (z = -A⁻¹ b ∈ K) are tested in closed
// form. What remains is sliding, z = z_n (1, mu e(θ)) with u_t opposite to e: one equation g(θ) =
// 0, solved by Halley's method (associated law: Newton's) from the last direction and, should that
// fail, by bracketing all its sign changes. Pyramids and polyhedra: enumeration of their faces.
// Fixed-bound sets: semismooth Newton on the natural map, safeguarded by projected gradient steps.

#include "talus/problem/contact_set.h"

namespace talus {

/// What stays the same for a contact during a solve.
struct LocalContact {
  double A[9] = {};       ///< dimension x dimension, row-major.
  double inverse[9] = {}; ///< A⁻¹.
};

/// Prepares a contact; a singular block is regularised by 1e-12 of its trace.
LocalContact prepare_local_contact(const double* a, int dimension);

/// How exactly the direction of sliding on a round cone is found: up to rounding, or up to 1e-9 or
/// so, for sweeps that come back. Started from such an answer, the next one is exact.
enum class LocalAccuracy { rounding, sweep };

/// Solves for z given b; on entry z is the starting guess (its tangential direction is used). The
/// answer's natural residual |z - P(z - û)| is at the level of rounding unless less is asked for.
void solve_local_contact(const LocalContact& contact, const ContactSet& set, Law law,
                         const double* b, double* z,
                         LocalAccuracy accuracy = LocalAccuracy::rounding);

/// |z - P(z - û)| of the one-contact problem.
double local_residual(const LocalContact& contact, const ContactSet& set, Law law, const double* b,
                      const double* z);

} // namespace talus
