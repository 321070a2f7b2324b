#pragma once
// The Schur complement over the bodies of all ranks,
//
//     A = M̃ + D̃ Θ D̃ᵀ,        y = D̃ᵀ A⁻¹ D̃ x,
//
// in scaled variables, with N = D̃ᵀ M̃⁻¹ D̃ + E and a block-diagonal Θ. Every rank adds the blocks of
// its own contacts; those of equality rows, which all ranks have, come from the first rank. What
// Newton methods, interior points and operator splitting factorise, in one place for problems that
// are divided over ranks.

#include "talus/core/block_system.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <memory>
#include <string>

namespace talus {

/// Of the option `linear` of solvers that work over ranks in no other way, and Solver's
/// refuses_ranks() for it.
inline constexpr std::string_view linear_engine_doc =
    "over ranks, where it has to be chosen: what solves the linear systems, with other bits for "
    "other numbers of ranks";
std::string engine_refusal(LinearEngine engine);

class RankBodies {
public:
  /// Keeps a reference to the problem, which is divided. `symmetric`: Θ is, and A is positive
  /// definite.
  RankBodies(const ScaledProblem& problem, LinearEngine engine, bool symmetric);
  ~RankBodies();

  /// What of the problem an engine over ranks does not suit, for Solver::refuses(); empty if it
  /// does. Of `own` that is nothing here.
  static std::string refusal(const ScaledProblem& problem, LinearEngine engine);

  /// Θ in the layout of DelassusOperator::diagonal(). False, on all ranks, when A cannot be
  /// factorised.
  bool factorise(ConstSpan theta);
  /// y = D̃ᵀ A⁻¹ D̃ x to a residual of `tolerance`. Iterations count as products. False, on all
  /// ranks, when the engine does not get there; y is then as far as it got.
  bool solve(ConstSpan x, double tolerance, Span y);

private:
  /// A contact or row over the bodies that it moves.
  struct Panel {
    int bodies = 0;
    Index body[2] = {-1, -1};
    std::size_t first = 0; ///< In `value_`: an entry per row of the block, body and freedom.
    Index slot[4] = {};    ///< In the pattern: (0,0), (0,1), (1,0), (1,1).
  };
  void build_panels(const SparseMatrix& rows);
  std::vector<Vector> slow_modes() const;
  void add_panel(Index block, ConstSpan theta);
  int size(Index block) const { return block < problem_.contacts() ? problem_.dimension() : 1; }
  /// Of the block in a block-diagonal matrix, and in a vector.
  std::size_t entry(Index block) const;
  Index row(Index block) const;
  /// Whether this rank adds the block.
  bool adds(Index block) const { return block < problem_.contacts() || is_first_; }

  const ScaledProblem& problem_;
  bool is_first_;
  BlockSystemPlan plan_;
  std::vector<Panel> panels_;
  Vector value_; ///< Scaled D̃ᵀ.
  Vector blocks_, wrench_, velocity_;
  std::vector<Index> diagonal_slot_; ///< Of the bodies here.
  std::unique_ptr<BlockSystem> system_;
};

} // namespace talus
