#pragma once
// Sums over all contacts of a problem, whether one process holds them or many ranks do.

#include "talus/core/division.h"
#include "talus/core/exact_sum.h"
#include "talus/core/parallel.h"
#include "talus/core/ranks.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <array>
#include <bit>
#include <mutex>
#include <type_traits>

namespace talus {

/// Contacts of all ranks, and entries of x: what decisions about sizes have to ask.
inline std::int64_t all_contacts(const ScaledProblem& problem) {
  return problem.division() ? problem.division()->all_contacts : problem.contacts();
}
inline std::int64_t all_entries(const ScaledProblem& problem) {
  return problem.dimension() * all_contacts(problem) + problem.equalities();
}

/// One machine code for the sum of a cell, as run_chunk is for a chunk.
template <class Partial>
[[gnu::noinline]] auto sum_of_cell(Partial& partial, Index begin, Index end) {
  return partial(begin, end);
}

/// The sum of partial(begin, end) over the cells of all ranks. Each number in `Value`, which holds
/// nothing but doubles, is summed exactly over cells.
template <class Value, class Partial>
Value sum_over_cells(const Division& division, Partial&& partial) {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) % sizeof(double) == 0);
  constexpr std::size_t numbers = sizeof(Value) / sizeof(double);
  using Numbers = std::array<double, numbers>;
  std::array<ExactSum, numbers> total;
  std::mutex adding;
  constexpr Index cells_per_chunk = 8;
  parallel_for(
      division.cells(),
      [&](Index begin, Index end) {
        std::array<ExactSum, numbers> sums;
        for (Index cell = begin; cell < end; ++cell) {
          const Index first = division.cell_start[cell], last = division.cell_start[cell + 1];
          if (first == last) continue;
          const auto part = std::bit_cast<Numbers>(Value(sum_of_cell(partial, first, last)));
          for (std::size_t k = 0; k < numbers; ++k) sums[k].add(part[k]);
        }
        // Exact sums may be added in any order.
        const std::lock_guard lock(adding);
        for (std::size_t k = 0; k < numbers; ++k) total[k] += sums[k];
      },
      cells_per_chunk);
  division.ranks->sum(total);
  Numbers result;
  for (std::size_t k = 0; k < numbers; ++k) result[k] = total[k].value();
  return std::bit_cast<Value>(result);
}

/// The sum of partial(begin, end) over ranges of contacts: chunks in their order in one process,
/// cells over ranks. Equality rows are the caller's.
template <class Value = double, class Partial>
Value sum_over_contacts(const ScaledProblem& problem, Partial&& partial, Index min_length) {
  if (const Division* division = problem.division())
    return sum_over_cells<Value>(*division, partial);
  return parallel_sum<Value>(problem.contacts(), partial, min_length);
}

} // namespace talus
