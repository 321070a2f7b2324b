#pragma once
// The curvature of round admissible sets where contacts slide, as second-order methods meet it.
//
// At a point z of the disc's boundary |z_t| = R with outward direction e, the Hessian of the
// Lagrangian of  min f(z), z ∈ K  is that of f plus Λ = λ (1 - e e') / |z_t|, where λ ≥ 0 is the
// multiplier of the bound: λ = -u·e on the cylinder, -u·(-mu, e) / (1 + mu²) on the cone (u the
// gradient at z). It is what a step along the tangent needs to know of the bend ahead.

#include "talus/problem/scaled/scaled_problem.h"

namespace talus {

/// p'Λq at z, summed over the sliding contacts; 0 for polyhedral sets and in the plane.
double boundary_curvature(const ScaledProblem& problem, ConstSpan z, ConstSpan u, ConstSpan p,
                          ConstSpan q);

} // namespace talus
