#pragma once
// Problems without a solution: a ball between a floor and a press that comes down, a row of balls
// too long for its box, a joint that holds what a contact pushes.
//
// Let d be a direction of impulses along which contacts may push without limit: normal impulses
// d_n >= 0, any multiples of rows without bounds, under the associated law all of K. For every
// answer x, with the velocity y = N x + q̄, such a d has d·y >= 0 (u_n >= 0 under every law), so
//
//     d·N x >= -q̄·d,     |x| >= -q̄·d / |N d|     if N is symmetric and q̄·d < 0.
//
// With N d = 0 there is no answer at all (Farkas' lemma). In floating point N d is small at best;
// the bound on |x| is then the certificate, and one above largest_relative_size |F(0)| rules out
// every answer that could be judged (quality.h). The contacts with d_c ≠ 0 are those that
// contradict each other.
//
// Small problems find d by nonnegative least squares, large ones by the proximal point method on
// min ½ z'N z + q'z over these directions: its steps z_{k+1} - z_k tend to 0 where there is a
// solution and to a d with N d = 0 where there is none.

#include "talus/problem/scaled/scaled_problem.h"

#include <optional>

namespace talus {

struct Contradiction {
  std::vector<Index> contacts; ///< That push against each other, increasing.
  std::vector<Index> rows;     ///< Equality rows that take part, increasing.
  double least_size = 0;       ///< Every answer has at least this relative_size (quality.h).
};

/// Looks for a contradiction with about so many products with N (fewer than 150 contacts and rows:
/// by dense linear algebra), and for none when N is not symmetric.
/// A result is a proof; none proves nothing. The problem must not be frozen.
std::optional<Contradiction> find_contradiction(const ScaledProblem& problem, long products);

} // namespace talus
