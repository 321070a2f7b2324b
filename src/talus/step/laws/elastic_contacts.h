#pragma once
// Contacts of finite stiffness k (world/material.h), implicit in time.
//
// Under a force r/h the surfaces yield by r/(h k): Φ⁺ = Φ + h u_n = −r_n/(h k) is the gap at the
// step's end, and s⁺ = s + h u_t = −r_t/(h k) is how far a contact that sticks is sheared. Divided
// by h this is a contact with compliance,
//
//     Dᵀ v⁺ + w + E r = 0,   w = (Φ, s)/h,   E = 1/(h² k),
//
// and Coulomb's law holds for the left-hand side in place of the velocity: its tangential part is
// the speed of sliding alone. Gaps remember themselves; the shear s is −h E r of the last step,
// carried along as the bodies turn. So nothing creeps: at rest r stays as it is, and u is 0.
//
// Contacts of automatic stiffness have E = ε/m, with m the mass of the lighter body: every body of
// that mass which they carry makes them yield by ε g h². Where the load r_n of the last step is
// more than n₀ = `bodies_carried` such weights, E = ε/m · √(n₀ m g h / r_n). The yield then grows
// with the root of the load, so that heavy bodies hardly sink into light ones. With the load of the
// last step in place of the present one, the law δ ∝ √r is approached by half of what is missing in
// each step (a power p of the load in E by the share p; with p = 0.8 columns begin to rock).
//
// With E > 0 the impulses are unique wherever the sliding is known, and sweeps no longer walk along
// self-stresses (docs/theory/elastic.md).

#include "talus/collide/contact_point.h"
#include "talus/problem/contact_problem.h"
#include "talus/step/laws/hertz_contacts.h"
#include "talus/world/body.h"

#include <span>

namespace talus {

/// The load up to which contacts of automatic stiffness are linear springs, in weights of the
/// lighter body.
inline constexpr double bodies_carried = 5;

/// E of a contact of automatic stiffness. Without gravity there is no weight to compare loads with,
/// and the spring is linear.
double automatic_compliance(double relative_compliance, double inverse_mass,
                            double last_normal_impulse, double gravity, double h);

/// Takes the shear that impulses r of the last step left, in the frames of this step's problem,
/// into w: w_t = −E r_t, less where a contact of Hertz' law has softened. The problem is a
/// RigidModel that has its compliance; `hertz` has all contacts or none.
void resume_shear(ConstSpan last_impulses, std::span<const HertzContact> hertz, double h,
                  ContactProblem& problem);

/// What contacts hold at the end of a step with impulses x: Σ ½ E x² (J). Rows do not count.
double elastic_energy(const ContactProblem& problem, ConstSpan x);

/// An impulse of the last step, of length h, turned as its contact has turned since: with its
/// normal, and about it with the mean spin of the two bodies. Zero if the normal has turned by a
/// right angle or more.
Vec3 turned_with(const ContactPoint& contact, const Vec3& normal_before,
                 std::span<const BodyState> states, double h, const Vec3& impulse);

} // namespace talus
