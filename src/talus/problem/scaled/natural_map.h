#pragma once
// The natural map of the contact problem and its generalised derivative, in scaled variables, with
// an optional proximal term:
//
//     F(z) = z - P_K((z - û + ε centre) / (1 + ε)),    u = N z + q,   û = u + σ(u_t) e_n
//     F'(z) = I - J (I - T N) / (1 + ε) = C + K N,     K = J T / (1 + ε),   C = I - J / (1 + ε)
//
// with J an element of ∂P_K at the projected point and T = I + e_n ∇σ(u_t)ᵀ the derivative of De
// Saxcé's tilt (I for the associated law). J and T are block diagonal. On equality rows P_K clamps
// the multiplier. A zero of F solves the problem with ε (z - centre) added to û: for large ε one
// projected step from the centre, for ε = 0 the problem itself. The tilt is that of u alone, so
// that the problem with large ε is a contraction for every friction coefficient.

#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/scaled_problem.h"

namespace talus {

/// The proximal term ε (z - centre).
struct Proximal {
  double weight = 0;
  ConstSpan centre; ///< May be empty when the weight is 0.
};

/// (z - u + ε centre) / (1 + ε), entry by entry: what is projected, but for the tilt.
inline double proximal_point(const Proximal& proximal, Index row, ConstSpan z, ConstSpan u) {
  if (proximal.weight == 0) return z[row] - u[row];
  return (z[row] - u[row] + proximal.weight * proximal.centre[row]) / (1 + proximal.weight);
}

/// f = z - P((z - u + ε centre) / (1 + ε)), where project_contact(c, point) replaces the point of
/// contact c by its projection and equality rows are clamped. Returns |f| (of all
/// ranks).
template <class ProjectContact>
double projection_residual(const ScaledProblem& problem, const Proximal& proximal, ConstSpan z,
                           ConstSpan u, Span f, ProjectContact&& project_contact) {
  const int d = problem.dimension();
  for (Index c = 0; c < problem.contacts(); ++c) {
    double point[max_dimension];
    for (int i = 0; i < d; ++i) point[i] = proximal_point(proximal, d * c + i, z, u);
    project_contact(c, point);
    for (int i = 0; i < d; ++i) f[d * c + i] = z[d * c + i] - point[i];
  }
  for (Index j = 0; j < problem.equalities(); ++j) {
    const Index row = d * problem.contacts() + j;
    f[row] = z[row] - problem.project_row(j, proximal_point(proximal, row, z, u));
  }
  return problem.norm(f);
}

/// F at z, where u = N z + q without the proximal part. Returns |F|.
double natural_map(const ScaledProblem& problem, const Proximal& proximal, ConstSpan z, ConstSpan u,
                   Span f);

/// C and K at z, in the layout of DelassusOperator::diagonal().
void natural_map_derivative(const ScaledProblem& problem, const Proximal& proximal, ConstSpan z,
                            ConstSpan u, Span c, Span k);

/// Length of a block-diagonal matrix of the problem.
std::size_t block_diagonal_size(const ScaledProblem& problem);

} // namespace talus
