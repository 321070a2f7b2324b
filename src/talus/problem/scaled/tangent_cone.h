#pragma once
// Tangent cones of the admissible sets: T_K(x), the closure of the directions that stay in K for a
// while. Methods that move along projected directions (projected gradient descent, conjugate
// projected gradient) live on it.

#include "talus/contact/contact_set.h"
#include "talus/problem/scaled/scaled_problem.h"

namespace talus {

/// y = nearest point of T_K(x) to the direction d, for x ∈ K (up to rounding; constraints within
/// 1e-12 relative of their bound count as active). y may be d.
void project_on_tangent_cone(const ContactSet& k, const double* x, const double* d, double* y);

/// The same for a whole vector; bounded equality rows are intervals, free ones keep their
/// direction.
void project_on_tangent_cone(const ScaledProblem& problem, ConstSpan z, ConstSpan d, Span y);

} // namespace talus
