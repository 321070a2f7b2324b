#pragma once
// Nonsmooth functions whose zeros are the solutions of the contact problem, beside the natural map
// (natural_map.h). In scaled variables, with u = N z + q and the derivative as F' = C + K N, block
// diagonal C and K.
//
//   min-max        F_i = max(z_i - hi_i, min(z_i - lo_i, u_i))          preclik2009 eq. 18
//                  with constant bounds (none, box) or hi = -lo = μ max(z_n, 0) (pyramid and, in
//                  the plane, every cone-shaped set), which is Coulomb's law component by
//                  component.
//   alart-curnier  F_n = z_n - max(z_n - u_n, 0),  F_t = z_t - P_{b S}(z_t - u_t),
//                  b = μ max(z_n - u_n, 0): Coulomb's law on every cone-shaped set S (Alart &
//                  Curnier 1991); the natural map for the others.

#include "talus/problem/scaled/natural_map.h"

namespace talus {

/// Why the function does not describe the problem; empty if it does.
std::string_view min_max_refusal(const ScaledProblem& problem);
std::string_view alart_curnier_refusal(const ScaledProblem& problem);

/// F at z; returns |F|.
double min_max(const ScaledProblem& problem, ConstSpan z, ConstSpan u, Span f);
/// C and K; without `bound_derivative` the bounds are held constant in them, as in preclik2009's
/// box adaptation.
void min_max_derivative(const ScaledProblem& problem, bool bound_derivative, ConstSpan z,
                        ConstSpan u, Span c, Span k);

/// With a proximal term as in the natural map: z - u becomes (z - u + ε centre) / (1 + ε).
double alart_curnier(const ScaledProblem& problem, const Proximal& proximal, ConstSpan z,
                     ConstSpan u, Span f);
void alart_curnier_derivative(const ScaledProblem& problem, const Proximal& proximal,
                              bool bound_derivative, ConstSpan z, ConstSpan u, Span c, Span k);

} // namespace talus
