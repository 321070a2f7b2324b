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
// With E > 0 the impulses are unique wherever the sliding is known, and sweeps no longer walk along
// self-stresses (docs/theory/elastic.md).

#include "talus/collide/contact_point.h"
#include "talus/problem/contact_problem.h"
#include "talus/world/body.h"

#include <span>

namespace talus {

/// Takes the shear that impulses r of the last step left, in the frames of this step's problem,
/// into w: w_t = −E r_t. The problem is a RigidModel that has its compliance.
void resume_shear(ConstSpan last_impulses, ContactProblem& problem);

/// What contacts hold at the end of a step with impulses x: Σ ½ E x² (J). Rows do not count.
double elastic_energy(const ContactProblem& problem, ConstSpan x);

/// An impulse of the last step, of length h, turned as its contact has turned since: with its
/// normal, and about it with the mean spin of the two bodies. Zero if the normal has turned by a
/// right angle or more.
Vec3 turned_with(const ContactPoint& contact, const Vec3& normal_before,
                 std::span<const BodyState> states, double h, const Vec3& impulse);

} // namespace talus
