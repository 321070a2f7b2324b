#pragma once
// Mechanisms of a rigid problem: bodies joined by rows without bounds, and the factors of their
// part of N, with which joint_elimination.h solves the joints exactly.

#include "talus/problem/contact_problem.h"

#include <Eigen/SparseCholesky>

#include <array>
#include <deque>
#include <vector>

namespace talus {

/// True if the row has no bounds: a joint, not a limit or a motor of limited strength.
bool is_free(const ContactProblem& problem, Index row);

/// One entry of x seen from the bodies: the wrench of its unit impulse on both sides, and the
/// velocity M⁻¹ wrench it gives them. Bodies that cannot move do not count (-1).
struct ImpulseColumn {
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  std::array<Index, 2> body{-1, -1};
  std::array<Vector6, 2> wrench, motion;
};

/// Of every entry of x.
std::vector<ImpulseColumn> impulse_columns(const ContactProblem& problem);

/// (Dᵀ M⁻¹ D)_ij, and the part of it that goes through one body.
double coupling(const ImpulseColumn& i, const ImpulseColumn& j);
double coupling_through(Index body, const ImpulseColumn& i, const ImpulseColumn& j);

struct Mechanism {
  /// Row by row, so that solves for many columns run along them.
  using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using DenseVector = Eigen::VectorXd;

  std::vector<Index> rows;   ///< Free entries of x.
  std::vector<Index> others; ///< Other entries of x that touch its bodies.
  std::vector<Index> kept;   ///< Those of them that couple() was given.
  DenseVector scale;         ///< 1 / sqrt of the diagonal of N_ff.
  Eigen::SparseMatrix<double> matrix;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor;
  Dense coupling; ///< N_fc, scaled by `scale` from the left.

  /// Throws InvalidProblem for entries that are not finite.
  void factorise(const ContactProblem& problem, const std::vector<ImpulseColumn>& columns);
  /// Sets `kept` and `coupling`: all of `others` that are wanted.
  void couple(const std::vector<bool>& is_wanted, const std::vector<ImpulseColumn>& columns);
  /// N_ff⁺ b in scaled variables: the regularised solve and its refinement, which converges like
  /// (regularisation / eigenvalue)^k on the range of N_ff.
  Dense solve(const Dense& b) const;
  DenseVector solve(const DenseVector& b) const;
  /// Its rows of y, scaled.
  DenseVector gather(ConstSpan y) const;

private:
  /// The regularised solve, in place.
  void apply_factor(Dense& b) const;
};

struct Mechanisms {
  std::deque<Mechanism> list; ///< Factorisations cannot be moved.
  std::vector<Index> others;  ///< Entries of x that are not free rows, increasing.
};

/// Not factorised yet. O(size of the problem).
Mechanisms find_mechanisms(const ContactProblem& problem,
                           const std::vector<ImpulseColumn>& columns);

} // namespace talus
