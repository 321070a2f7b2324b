#pragma once
// How good an answer is: one set of measures for every solver, computed from the answer alone.
//
// With rho_c = dimension / trace(N_cc), û the (tilted) velocity, P the projection on K_c,
//
//     F_c(r) = r_c - P(r_c - rho_c û_c),     F_j = rho_j y_j (equality rows without bounds),
//     |F|_E² = Σ |F_c|² / rho_c + Σ F_j² / rho_j
//
//     error           |F(x)|_E / |F(0)|_E      scale-free; 1 for zero impulses, 0 when F(0) = 0
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
// docs/theory/error.md says why and gives FCLIB's denominators. When |F(0)|_E <= 64 ε |q̄|_E, zero
// impulses are a solution; `error` is then 0 if x solves the problem as exactly, else infinite.

#include "talus/problem/delassus.h"

namespace talus {

class ScaledProblem;

struct Quality {
  double error = 0, error_fclib = 0, violation = 0;
  double primal = 0, dual = 0, complementarity = 0, momentum = 0, objective = 0;
};

/// Which measure a tolerance is about.
enum class Measure { talus, fclib };

Measure parse_measure(std::string_view text);
std::string_view to_string(Measure measure);

inline double error_of(const Quality& quality, Measure measure) {
  return measure == Measure::talus ? quality.error : quality.error_fclib;
}

/// Judges x = (r, l). One product with N. NaN anywhere in x gives NaN errors, which are above every
/// tolerance.
Quality judge(const ContactProblem& problem, const DelassusOperator& n, ConstSpan x);

/// The same for a caller who has the scaled problem, with nothing frozen: z becomes x in scaled
/// variables, u the velocity N x + q̄.
Quality judge(const ScaledProblem& scaled, ConstSpan x, Span z, Span u);

} // namespace talus
