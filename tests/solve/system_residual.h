#pragma once
// How well a system of newton_system.h is solved.

#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/scaled_problem.h"

namespace talus::test {

/// |(C + K N) dz - rhs| / |rhs|.
inline double relative_residual(const ScaledProblem& problem, ConstSpan c, ConstSpan k,
                                ConstSpan rhs, ConstSpan dz) {
  Vector n_dz(problem.size()), residual(rhs.begin(), rhs.end());
  problem.product(dz, n_dz);
  const int d = problem.dimension();
  for (Index contact = 0; contact < problem.contacts(); ++contact)
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j)
        residual[d * contact + i] -= c[d * d * contact + d * i + j] * dz[d * contact + j] +
                                     k[d * d * contact + d * i + j] * n_dz[d * contact + j];
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index row = d * problem.contacts() + j;
    residual[row] -=
        c[d * d * problem.contacts() + j] * dz[row] + k[d * d * problem.contacts() + j] * n_dz[row];
  }
  return talus::norm(residual) / talus::norm(rhs);
}

} // namespace talus::test
