#pragma once
// Principal pivoting with bounds (Dantzig and Cottle 1968, Keller 1973; with two bounds: Baraff
// 1994):
//
//     u = A x + b,   lower ≤ x ≤ upper,   u = 0 between the bounds, u ≥ 0 at lower, u ≤ 0 at upper
//
// for symmetric positive semi-definite A (positive semi-definite or P-matrices without symmetry
// work as a rule).
//
// Components are basic (u = 0, x free to move) or nonbasic (x at a bound). One violated component
// at a time is driven towards u = 0 while the basic ones follow; whatever reaches a bound or zero
// first changes its state by a principal pivot. Components that are satisfied stay so, hence the
// number of violated ones falls with every driven component. A component whose diagonal vanishes in
// the Schur complement depends on the basic ones and is never made basic: redundant contacts and
// joints need no regularisation.
//
// The most violated component is driven; after a step of length zero the one of least index is,
// with ties broken the same way, until there is progress again: so it does not cycle (Chang and
// Cottle 1980).
//
// Dense: n² numbers, 2 n² flops per pivot, about as many pivots as components become basic.

#include <Eigen/Core>

#include <functional>

namespace talus {

enum class PrincipalEnd {
  solution,
  ray,       ///< A component can be driven for ever: no x satisfies all bounds.
  stopped,   ///< `go_on` said so.
  not_convex ///< A pivot that must be positive is not: A is not positive semi-definite.
};

struct PrincipalAnswer {
  PrincipalEnd end = PrincipalEnd::stopped;
  Eigen::VectorXd x;
  long pivots = 0;
};

/// More pivots than any problem of this size was seen to need, for callers that set a limit.
inline long most_pivots(long size) {
  return 1000 + 100 * size;
}

/// A must be scaled to diagonal entries near 1. Components start at `start` (clamped); those that
/// do not start at a bound are driven off it like violated ones. `go_on` is asked before every
/// pivot.
PrincipalAnswer principal_pivoting(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                                   const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                                   const Eigen::VectorXd& start,
                                   const std::function<bool()>& go_on);

} // namespace talus
