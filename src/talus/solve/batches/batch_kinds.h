#pragma once
// What batches of contacts ask of bodies, blocks and the problem. For sources of this room only.

#include "talus/contact/rolling_step.h"
#include "talus/problem/delassus/sweep_rows.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace talus::batch {

inline bool is_isotropic(const RigidInverseMass& m) {
  const double* j = m.inertia;
  return j[1] == 0 && j[2] == 0 && j[4] == 0 && j[0] == j[3] && j[0] == j[5];
}

inline bool is_movable(const RigidInverseMass& m) {
  return m.mass != 0 || std::ranges::any_of(m.inertia, [](double entry) { return entry != 0; });
}

/// The rows of the operator that contacts of D components have.
template <int D>
using LayoutOf = std::conditional_t<D == 3, RigidLayout, RollingLayout>;

/// Whether the block, an upper triangle, is that of a sphere: diag(a_n, a_t, a_t), and with moments
/// as in contact/rolling_step.h.
template <int D>
inline bool has_round_block(const double* A) {
  if constexpr (D == 6) return rolling::is_round(A);
  const double small = 1e-9 * A[3];
  return std::abs(A[1]) <= small && std::abs(A[2]) <= small && std::abs(A[4]) <= small &&
         std::abs(A[3] - A[5]) <= small;
}

/// E of contacts and rows, as the operator measures moments.
template <int D>
ConstSpan compliance_of(const ScaledProblem& problem) {
  return D == 3 ? ConstSpan(problem.problem().compliance) : problem.delassus().compliance();
}

} // namespace talus::batch
