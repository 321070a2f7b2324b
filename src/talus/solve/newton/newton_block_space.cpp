// C + K N of contacts in space, in sparse factors of 3 x 3 blocks; where these are inaccurate, the
// contact space with its pivots.

#include "talus/core/small_matrix.h"
#include "talus/core/vector_ops.h"
#include "talus/linalg/block_lu.h"
#include "talus/problem/delassus/sweep_rows.h"
#include "talus/solve/newton/newton_blocks.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace talus {
namespace {

constexpr int d = 3;

LuBlock load(const double* entries) {
  LuBlock block;
  for (int i = 0; i < d; ++i)
    block[i] = Lanes4{entries[d * i], entries[d * i + 1], entries[d * i + 2], 0};
  return block;
}

class BlockSpace : public NewtonSystem::Method {
public:
  BlockSpace(const ScaledProblem& problem, Index dense_limit, StopTest stop)
      : problem_(problem), dense_limit_(dense_limit), stop_(std::move(stop)), layout_(problem),
        analysed_(layout_.blocks), number_(layout_.blocks, -1), rhs_(problem.size()) {
    const SweepRows rows = problem.delassus().rows();
    if (const auto* explicit_rows = std::get_if<ExplicitRows<d>>(&rows);
        explicit_rows && problem.delassus().compliance().empty())
      take(explicit_rows->blocks());
    else
      take(to_blocks<d>(problem.delassus().matrix()));
  }

  bool solve(const NewtonMatrices& matrices, ConstSpan rhs, Span dz, bool factorised) override {
    if (factorised && with_pivots_) return general().solve(matrices, rhs, dz, true);
    copy(rhs, rhs_);
    // Where C spans many decades, the answer needs better pivots than its residual tells.
    const bool many_decades = !matrices.c_inverse.empty();
    with_pivots_ =
        many_decades || !((factorised || factorise(matrices)) && substitute(matrices, dz));
    return !with_pivots_ || (!is_met(stop_) && general().solve(matrices, rhs_, dz, false));
  }

  int determinant_sign() override {
    if (with_pivots_) return general().determinant_sign();
    return active_.empty() ? 1 : lu_.determinant_sign();
  }

private:
  NewtonSystem::Method& general() {
    if (!general_) general_ = make_contact_space(problem_, dense_limit_, stop_);
    return *general_;
  }

  void take(const BlockMatrix<d>& n) {
    find_pattern(n);
    fill_blocks(n);
  }

  /// Of N and its transpose, with the diagonal.
  void find_pattern(const BlockMatrix<d>& n) {
    const Index contacts = layout_.blocks;
    const auto row = [&](Index c) {
      return std::span(n.column).subspan(n.row_start[c], n.row_start[c + 1] - n.row_start[c]);
    };
    std::vector<std::vector<Index>> missing(contacts); // in ascending order
    for (Index c = 0; c < contacts; ++c) {
      if (!std::ranges::binary_search(row(c), c)) missing[c].push_back(c);
      for (Index neighbour : row(c))
        if (!std::ranges::binary_search(row(neighbour), c)) missing[neighbour].push_back(c);
    }
    pattern_.column.reserve(n.column.size());
    for (Index c = 0; c < contacts; ++c) {
      std::ranges::merge(row(c), missing[c], std::back_inserter(pattern_.column));
      pattern_.row_start.push_back(static_cast<Index>(pattern_.column.size()));
    }
  }

  void fill_blocks(const BlockMatrix<d>& n) {
    n_.assign(pattern_.column.size(), LuBlock{});
    const ConstSpan scale = problem_.scale();
    for (Index c = 0; c < layout_.blocks; ++c) {
      Index at = pattern_.row_start[c];
      for (Index k = n.row_start[c]; k < n.row_start[c + 1]; ++k, ++at) {
        while (pattern_.column[at] != n.column[k]) ++at;
        n_[at] = load(&n.value[static_cast<std::size_t>(k) * d * d]);
        for (Lanes4& entries : n_[at]) entries *= scale[c] * scale[n.column[k]];
      }
    }
  }

  bool factorise(const NewtonMatrices& matrices) {
    find_active_blocks(layout_, matrices.k, active_);
    if (active_.empty()) return true;
    if (analysed_.needs_analysis(active_)) analyse();
    if (is_met(stop_)) return false;
    std::vector<LuBlock>& blocks = lu_.blocks();
    std::size_t next = 0;
    for (Index c : sequence_) {
      const LuBlock k = load(&matrices.k[layout_.entry(c)]);
      for_each_neighbour(c, [&](Index at, Index neighbour) {
        if (number_[neighbour] < 0) return;
        LuBlock& block = blocks[next++];
        block = multiply(k, n_[at]);
        if (neighbour != c) return;
        const LuBlock own = load(&matrices.c[layout_.entry(c)]);
        for (int i = 0; i < d; ++i) block[i] += own[i];
      });
    }
    return lu_.factorise(stop_);
  }

  /// Takes the analysed blocks in the order of elimination.
  void analyse() {
    if (order_.empty()) order_ = elimination_order(pattern_);
    std::fill(number_.begin(), number_.end(), -1);
    for (Index c : analysed_.list()) number_[c] = 0;
    sequence_.clear();
    for (Index c : order_) {
      if (number_[c] < 0) continue;
      number_[c] = static_cast<Index>(sequence_.size());
      sequence_.push_back(c);
    }
    BlockPattern pattern;
    for (Index c : sequence_) {
      for_each_neighbour(c, [&](Index, Index neighbour) {
        if (number_[neighbour] >= 0) pattern.column.push_back(number_[neighbour]);
      });
      pattern.row_start.push_back(static_cast<Index>(pattern.column.size()));
    }
    lu_.analyse(std::move(pattern));
  }

  template <class Visit>
  void for_each_neighbour(Index c, Visit&& visit) const {
    for (Index at = pattern_.row_start[c]; at < pattern_.row_start[c + 1]; ++at)
      visit(at, pattern_.column[at]);
  }

  bool substitute(const NewtonMatrices& matrices, Span dz) {
    if (!solve_inactive(matrices.c, dz)) return false;
    if (active_.empty()) return true;
    packed_.resize(d * sequence_.size());
    for (Index c : sequence_) {
      const Lanes4 known = known_part(c, matrices.k, dz);
      for (int i = 0; i < d; ++i) packed_[d * number_[c] + i] = rhs_[d * c + i] - known[i];
    }
    if (!lu_.solve(packed_)) return false;
    for (Index c : sequence_)
      for (int i = 0; i < d; ++i) dz[d * c + i] = packed_[d * number_[c] + i];
    return true;
  }

  /// dz = C⁻¹ rhs where K = 0.
  bool solve_inactive(ConstSpan c, Span dz) const {
    for (Index block = 0; block < layout_.blocks; ++block) {
      if (!active_.empty() && number_[block] >= 0) continue;
      double a[d * d];
      std::copy_n(&c[layout_.entry(block)], d * d, a);
      std::copy_n(&rhs_[d * block], d, &dz[d * block]);
      if (!solve_small(a, &dz[d * block], d, 1)) return false;
    }
    return true;
  }

  /// K N dz of the neighbours that are not in the system.
  Lanes4 known_part(Index c, ConstSpan k, ConstSpan dz) const {
    Lanes4 sum{};
    if (sequence_.size() == number_.size()) return sum;
    for_each_neighbour(c, [&](Index at, Index neighbour) {
      const double* x = &dz[d * neighbour];
      if (number_[neighbour] < 0) sum += multiply(n_[at], Lanes4{x[0], x[1], x[2], 0});
    });
    return multiply(load(&k[layout_.entry(c)]), sum);
  }

  const ScaledProblem& problem_;
  Index dense_limit_;
  StopTest stop_;
  BlockLayoutOfRows layout_;
  BlockPattern pattern_;
  std::vector<LuBlock> n_; ///< The scaled N.
  std::vector<Index> order_;
  std::vector<Index> active_;
  AnalysedBlocks analysed_;
  std::vector<Index> sequence_; ///< The contacts of the system.
  std::vector<Index> number_;   ///< In the system; -1 of blocks that are not in it.
  Vector rhs_, packed_;
  BlockLu lu_;
  bool with_pivots_ = false; ///< In the last solve.
  std::unique_ptr<NewtonSystem::Method> general_;
};

} // namespace

std::unique_ptr<NewtonSystem::Method> make_block_space(const ScaledProblem& problem,
                                                       Index dense_limit, StopTest stop) {
  return std::make_unique<BlockSpace>(problem, dense_limit, std::move(stop));
}

} // namespace talus
