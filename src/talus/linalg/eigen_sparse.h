#pragma once
// Between Talus' sparse matrices and Eigen's, for the files that factorise.

#include "talus/core/sparse_matrix.h"

#include <Eigen/SparseCore>

namespace talus {

using EigenSparse = Eigen::SparseMatrix<double, Eigen::ColMajor, Index>;

inline EigenSparse to_eigen(const SparseMatrix& a) {
  return Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, Index>>(
      a.rows, a.columns, a.nonzeros(), a.row_start.data(), a.column.data(), a.value.data());
}

inline Eigen::Map<const Eigen::VectorXd> as_eigen(ConstSpan x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

inline Eigen::Map<Eigen::VectorXd> as_eigen(Span x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

/// One number per block of the vector layout, repeated for every entry of the block.
inline Eigen::VectorXd per_entry(ConstSpan per_block, int dimension, Index contacts) {
  const Index rows = static_cast<Index>(per_block.size()) - contacts;
  Eigen::VectorXd result(dimension * contacts + rows);
  for (Index i = 0; i < dimension * contacts; ++i) result[i] = per_block[i / dimension];
  for (Index j = 0; j < rows; ++j) result[dimension * contacts + j] = per_block[contacts + j];
  return result;
}

/// The matrix of `a` with rows multiplied by `scale`, one number per block of the vector layout
/// (ScaledProblem::scale()).
inline SparseMatrix scale_rows(SparseMatrix a, ConstSpan scale, int dimension, Index contacts) {
  for (Index i = 0; i < a.rows; ++i) {
    const Index block =
        i < dimension * contacts ? i / dimension : contacts + i - dimension * contacts;
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k) a.value[k] *= scale[block];
  }
  return a;
}

/// S a S for a square matrix, S the diagonal of `scale` as in scale_rows().
inline SparseMatrix scale_both_sides(SparseMatrix a, ConstSpan scale, int dimension,
                                     Index contacts) {
  const Eigen::VectorXd s = per_entry(scale, dimension, contacts);
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = a.row_start[i]; k < a.row_start[i + 1]; ++k) a.value[k] *= s[i] * s[a.column[k]];
  return a;
}

} // namespace talus
