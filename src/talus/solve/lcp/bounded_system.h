#pragma once
// A quadratic problem with bounds as an explicit sparse matrix, and its Gauss-Seidel smoother:
//
//     u = A x + b,   lower ≤ x ≤ upper,   u = 0 between the bounds, u ≥ 0 at lower, u ≤ 0 at upper.
//
// It is what a level of the algebraic multigrid method holds: contact problems without friction and
// with box friction, in scaled variables.

#include "talus/problem/scaled/scaled_problem.h"

#include <Eigen/SparseCore>

namespace talus {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Dense = Eigen::VectorXd;

struct BoundedSystem {
  SparseRows A;
  Dense diagonal; ///< Of A; positive where the component can move.
  Dense lower, upper, b;

  Index size() const { return static_cast<Index>(A.rows()); }
  /// Strictly between its bounds.
  bool is_between(const Dense& x, Index i) const { return x[i] > lower[i] && x[i] < upper[i]; }
};

SparseRows to_row_major(const SparseMatrix& matrix);

/// The problem's own system (set none or box; in the plane any fixed-bound set), b = q̄. The matrix
/// costs O(contacts) for body-structured operators, a solve with M per column for other global
/// models.
BoundedSystem bounded_system(const ScaledProblem& problem);

/// One componentwise projected Gauss-Seidel sweep.
void smooth(const BoundedSystem& system, Dense& x, bool backward);

} // namespace talus
