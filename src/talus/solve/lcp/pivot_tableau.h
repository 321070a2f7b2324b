#pragma once
// The step that pivoting methods repeat: in the system  x_basic = T x_nonbasic  exchange the basic
// variable of row `row` with the nonbasic one of column `column`. A column of constants is one more
// nonbasic variable, fixed at 1.

#include <Eigen/Core>

namespace talus {

/// T(row, column) must not be zero. 2 · rows · columns flops.
inline void exchange(Eigen::MatrixXd& T, Eigen::Index row, Eigen::Index column) {
  Eigen::VectorXd factor = T.col(column);
  const double pivot = factor[row];
  Eigen::RowVectorXd solved = -T.row(row) / pivot;
  solved[column] = 1 / pivot;
  factor[row] = 0;
  T.col(column).setZero();
  T.row(row).setZero();
  T.noalias() += factor * solved;
  T.row(row) = solved;
}

} // namespace talus
