#pragma once
// What the linear algebras behind NewtonSystem share: the blocks of the vector layout, and which of
// them take part in a system.

#include "talus/solve/newton/newton_system.h"

#include <vector>

namespace talus {

/// Contacts of `dimension` rows, then equality rows of one.
struct BlockLayoutOfRows {
  explicit BlockLayoutOfRows(const ScaledProblem& problem)
      : dimension(problem.dimension()), contacts(problem.contacts()),
        blocks(problem.contacts() + problem.equalities()) {}

  int size(Index block) const { return block < contacts ? dimension : 1; }
  Index row(Index block) const {
    return block < contacts ? dimension * block : dimension * contacts + block - contacts;
  }
  /// Offset of the block in a block-diagonal matrix.
  std::size_t entry(Index block) const {
    const std::size_t squared = static_cast<std::size_t>(dimension) * dimension;
    return block < contacts ? squared * block : squared * contacts + block - contacts;
  }

  int dimension;
  Index contacts, blocks;
};

/// The blocks a symbolic analysis covers. It must cover all blocks that take part; a few more cost
/// less than a new analysis.
class AnalysedBlocks {
public:
  explicit AnalysedBlocks(Index blocks) : covered_(blocks, false) {}

  /// True when the analysis has to be made again, for exactly the blocks in `active`.
  bool needs_analysis(const std::vector<Index>& active) {
    constexpr double worthwhile = 0.8;
    bool covers = !list_.empty() && active.size() >= worthwhile * list_.size();
    for (Index block : active) covers = covers && covered_[block];
    if (covers) return false;
    std::fill(covered_.begin(), covered_.end(), false);
    for (Index block : active) covered_[block] = true;
    list_ = active;
    return true;
  }
  const std::vector<Index>& list() const { return list_; }

private:
  std::vector<bool> covered_;
  std::vector<Index> list_;
};

inline int sign_of(double value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/// The blocks with K_c ≠ 0.
void find_active_blocks(const BlockLayoutOfRows& layout, ConstSpan k, std::vector<Index>& active);

/// A solve that meets the stop test between two phases of its factorisation answers false; factors
/// are then not to be used again.
std::unique_ptr<NewtonSystem::Method> make_contact_space(const ScaledProblem& problem,
                                                         Index dense_limit, StopTest stop);
/// For problems in space without equality rows; `dense_limit` is for systems that need pivots.
std::unique_ptr<NewtonSystem::Method> make_block_space(const ScaledProblem& problem,
                                                       Index dense_limit, StopTest stop);
std::unique_ptr<NewtonSystem::Method> make_body_space(const ScaledProblem& problem,
                                                      const PrimalPieces& pieces, StopTest stop);
/// Over the bodies of all ranks, for contacts of up to three entries.
std::unique_ptr<NewtonSystem::Method> make_rank_space(const ScaledProblem& problem,
                                                      LinearEngine engine);

} // namespace talus
