#pragma once
// The linear systems of Newton and interior-point methods for contact,
//
//     (C + K N) dz = rhs                    C, K block diagonal, N in scaled variables,
//
// solved in whichever space is cheapest:
//
//   dense     C + K N of the active blocks, LU: small problems;
//   contact   the same, sparse LU: local models, which know nothing but N; in space and without
//             equality rows the factors are made of 3 x 3 blocks (block_lu.h), unless these are
//             inaccurate;
//   body      with N = D̃ᵀ M̃⁻¹ D̃ + E and Θ = (C + K E)⁻¹ K the velocities v = M̃⁻¹ D̃ dz solve the
//             Schur complement (M̃ + D̃ Θ D̃ᵀ) v = D̃ (C + K E)⁻¹ rhs, which has the sparsity of the
//             bodies' neighbourhood instead of the contacts'; factors of 3 x 3 blocks as above
//             (under Coulomb's law Θ is not symmetric).
//
// Over ranks there is the body space alone, by an engine that works over ranks (rank_bodies.h).
//
// Blocks with K_c = 0 (separated contacts) are solved on the spot and leave the system. Orderings
// and symbolic analyses are kept while the blocks that take part stay within those analysed.
// The body space needs C + K E invertible in every block: methods regularise.
//
// Block-diagonal matrices are stored like DelassusOperator::diagonal(): dimension² entries per
// contact, row-major, then one per equality row.

#include "talus/core/block_system.h"
#include "talus/core/stop_test.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <memory>
#include <string>
#include <string_view>

namespace talus {

enum class NewtonSpace { automatic, dense, contact, body };
std::string_view to_string(NewtonSpace space);

/// The block-diagonal matrices of a system.
struct NewtonMatrices {
  ConstSpan c, k;
  /// C⁻¹, for methods whose C spans so many decades that as a matrix it forgets its small
  /// eigenvalues; the body space then works with it alone, and the contact space looks for pivots
  /// entry by entry. May be empty.
  ConstSpan c_inverse = {};
};

class NewtonSystem {
public:
  /// Up to this many active rows a dense factorisation is as fast as one that is sparse entry by
  /// entry.
  static constexpr int default_dense_limit = 96;

  /// Prepares the matrices; keeps a reference to the problem. `automatic` takes the body space when
  /// the problem has one, is larger than dense_limit and touches fewer degrees of freedom than
  /// it has rows, and otherwise the contact space: in blocks if it can be, else dense up to
  /// dense_limit active rows. The body space asked for a problem without one throws
  /// InvalidArgument. Once `stop` is met, between the phases of a factorisation, no system is
  /// solved any more.
  NewtonSystem(const ScaledProblem& problem, NewtonSpace space = NewtonSpace::automatic,
               Index dense_limit = default_dense_limit, StopTest stop = {},
               LinearEngine engine = LinearEngine::own);
  ~NewtonSystem();

  /// What of the problem the space does not suit, for Solver::refuses(); empty if it does.
  static std::string refusal(const ScaledProblem& problem, NewtonSpace space,
                             LinearEngine engine = LinearEngine::own);

  /// Solves the system; dz may be rhs. False when it is singular to working precision, the answer
  /// is not finite or the stop test was met: then dz is undefined.
  bool solve(const NewtonMatrices& matrices, ConstSpan rhs, Span dz);
  /// The same for another right-hand side and the matrices of the last solve(), whose factors are
  /// used again.
  bool solve_again(const NewtonMatrices& matrices, ConstSpan rhs, Span dz);
  /// Of det(C + K N) at the last solve(), where det C > 0 in every block: 1, -1, or 0; over ranks
  /// it is not known, and 0.
  int determinant_sign() const;

  NewtonSpace space() const { return space_; }

  /// One linear algebra; implementations in newton_contact_space.cpp, newton_block_space.cpp,
  /// newton_body_space.cpp and newton_rank_space.cpp.
  struct Method {
    virtual ~Method() = default;
    /// `factorised`: C and K are those of the last call.
    virtual bool solve(const NewtonMatrices& matrices, ConstSpan rhs, Span dz, bool factorised) = 0;
    virtual int determinant_sign() = 0;
  };

private:
  void choose_method(const ScaledProblem& problem, Index dense_limit);
  bool is_finite(ConstSpan dz) const;
  /// Counts a factorisation of the active blocks as its share of one of all of them.
  void count_factorisation(ConstSpan k);

  const ScaledProblem& problem_;
  NewtonSpace space_;
  StopTest stop_;
  LinearEngine engine_;
  std::unique_ptr<Method> method_; ///< None when the stop test was met before.
  std::vector<Index> active_;
  double uncounted_ = 0; ///< Of a factorisation.
};

} // namespace talus
