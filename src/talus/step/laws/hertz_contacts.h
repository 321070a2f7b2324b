#pragma once
// Hertz' law of contact and Mindlin's shear, implicit in time.
//
// Under an overlap δ surfaces press with F = κ δ^(3/2), κ = 4/3 E* √R*, and store U = 2/5 κ
// δ^(5/2). A step with overlap δ at its start and x = −Φ⁺ at its end takes the line through (δ,
// F(δ))
//
//     r_n / h = F(δ) + b (x − δ),   so   w_n = −F(δ) / (b h),   E_n = 1 / (h² b)
//
// in the problem of elastic_contacts.h. At rest x = δ, and the force is Hertz' whatever b is. The
// slope b = F'((δ + δ_p)/2) belongs to a predicted overlap δ_p ≥ δ: that of the motion at the
// step's start, for a contact that only begins that of the motion without contacts. F' is concave,
// so b is at least the slope of the chord from δ to δ_p, and the line is above F between them.
// Hence
//
//     (x − δ) r_n / h ≥ U(x) − U(δ)   for all x ≤ δ_p:
//
// what the bodies lose is at least what the contact stores, and energy does not grow. Where a
// contact closes farther than that and the inequality fails (another body pushed), δ_p = x is taken
// and the step solved again; with δ_p = δ it holds up to x = 11 δ, so this is rare.
//
// Mindlin: the contact resists shear with k_t = ratio · b at its present load. If the contact
// hardens, the tangential force of the last step is kept, and if it softens, the shear is: the
// energy ½ r_t²/(h² k_t) grows by neither (Thornton & Randall 1988 for decreasing loads). A k_t
// that differs by less than 1e-6 from that of the last step stays as it was.
//
// A linear spring of compliance c in series (a surface with `stiffness`): δ = z² + c κ z³ with
// F = κ z³.

#include "talus/problem/contact_problem.h"

#include <span>
#include <vector>

namespace talus {

struct HertzLaw {
  double coefficient = 0; ///< κ, N/m^1.5; 0: no such law.
  double series = 0;      ///< c, m/N.

  double force(double overlap) const;  ///< F(δ), N; 0 without overlap.
  double slope(double overlap) const;  ///< F'(δ), N/m.
  double energy(double overlap) const; ///< U(δ), J.

private:
  double root(double overlap) const; ///< z.
};

/// What a step needs of one contact. Lengths along the contact's own normal.
struct HertzContact {
  HertzLaw law;
  double gap = 0;           ///< Φ at the step's start.
  double slope = 0;         ///< b.
  double ratio = 1;         ///< k_t / k_n.
  double shear_series = 0;  ///< Compliance in series along the surface, m/N.
  double felt = 1;          ///< Length of the normal's part in the plane of a planar world.
  double shear_before = 0;  ///< Compliance along the surface in the last step, m/N; 0: none.
  double least_overlap = 0; ///< Slopes are at least that at this overlap.
  bool rebounds = false;    ///< Newton's law in place of Hertz' along the normal.

  double overlap() const { return gap < 0 ? -gap : 0.0; }
  /// Takes b for a predicted overlap.
  void set_slope(double predicted);
  /// w_n, E_n and E_t of steps of length h.
  double target(double h) const;
  double normal_compliance(double h) const;
  double shear_compliance(double h) const;
  /// The factor of E_t with which the shear of the last step is resumed: w_t = −factor E_t r_t.
  double kept_shear(double h) const;
};

/// Gives contacts whose overlap at the step's end has outrun their slope another one, also in the
/// problem; true if there were some. x and the bodies' velocities are the answer of the problem, a
/// RigidModel. Contacts without the law have coefficient 0.
bool steepen_where_outrun(std::span<HertzContact> contacts, double h, ConstSpan x,
                          ConstSpan velocities, ContactProblem& problem);

/// What has to be added to elastic_energy() of the answer, which takes all springs as linear.
double hertz_energy_correction(std::span<const HertzContact> contacts, double h, ConstSpan x,
                               ConstSpan velocities, const ContactProblem& problem);
/// The part of contact c.
double hertz_energy_correction(const HertzContact& contact, Index c, double h, ConstSpan x,
                               ConstSpan velocities, const ContactProblem& problem);

} // namespace talus
