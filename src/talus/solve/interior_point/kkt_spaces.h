#pragma once
// What the linear algebras behind KktSystem share.

#include "talus/solve/interior_point/kkt_system.h"
#include "talus/solve/newton/newton_blocks.h"

namespace talus {

/// rb −= RᵀR dz on the leading `active` entries of every block; the others become 0.
void subtract_hessian(const BlockLayoutOfRows& layout, const std::vector<signed char>& active,
                      ConstSpan root, ConstSpan dz, Span rb);

/// Whether make_kkt_velocity_space() makes one.
bool has_kkt_velocity_space(const ScaledProblem& problem);
/// Nothing when the problem has no symmetric velocity space. Where the stop test is met between the
/// phases of the set-up, the method is left unfinished; it is asked again before every
/// factorisation (KktSystem) and between its phases.
std::unique_ptr<KktSystem::Method> make_kkt_velocity_space(const ScaledProblem& problem,
                                                           const std::vector<signed char>& active,
                                                           bool eliminate, SymmetricFactor& factor,
                                                           StopTest stop);
std::unique_ptr<KktSystem::Method> make_kkt_contact_space(const ScaledProblem& problem,
                                                          const std::vector<signed char>& active,
                                                          SymmetricFactor& factor, StopTest stop);

/// Over the bodies of all ranks; without velocities of its own, like the contact space.
std::unique_ptr<KktSystem::Method> make_kkt_rank_space(const ScaledProblem& problem,
                                                       const std::vector<signed char>& active,
                                                       LinearEngine engine);

} // namespace talus
