#pragma once
// Lemke's complementary pivoting for  w = M z + q,  0 ≤ w ⊥ z ≥ 0  (Lemke 1965; Cottle, Pang and
// Stone, "The Linear Complementarity Problem", ch. 4.4).
//
// A covering vector d > 0 and an artificial variable z0 make w = M z + q + d z0 feasible; each
// pivot brings in the complement of the variable that left, until z0 leaves (a solution) or nothing
// blocks the entering variable (a ray). For copositive-plus M (all problems here with associated or
// without friction) a ray proves that there is no solution; the matrix of Coulomb's law is
// copositive, and there a ray means failure from this covering vector only.
//
// Ties in the ratio test are broken lexicographically, as if q were perturbed by (ε, ε², ...): no
// basis repeats, in exact arithmetic. Rounding is kept in check by factorising the basis afresh
// when the tableau has drifted, and the answer is solved once more from its basis.
//
// Dense: n x (n + 2) numbers, 2 n² flops per pivot, typically n to 3 n pivots.

#include <Eigen/Core>

#include <functional>

namespace talus {

enum class LemkeEnd {
  solution,
  ray,     ///< Nothing blocks the entering variable.
  stopped, ///< `go_on` said so.
  lost     ///< The basis became singular to working precision.
};

struct LemkeAnswer {
  LemkeEnd end = LemkeEnd::lost;
  Eigen::VectorXd z; ///< The solution; otherwise the basic solution where pivoting ended.
  long pivots = 0;
};

/// `go_on` is asked before every pivot.
LemkeAnswer lemke(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Eigen::VectorXd& cover,
                  const std::function<bool()>& go_on);

} // namespace talus
