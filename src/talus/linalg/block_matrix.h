#pragma once
// A sparse matrix in square blocks, one for each pair of contacts that act on each other.

#include "talus/core/sparse_matrix.h"

namespace talus {

/// Blocks of D x D, block row by block row, columns in ascending order.
template <int D>
struct BlockMatrix {
  std::vector<Index> row_start, column; ///< In contacts.
  Vector value;                         ///< D*D per block, row-major.
};

/// For D from 1 to 3, 5 and 6.
template <int D>
BlockMatrix<D> to_blocks(const SparseMatrix& a);

} // namespace talus
