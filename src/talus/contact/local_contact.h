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
// Rolling friction under Coulomb's law: separation and sticking in closed form, then Newton's
// method of rolling_step.h; where that fails, and under the associated law, the natural map.

#include "talus/contact/contact_set.h"
#include "talus/contact/projection_kernels.h"

#include <type_traits>

namespace talus {

/// What stays the same for a contact during a solve. A sweep fills one for every contact it visits,
/// so entries beyond the dimension are not set.
struct LocalContact {
  double A[max_dimension * max_dimension];       ///< dimension x dimension, row-major.
  double inverse[max_dimension * max_dimension]; ///< A⁻¹.
};

/// Prepares a contact with the block a; a singular one is regularised by 1e-12 of its trace.
void prepare_local_contact(const double* a, int dimension, LocalContact& contact);

/// A prepared contact of symmetric A as sweeps keep it, two thirds as large: the upper triangles of
/// A and A⁻¹, row by row.
template <int entries>
struct PackedBlocks {
  double A[entries] = {}, inverse[entries] = {};
};
using PackedContact = PackedBlocks<6>;
/// The same with moments, dimension 5 or 6.
using PackedRollingContact = PackedBlocks<21>;
template <int d>
auto pack(const LocalContact& contact) {
  std::conditional_t<(d > 3), PackedRollingContact, PackedContact> packed;
  for (int i = 0, k = 0; i < d; ++i)
    for (int j = i; j < d; ++j, ++k) {
      packed.A[k] = contact.A[d * i + j];
      packed.inverse[k] = contact.inverse[d * i + j];
    }
  return packed;
}
template <int d, class Packed>
void unpack(const Packed& packed, LocalContact& contact) {
  for (int i = 0, k = 0; i < d; ++i)
    for (int j = i; j < d; ++j, ++k) {
      contact.A[d * i + j] = contact.A[d * j + i] = packed.A[k];
      contact.inverse[d * i + j] = contact.inverse[d * j + i] = packed.inverse[k];
    }
}

/// How exactly the direction of sliding on a round cone is found: up to rounding, or up to 1e-9 or
/// so, for sweeps that come back. Started from such an answer, the next one is exact.
enum class LocalAccuracy { rounding, sweep };

/// Solves for z given b; on entry z is the starting guess (its tangential direction is used). The
/// answer's natural residual |z - P(z - û)| is at the level of rounding unless less is asked for.
void solve_local_contact(const LocalContact& contact, const ContactSet& set, Law law,
                         const double* b, double* z,
                         LocalAccuracy accuracy = LocalAccuracy::rounding);

/// The same on a round cone in space where the contact neither separates nor sticks.
void slide_on_round_cone(const LocalContact& contact, double mu, Law law, const double* b,
                         const double* stick, double* z, LocalAccuracy accuracy);
/// The same on any round cone in space, which most contacts are; few of them slide, and the others
/// are done without a call.
inline void solve_on_round_cone(const LocalContact& contact, double mu, Law law, const double* b,
                                double* z, LocalAccuracy accuracy) {
  if (b[0] >= (law == Law::coulomb ? 0.0 : mu * tangential_length<3>(b))) {
    z[0] = z[1] = z[2] = 0;
    return;
  }
  const double* inverse = contact.inverse;
  double stick[3];
  for (int i = 0; i < 3; ++i)
    stick[i] = -(inverse[3 * i] * b[0] + inverse[3 * i + 1] * b[1] + inverse[3 * i + 2] * b[2]);
  if (!(tangential_length<3>(stick) <= mu * stick[0]))
    return slide_on_round_cone(contact, mu, law, b, stick, z, accuracy);
  for (int i = 0; i < 3; ++i) z[i] = stick[i];
}

/// The same on a contact with moments under Coulomb's law, by Newton's method (rolling_step.h) from
/// z; false where that does not end at an answer.
bool slide_with_moments(const LocalContact& contact, const ContactSet& set, const double* b,
                        double* z, LocalAccuracy accuracy);

/// What a sweep does with a contact of dimension 5 or 6: in closed form where that is possible, and
/// where it slips with LocalAccuracy::sweep.
template <int d>
void solve_in_sweep(const PackedRollingContact& contact, const ContactSet& set, Law law,
                    const double* b, double* z);

/// |z - P(z - û)| of the one-contact problem.
double local_residual(const LocalContact& contact, const ContactSet& set, Law law, const double* b,
                      const double* z);

} // namespace talus
