#pragma once
// How good an answer is: one set of measures for every solver, computed from the answer alone.
//
// With rho_c = dimension / trace(N_cc), û the (tilted) velocity, P the projection on K_c,
//
//     F_c(r) = r_c - P(r_c - rho_c û_c),     F_j = rho_j y_j (equality rows without bounds),
//     |F|_E² = Σ |F_c|² / rho_c + Σ F_j² / rho_j
//
//     error           max(|F(x)|_E / |F(0)|_E, resolution)
//                     scale-free; 1 for zero impulses, 0 when F(0) = 0
//     resolution      2⁻⁵² |x|_E / |F(0)|_E    what rounding of the impulses hides
//     error_fclib     the same with rho = 1 and FCLIB's denominators, for comparison with Siconos
//     violation       max_c |F_c| / rho_c      how wrong the worst contact is, in m/s; under
//                     Coulomb's law its normal velocity may be wrong by √(1 + mu²) times as much
//     primal          (Σ dist(r_c, K_c)² / rho_c)^½ / |F(0)|_E
//     dual            (Σ rho_c dist(û_c, K_c*)² + Σ rho_j y_j²)^½ / |F(0)|_E       (unbounded rows)
//     complementarity Σ |r_c·û_c + support_c| / |F(0)|_E²                           (contacts)
//     momentum        |M v - H r - G l - f| / max(|f|, |M v|, |H r + G l|)
//                     with the v that the operator derives from x; 0 for local and rigid models,
//                     where no factorisation stands between x and v
//     objective       ½ x'N x + q̄'x
//
// In r - P(r - rho û) a velocity below one unit in the last place of r vanishes, so that impulses
// of 1e18 would score 0 whatever they do: no error below the resolution is evidence of anything.
// Where the error is near it, velocities are computed in extended precision (extended_product.h).
//
// Of a problem that is divided over ranks, momentum is 0, as no factorisation is involved, and
// velocities are not computed in extended precision.
//
// docs/theory/error.md says why and gives FCLIB's denominators. When |F(0)|_E <= 64 ε |q̄|_E, zero
// impulses are a solution; `error` is then 0 if x solves the problem as exactly, else infinite.

#include "talus/problem/delassus/delassus.h"

#include <limits>

namespace talus {

class ScaledProblem;

struct Quality {
  double error = 0, error_fclib = 0, violation = 0, resolution = 0;
  double primal = 0, dual = 0, complementarity = 0, momentum = 0, objective = 0;
};

/// Which measure a tolerance is about.
enum class Measure { talus, fclib };

Measure parse_measure(std::string_view text);
std::string_view to_string(Measure measure);

inline double error_of(const Quality& quality, Measure measure) {
  return measure == Measure::talus ? quality.error : quality.error_fclib;
}

/// Impulses with |x|_E above this multiple of |F(0)|_E are no answer: they would be 10⁹ times those
/// that stop each contact on its own, and the velocities would be their rounding.
inline constexpr double largest_relative_size = 1e9;

/// The size of x in multiples of |F(0)|_E.
inline double relative_size(const Quality& quality) {
  return quality.resolution / std::numeric_limits<double>::epsilon();
}

/// Judges x = (r, l). One product with N. NaN anywhere in x gives NaN errors, which are above every
/// tolerance.
Quality judge(const ContactProblem& problem, const DelassusOperator& n, ConstSpan x);

/// The same for a caller who has the scaled problem, with nothing frozen: z becomes x in scaled
/// variables, u the velocity N x + q̄.
Quality judge(const ScaledProblem& scaled, ConstSpan x, Span z, Span u);

} // namespace talus
