#pragma once
// A smoothing Newton method for mixed linear complementarity problems with bounds,
//
//     F(y) = A y + b,   lower ≤ y ≤ upper,   F = 0 between the bounds, ≥ 0 at lower, ≤ 0 at upper,
//
// that is, the zeros of H_0 with  H_τ(y) = y - mid_τ(y - F(y)),  where mid_0(x) clamps x to the
// bounds and mid_τ is smooth: every kink max(0, x) becomes (x + sqrt(x² + 4 τ²)) / 2 (Gabriel and
// Moré 1997). The zeros of H_τ form a path that leads to a solution as τ → 0. Newton steps approach
// the path at constant τ, with a line search that compares with the worst of the last steps, not
// the last (Grippo; Ferris and Lucidi 1994), and follow it, near it, with a τ that shrinks the
// faster the better the steps fit (Burke and Xu 1998).
//
// Converges globally for P0-matrices with bounded level sets and quadratically near solutions with
// regular Jacobian. Coulomb friction has no P0-matrix: it can end at a point without descent, which
// `step` reports.
//
// Cost of a step: a sparse LU factorisation of a matrix with the pattern of A, and a few products
// with A.

#include "talus/core/stop_test.h"
#include "talus/linalg/sparse_lu.h"
#include "talus/solve/sweeps/polyhedral_step.h"

#include <deque>

namespace talus {

struct McpNewtonOptions {
  double smoothing = 0.3;  ///< First τ, relative to the residual of y = 0.
  int memory = 8;          ///< Steps the line search remembers.
  double proximal = 1e-10; ///< Least weight of the proximal term that regularises A.
};

class McpNewton {
public:
  /// Keeps a reference to the problem. y starts at zero, clamped to the bounds. Once `stop` is met,
  /// between the phases of a factorisation, no step is made any more.
  McpNewton(const MixedComplementarity& problem, const McpNewtonOptions& options,
            StopTest stop = {});

  const Eigen::VectorXd& y() const { return y_; }
  /// Goes on from here, with the path begun anew at τ = `smoothing` times the residual here.
  void restart(const Eigen::VectorXd& y, double smoothing);

  /// One Newton step; false when no step reduces the merit function, however regularised.
  bool step();

private:
  struct Smoothed {
    Eigen::VectorXd H;         ///< y - mid_τ(y - F).
    Eigen::VectorXd slope;     ///< ∂mid/∂x, in [0, 1].
    Eigen::VectorXd smoothing; ///< ∂mid/∂τ.
  };
  Smoothed evaluate(const Eigen::VectorXd& y, double tau) const;
  bool solve_direction(const Smoothed& at, double tau_change);
  bool follow_path(const Smoothed& here);
  bool approach_path();

  const MixedComplementarity& problem_;
  McpNewtonOptions options_;
  StopTest stop_;
  EigenSparse jacobian_; ///< Has the pattern of A and the diagonal.
  SparseLu lu_{SparseLu::Pattern::symmetric};
  bool analysed_ = false;
  Eigen::VectorXd y_, direction_;
  double tau_ = 0, reduction_ = 0, proximal_ = 0;
  std::deque<double> recent_; ///< Residuals since τ changed.
};

} // namespace talus
