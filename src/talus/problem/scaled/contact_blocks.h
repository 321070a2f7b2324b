#pragma once
// Loops over the contacts of a scaled problem.

#include "talus/problem/scaled/scaled_problem.h"

#include <algorithm>
#include <cassert>
#include <type_traits>

namespace talus {

/// Chunk length for loops that project a contact per step.
constexpr Index contact_chunk = 512;

/// body(std::integral_constant<int, dimension>()): loops over the entries of a contact unroll.
template <class Body>
void with_dimension(int dimension, Body&& body) {
  assert(dimension >= 1 && dimension <= max_dimension && dimension != 4);
  if (dimension == 6) return body(std::integral_constant<int, 6>());
  if (dimension == 5) return body(std::integral_constant<int, 5>());
  if (dimension == 3) return body(std::integral_constant<int, 3>());
  if (dimension == 2) return body(std::integral_constant<int, 2>());
  body(std::integral_constant<int, 1>());
}

/// Calls body(first, count) for the blocks of [begin, end). Contacts are treated in blocks whose
/// work vectors stay in the first-level cache: plain loops over entries and one batch of
/// projections, each of which the compiler or cone_batch.h vectorises.
template <class Body>
void for_each_block_of_contacts(Index begin, Index end, Body&& body) {
  constexpr Index block_contacts = ScaledProblem::block_contacts;
  for (Index first = begin; first < end; first += block_contacts)
    body(first, std::min(block_contacts, end - first));
}

/// A denominator: 1 instead of 0, so that 0 / 0 counts as no error.
inline double nonzero(double value) {
  return value > 0 ? value : 1.0;
}

} // namespace talus
