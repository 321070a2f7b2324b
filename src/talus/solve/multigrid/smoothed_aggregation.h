#pragma once
// The coarse space of smoothed aggregation (Vaněk, Mandel, Brezina 1996) for symmetric positive
// semi-definite matrices made of node blocks, with a given near null space.
//
// Nodes are grouped into aggregates of neighbours; the modes restricted to an aggregate, made
// orthonormal, are its coarse degrees of freedom; the prolongator is smoothed by one Jacobi step.
// This is repeated on the Galerkin product until the space is small enough.

#include "talus/solve/lcp/bounded_system.h"

#include <Eigen/Core>

namespace talus {

/// The prolongator from the coarse space, a column per coarse degree of freedom. `node_start` are
/// the rows at which nodes begin, with the number of rows at its end; `modes` has a column per
/// mode. Aggregates at least once, and until there are at most `most_columns` (or aggregation stops
/// helping).
SparseRows aggregate_prolongator(const SparseRows& matrix, Eigen::MatrixXd modes,
                                 std::vector<Index> node_start, Index most_columns);

} // namespace talus
