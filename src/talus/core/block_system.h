#pragma once
// Sparse linear systems of small blocks, a row of blocks per body, divided over ranks. Whoever
// makes the ranks also makes these systems (Ranks::make_block_system): apps/talus-mpi by PETSc.
//
// Sums over ranks are rounded in an order of the engine's own, so that answers depend on the number
// of ranks in their last bits.

#include "talus/core/types.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talus {

/// What solves a system over ranks.
enum class LinearEngine {
  own,   ///< None: the method's own linear algebra.
  mumps, ///< A factorisation (MUMPS).
  gamg,  ///< Krylov's method with smoothed aggregation (PETSc's GAMG).
  hypre  ///< Krylov's method with classical multigrid (hypre's BoomerAMG).
};

inline const std::vector<std::string>& linear_engine_names() {
  static const std::vector<std::string> names = {"own", "mumps", "gamg", "hypre"};
  return names;
}
inline const std::string& to_string(LinearEngine engine) {
  return linear_engine_names()[static_cast<std::size_t>(engine)];
}

/// The bodies of this rank and how they are numbered over all ranks: rank by rank, from 0 on.
struct BodyNumbers {
  int width = 0;                    ///< Degrees of freedom of a body.
  Index own = 0;                    ///< Bodies that this rank owns.
  std::vector<std::int64_t> number; ///< Of each body here; -1 where impulses do not move it.
  std::vector<char> is_own;         ///< Of each body here.
};

struct BlockSystemPlan {
  BodyNumbers bodies;
  /// (row, column) of each block that this rank adds to, by its bodies here.
  std::vector<std::pair<Index, Index>> pattern;
  LinearEngine engine = LinearEngine::mumps;
  bool symmetric = true; ///< And positive definite.
  /// Motions that the matrix hardly resists, each over the bodies here: for gamg.
  std::vector<Vector> slow_modes;
};

/// All ranks call all functions together, and all get the same answer whether they worked.
class BlockSystem {
public:
  BlockSystem() = default;
  virtual ~BlockSystem() = default;
  BlockSystem(const BlockSystem&) = delete;
  BlockSystem& operator=(const BlockSystem&) = delete;

  /// The matrix is the sum of the ranks' blocks, each row-major, in the order of the pattern. False
  /// when it cannot be factorised.
  virtual bool factorise(ConstSpan blocks) = 0;
  /// A x = the sum of the ranks' b, both over the bodies here, those without a number excepted;
  /// x is zero there. Iterates from the last answer to a residual of `tolerance`; a factorisation
  /// needs none. False when it does not get there; x is then as far as it got, or unchanged.
  virtual bool solve(ConstSpan b, double tolerance, Span x) = 0;
  /// Of Krylov's method, in all solves so far.
  virtual long iterations() const { return 0; }
};

} // namespace talus
