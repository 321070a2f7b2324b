// The Schur complement M̃ + D̃ Θ D̃ᵀ over the bodies' velocities, in blocks of three degrees of
// freedom (the velocity or the spin of a body); where its factors are inaccurate, with pivots.

#include "talus/core/vector_ops.h"
#include "talus/linalg/block_lu.h"
#include "talus/linalg/sparse_lu.h"
#include "talus/solve/newton/eliminated_blocks.h"
#include "talus/solve/newton/newton_blocks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace talus {
namespace {

constexpr int width = 3; ///< Degrees of freedom that are taken together: a triple.

/// The rows of scaled D̃ᵀ belonging to one block, over the triples they touch.
struct Panel {
  std::vector<Index> triples; ///< Increasing.
  std::vector<Lanes4> value;  ///< size(block) x triples.size(), row-major; the fourth lane is zero.
  std::vector<Index>
      slot; ///< Where D̃ Θ D̃ᵀ goes in the analysed matrix: triples.size()², row-major.
};

class BodySpace : public NewtonSystem::Method {
public:
  BodySpace(const ScaledProblem& problem, const PrimalPieces& pieces, StopTest stop)
      : layout_(problem), dofs_(pieces.mass.rows), triples_((dofs_ + width - 1) / width),
        mass_(pieces.mass), stop_(std::move(stop)), analysed_(layout_.blocks), eliminated_(problem),
        v_(width * triples_) {
    build_panels(problem, pieces.rows);
  }

  bool solve(const NewtonMatrices& matrices, ConstSpan rhs, Span dz, bool factorised) override {
    if (!eliminated_.eliminate(matrices, rhs)) return false;
    if (!factorised) find_active_blocks(layout_, matrices.k, active_);
    copy(eliminated_.start(), dz);
    if (active_.empty()) return true;
    if (!factorised && !factorise()) return false;
    gather_start();
    if (is_met(stop_) || !solve_for_velocities()) return false;
    for (Index block : active_) subtract_response(block, dz);
    return true;
  }

  int determinant_sign() override {
    if (active_.empty()) return eliminated_.sign();
    if (!with_pivots_) return eliminated_.sign() * lu_.determinant_sign();
    return eliminated_.sign() * pivoted_.determinant_sign();
  }

private:
  void build_panels(const ScaledProblem& problem, const SparseMatrix& rows) {
    panels_.resize(layout_.blocks);
    for (Index block = 0; block < layout_.blocks; ++block) {
      Panel& panel = panels_[block];
      const Index row = layout_.row(block);
      const int n = layout_.size(block);
      for (Index k = rows.row_start[row]; k < rows.row_start[row + n]; ++k)
        if (rows.value[k] != 0) panel.triples.push_back(rows.column[k] / width);
      std::ranges::sort(panel.triples);
      const auto repeated = std::ranges::unique(panel.triples);
      panel.triples.erase(repeated.begin(), repeated.end());
      panel.value.assign(n * panel.triples.size(), Lanes4{});
      for (int i = 0; i < n; ++i)
        for (Index k = rows.row_start[row + i]; k < rows.row_start[row + i + 1]; ++k) {
          if (rows.value[k] == 0) continue;
          const auto at = std::ranges::lower_bound(panel.triples, rows.column[k] / width);
          panel.value[i * panel.triples.size() + (at - panel.triples.begin())]
                     [rows.column[k] % width] = problem.scale()[block] * rows.value[k];
        }
    }
  }

  bool factorise() {
    if (analysed_.needs_analysis(active_)) analyse();
    if (is_met(stop_)) return false;
    fill_matrix();
    with_pivots_ = !lu_.factorise(stop_);
    return !with_pivots_ || (!is_met(stop_) && factorise_with_pivots());
  }

  /// The pattern of the matrix for the analysed blocks, in an order of elimination.
  void analyse() {
    const BlockPattern natural = pattern_of_neighbours();
    const std::vector<Index> order = elimination_order(natural);
    number_.resize(triples_);
    for (Index i = 0; i < triples_; ++i) number_[order[i]] = i;
    BlockPattern pattern;
    for (const Index triple : order) {
      for (Index k = natural.row_start[triple]; k < natural.row_start[triple + 1]; ++k)
        pattern.column.push_back(number_[natural.column[k]]);
      std::sort(pattern.column.begin() + pattern.row_start.back(), pattern.column.end());
      pattern.row_start.push_back(static_cast<Index>(pattern.column.size()));
    }
    find_slots(pattern);
    lu_.analyse(std::move(pattern));
    pivots_analysed_ = false;
  }

  /// Both ways: mass matrices need not be symmetric.
  static void join(Index a, Index b, std::vector<std::vector<Index>>& neighbours) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  BlockPattern pattern_of_neighbours() const {
    std::vector<std::vector<Index>> neighbours(triples_);
    for (Index i = 0; i < dofs_; ++i)
      for (Index k = mass_.row_start[i]; k < mass_.row_start[i + 1]; ++k)
        join(i / width, mass_.column[k] / width, neighbours);
    for (Index block : analysed_.list()) {
      const std::vector<Index>& touched = panels_[block].triples;
      for (Index a : touched)
        neighbours[a].insert(neighbours[a].end(), touched.begin(), touched.end());
    }
    BlockPattern pattern;
    for (Index triple = 0; triple < triples_; ++triple) {
      std::vector<Index>& row = neighbours[triple];
      row.push_back(triple);
      std::ranges::sort(row);
      std::ranges::unique_copy(row, std::back_inserter(pattern.column));
      pattern.row_start.push_back(static_cast<Index>(pattern.column.size()));
    }
    return pattern;
  }

  void find_slots(const BlockPattern& pattern) {
    const auto slot_of = [&](Index row, Index column) {
      const auto first = pattern.column.begin() + pattern.row_start[number_[row]],
                 last = pattern.column.begin() + pattern.row_start[number_[row] + 1];
      return static_cast<Index>(std::lower_bound(first, last, number_[column]) -
                                pattern.column.begin());
    };
    mass_slot_.clear();
    for (Index i = 0; i < dofs_; ++i)
      for (Index k = mass_.row_start[i]; k < mass_.row_start[i + 1]; ++k)
        mass_slot_.push_back(slot_of(i / width, mass_.column[k] / width));
    for (Index block : analysed_.list()) {
      Panel& panel = panels_[block];
      panel.slot.clear();
      for (Index a : panel.triples)
        for (Index b : panel.triples) panel.slot.push_back(slot_of(a, b));
    }
    if (is_padded()) last_slot_ = slot_of(triples_ - 1, triples_ - 1);
  }

  void fill_matrix() {
    std::vector<LuBlock>& blocks = lu_.blocks();
    std::ranges::fill(blocks, LuBlock{});
    for (Index i = 0; i < dofs_; ++i)
      for (Index k = mass_.row_start[i]; k < mass_.row_start[i + 1]; ++k)
        blocks[mass_slot_[k]][i % width][mass_.column[k] % width] += mass_.value[k];
    for (Index block : active_) add_response(block, blocks);
    if (is_padded()) pad(blocks[last_slot_]);
  }

  bool is_padded() const { return dofs_ < width * triples_; }
  /// Degrees of freedom that fill the last triple up stay by themselves, with entries like those of
  /// the others.
  void pad(LuBlock& block) const {
    double largest = 0;
    for (int i = 0; i < width; ++i) largest = std::max(largest, std::abs(block[i][i]));
    for (Index i = dofs_; i < width * triples_; ++i)
      block[i % width][i % width] = largest > 0 ? largest : 1;
  }

  /// D̃ Θ D̃ᵀ of a contact or an equality row.
  void add_response(Index block, std::vector<LuBlock>& blocks) const {
    const Panel& panel = panels_[block];
    const int n = layout_.size(block);
    const std::size_t m = panel.triples.size();
    const double* theta = &eliminated_.theta()[layout_.entry(block)];
    const Lanes4* p = panel.value.data();
    for (std::size_t b = 0; b < m; ++b) {
      Lanes4 right[3] = {}; // Θ D̃ᵀ over the triple
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) right[i] += theta[n * i + j] * p[j * m + b];
      for (std::size_t a = 0; a < m; ++a) {
        LuBlock& sum = blocks[panel.slot[a * m + b]];
        for (int i = 0; i < n; ++i)
          for (int row = 0; row < width; ++row) sum[row] += p[i * m + a][row] * right[i];
      }
    }
  }

  /// D̃ (C + K E)⁻¹ rhs in the order of elimination.
  void gather_start() {
    std::ranges::fill(v_, 0.0);
    for (Index block = 0; block < layout_.blocks; ++block) {
      const Panel& panel = panels_[block];
      const std::size_t m = panel.triples.size();
      for (std::size_t a = 0; a < m; ++a) {
        Lanes4 sum{};
        for (int i = 0; i < layout_.size(block); ++i)
          sum += panel.value[i * m + a] * eliminated_.start()[layout_.row(block) + i];
        double* v = &v_[width * number_[panel.triples[a]]];
        for (int i = 0; i < width; ++i) v[i] += sum[i];
      }
    }
  }

  bool solve_for_velocities() {
    if (!with_pivots_) {
      if (lu_.solve(v_)) return true;
      with_pivots_ = true;
      if (!factorise_with_pivots()) return false;
    }
    if (!pivoted_.has_factors()) return false;
    pivoted_.solve(v_);
    return true;
  }

  /// Of the matrix in the blocks of lu_.
  bool factorise_with_pivots() {
    const EigenSparse matrix = entry_by_entry();
    if (!pivots_analysed_) pivoted_.analyse(matrix);
    pivots_analysed_ = true;
    if (is_met(stop_)) return false;
    return pivoted_.factorise(matrix);
  }

  EigenSparse entry_by_entry() {
    const BlockPattern& pattern = lu_.pattern();
    std::vector<Eigen::Triplet<double, Index>> entries;
    for (Index row = 0; row < pattern.size(); ++row)
      for (Index k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k)
        for (int i = 0; i < width; ++i)
          for (int j = 0; j < width; ++j)
            entries.emplace_back(width * row + i, width * pattern.column[k] + j,
                                 double{lu_.blocks()[k][i][j]});
    EigenSparse matrix(width * triples_, width * triples_);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

  /// dz_c -= Θ_c D̃_cᵀ v.
  void subtract_response(Index block, Span dz) const {
    const Panel& panel = panels_[block];
    const int n = layout_.size(block);
    const std::size_t m = panel.triples.size();
    double velocity[3] = {};
    for (std::size_t a = 0; a < m; ++a) {
      const double* v = &v_[width * number_[panel.triples[a]]];
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < width; ++j) velocity[i] += panel.value[i * m + a][j] * v[j];
    }
    eliminated_.subtract_response(block, velocity, dz);
  }

  BlockLayoutOfRows layout_;
  Index dofs_, triples_;
  SparseMatrix mass_; ///< M̃.
  StopTest stop_;
  std::vector<Panel> panels_;
  std::vector<Index> active_, mass_slot_;
  Index last_slot_ = 0;       ///< Of the last diagonal block, where it is padded.
  std::vector<Index> number_; ///< Of the triples in the order of elimination.
  AnalysedBlocks analysed_;
  EliminatedBlocks eliminated_;
  Vector v_; ///< In the order of elimination.
  BlockLu lu_;
  bool with_pivots_ = false; ///< In the last solve.
  bool pivots_analysed_ = false;
  SparseLu pivoted_{SparseLu::Pattern::symmetric};
};

} // namespace

std::unique_ptr<NewtonSystem::Method> make_body_space(const ScaledProblem& problem,
                                                      const PrimalPieces& pieces, StopTest stop) {
  return std::make_unique<BodySpace>(problem, pieces, std::move(stop));
}

} // namespace talus
