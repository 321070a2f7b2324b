#pragma once
// Sparse LU for unsymmetric matrices of symmetric pattern, as Newton systems are: minimum degree
// ordering of the pattern, pivots on the diagonal unless they are small.

#include "talus/linalg/checked_lu.h"

namespace talus {

/// Eigen's AMDOrdering answers with the inverse of the permutation that SparseLU expects.
struct MinimumDegreeOrdering {
  using PermutationType = Eigen::AMDOrdering<Index>::PermutationType;
  void operator()(const EigenSparse& a, PermutationType& permutation) const {
    PermutationType inverse;
    Eigen::AMDOrdering<Index>()(a, inverse);
    permutation = inverse.inverse();
  }
};

class SparseLu : public CheckedLu<MinimumDegreeOrdering> {
public:
  SparseLu() {
    /// A diagonal entry is taken as pivot unless it is this much smaller than the largest.
    constexpr double pivot_threshold = 0.01;
    isSymmetric(true);
    setPivotThreshold(pivot_threshold);
  }
};

} // namespace talus
