#pragma once
// Factorisations of dense matrices, by Eigen: functions instead of Eigen's templates, which take
// long to compile, so that only dense_factor.cpp does.

#include "talus/core/types.h"

#include <Eigen/Core>

#include <memory>

namespace talus {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// LU with partial pivoting of a square matrix.
class DenseLu {
public:
  DenseLu();
  ~DenseLu();
  DenseLu(DenseLu&&) noexcept;
  DenseLu& operator=(DenseLu&&) noexcept;

  void factorise(const RowMajorMatrix& a);
  void solve(Eigen::VectorXd& x) const; ///< x = A⁻¹ x.
  int determinant_sign() const;         ///< 1, -1, or 0 for a pivot that is 0.

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A = V diag(values) V' of a symmetric matrix, of which the lower triangle is read; values
/// increase.
struct EigenPairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
EigenPairs symmetric_eigenpairs(const Eigen::MatrixXd& a);
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a);

/// A minimiser of |A x - b|, by QR with column pivoting.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
/// An orthonormal basis of the span of the columns; pivots below `threshold` times the largest
/// count as zero.
Eigen::MatrixXd column_basis(const Eigen::MatrixXd& a, double threshold);

} // namespace talus
