#pragma once
// A sparse matrix in compressed rows: the exchange format between files, problems and operators.
// Column indices are sorted within a row and unique. Factorisations live elsewhere (linalg).

#include "talus/core/types.h"

namespace talus {

struct Triplet {
  Index row = 0, column = 0;
  double value = 0;
};

struct SparseMatrix {
  Index rows = 0, columns = 0;
  std::vector<Index> row_start = {0}; ///< rows + 1 offsets into `column` and `value`.
  std::vector<Index> column;
  Vector value;

  bool empty() const { return rows == 0 || columns == 0; }
  Index nonzeros() const { return static_cast<Index>(value.size()); }
};

/// Duplicates add up; explicit zeros stay. Throws InvalidProblem on an index outside the matrix.
SparseMatrix from_triplets(Index rows, Index columns, std::vector<Triplet> entries);

/// A matrix of the given size without entries.
SparseMatrix zero_matrix(Index rows, Index columns);

SparseMatrix identity_matrix(Index n);

SparseMatrix transpose(const SparseMatrix& a);

/// [a b], side by side; both must have the same number of rows, or one be empty.
SparseMatrix join_columns(const SparseMatrix& a, const SparseMatrix& b);

/// A B, by Gustavson's row-wise algorithm.
SparseMatrix product(const SparseMatrix& a, const SparseMatrix& b);

/// y = A x, threaded over rows.
void multiply(const SparseMatrix& a, ConstSpan x, Span y);

/// Entry (i, j); zero where nothing is stored. O(log of the row's length).
double entry(const SparseMatrix& a, Index i, Index j);

/// max |A - Aᵀ| / max |A|; 0 for an empty matrix. The matrix must be square.
double asymmetry(const SparseMatrix& a);

} // namespace talus
