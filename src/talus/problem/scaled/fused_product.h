#pragma once
// A product with S N S and sums over its result in one pass: every chunk of contacts is summed
// right after it was made, while it is in the cache.

#include "talus/core/parallel.h"
#include "talus/problem/scaled/contact_sum.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <functional>

namespace talus {

/// y = S N S z and the sum of partial(begin, end) over chunks of contacts, added in chunk order
/// (over ranks: cell by cell, contact_sum.h); `partial` may change y in its chunk. Equality rows
/// are the caller's. Counts one product.
template <class Value, class Partial>
Value product_and_sum(const ScaledProblem& problem, ConstSpan z, Span y, Partial&& partial) {
  if (const Division* division = problem.division()) {
    problem.product(z, y);
    return sum_over_cells<Value>(*division, partial);
  }
  const Chunks chunks(problem.contacts(), DelassusOperator::contact_chunk);
  std::array<Value, Chunks::max_chunks> sums{};
  const auto ready = [&](Index begin, Index end) {
    sums[begin / chunks.length] = partial(begin, end);
  };
  problem.delassus().apply(z, y, problem.scale(), std::ref(ready));
  problem.count_products(1);
  Value total = sums[0];
  for (Index c = 1; c < chunks.count; ++c) total += sums[c];
  return total;
}

} // namespace talus
