#include "talus/solve/sweeps/local_blocks.h"

#include "talus/core/large_problem.h"
#include "talus/core/parallel.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// Entries of the inverse of a well conditioned block, whose diagonal has mean 1, are at most this.
constexpr double largest_inverse = 1e3;

template <int d>
void scaled_block(const ScaledProblem& problem, Index c, double* block) {
  const DelassusOperator& n = problem.delassus();
  n.sweep_block(c, block);
  for (int i = 0; i < d * d; ++i) block[i] *= n.rho()[c];
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < i; ++j) block[d * i + j] = block[d * j + i];
}

} // namespace

template <int d>
bool LocalBlocks::round_blocks(const ScaledProblem& problem) {
  rounded_.resize(problem.contacts());
  const auto round_block = [&](Index c) {
    double block[9], inverse[9];
    scaled_block<d>(problem, c, block);
    for (int i = 0, k = 0; i < d; ++i)
      for (int j = i; j < d; ++j, ++k) rounded_[c][k] = static_cast<float>(block[d * i + j]);
    invert_symmetric<d>(block, inverse);
    return std::all_of(inverse, inverse + d * d,
                       [](double entry) { return std::abs(entry) <= largest_inverse; });
  };
  const Index bad = parallel_sum<Index>(
      problem.contacts(),
      [&](Index begin, Index end) {
        Index count = 0;
        for (Index c = begin; c < end; ++c) count += round_block(c) ? 0 : 1;
        return count;
      },
      DelassusOperator::contact_chunk);
  return bad == 0;
}

template <int d>
void LocalBlocks::prepare(const ScaledProblem& problem) {
  problem.delassus().prepare_sweeps();
  rolling_.clear();
  if constexpr (d <= 3) {
    if (is_large(problem.contacts()) && !problem.division() && round_blocks<d>(problem)) {
      exact_ = std::vector<PackedContact>();
      return;
    }
    rounded_ = std::vector<std::array<float, 6>>();
    exact_.resize(problem.contacts());
  } else {
    rounded_ = std::vector<std::array<float, 6>>();
    rolling_.resize(problem.contacts());
  }
  parallel_for(
      problem.contacts(),
      [&](Index begin, Index end) {
        for (Index c = begin; c < end; ++c) {
          double block[d * d];
          LocalContact contact;
          scaled_block<d>(problem, c, block);
          prepare_local_contact(block, d, contact);
          if constexpr (d > 3)
            rolling_[c] = pack<d>(contact);
          else
            exact_[c] = pack<d>(contact);
        }
      },
      DelassusOperator::contact_chunk);
}

void LocalBlocks::prepare(const ScaledProblem& problem) {
  problem.delassus().prepare_sweeps();
  if (problem.dimension() == 1) return prepare<1>(problem);
  if (problem.dimension() == 2) return prepare<2>(problem);
  if (problem.dimension() == 5) return prepare<5>(problem);
  if (problem.dimension() == 6) return prepare<6>(problem);
  prepare<3>(problem);
}

} // namespace talus
