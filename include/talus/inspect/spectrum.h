#pragma once
// Rank and conditioning of a Delassus operator, from all its singular values. For reading about a
// problem, not for solving it: dense, O(size²) memory, O(size³) time, `size` products with N.
//
// The values are those of the scaled operator S N S, S = diag(sqrt(rho)): scaling changes neither
// rank nor signs, and takes the units and the mass ratios of single contacts out of the condition
// number.

#include "talus/problem/delassus/delassus.h"

namespace talus {

struct Spectrum {
  Index size = 0;       ///< Rows of N.
  Index rank = 0;       ///< Singular values above size · 1e-14 · largest.
  double largest = 0;   ///< Largest singular value.
  double smallest = 0;  ///< Smallest one that counts towards the rank.
  double condition = 0; ///< largest / smallest: the condition number on the range of N.
};

/// The largest operator for which `dense_spectrum` is a matter of seconds.
inline constexpr Index dense_spectrum_limit = 2000;

/// Symmetric operators (to 1e-12 relative) take the eigenvalue path, others a singular value
/// decomposition, which is several times slower.
Spectrum dense_spectrum(const DelassusOperator& n);

/// Asymmetry of the matrix the problem was given with, max |A - Aᵀ| / max |A|: W of a local model,
/// M of a global one; 0 for rigid bodies.
double given_asymmetry(const ContactProblem& problem);

} // namespace talus
