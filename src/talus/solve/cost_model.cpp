#include "talus/solve/cost_model.h"

#include "talus/problem/scaled/contact_sum.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// Somewhat less than a factorisation takes in products (factor_bench): moving piles miss fewest
/// steps with it. In three dimensions a factorisation grows faster than a product does.
long of_body_space(double blocks) {
  return std::lround(std::max(4 + std::sqrt(blocks), 0.06 * blocks));
}

/// For local models the pairs of blocks that are multiplied (block_lu.h) follow from their number,
/// a row's, and fill.
long of_blocks(double blocks, double stored) {
  return std::lround(4 + 0.2 * stored / blocks * (1 + stored / 2000));
}

} // namespace

CostModel::CostModel(const ScaledProblem& problem)
    : blocks_(static_cast<Index>(all_contacts(problem)) + problem.equalities()) {
  const auto* local = std::get_if<LocalModel>(&problem.problem().model);
  const bool in_blocks = local && problem.dimension() == 3 && problem.equalities() == 0;
  factorisation_ =
      in_blocks ? of_blocks(blocks_, local->W.nonzeros() / 9.0) : of_body_space(blocks_);
}

} // namespace talus
