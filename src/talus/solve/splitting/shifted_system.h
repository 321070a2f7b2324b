#pragma once
// (N + ρ I) x = b in scaled variables, for methods that solve with few different ρ and many b.
//
//   bodies     with N = D̃ᵀ M̃⁻¹ D̃ + E and Θ = (E + ρ)⁻¹:  x = Θ (b - D̃ᵀ v),
//              (M̃ + D̃ Θ D̃ᵀ) v = D̃ Θ b: sparse Cholesky over the bodies' velocities
//   contacts   the same for N + ρ I itself, for local models
//   gradients  conjugate gradients preconditioned by the diagonal, matrix-free: for problems whose
//              factors would not fit
//
// Over ranks there are gradients, and bodies by an engine that works over ranks (rank_bodies.h).
//
// Where N is not symmetric by more than rounding, the factorisations are LU instead of Cholesky;
// conjugate gradients need a symmetric one.

#include "talus/core/block_system.h"
#include "talus/core/stop_test.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <memory>

namespace talus {

class ShiftedSystem {
public:
  enum class Space { automatic, bodies, contacts, gradients };
  /// Rows above which `automatic` does without a factorisation.
  static constexpr Index factorisation_limit = 300000;

  /// Keeps a reference to the problem. `bodies` without velocity space falls back to `contacts`.
  /// Over ranks `engine` chooses: `own` are gradients, the others work on the bodies.
  /// Once `stop` is met, nothing is factorised any more, and conjugate gradients end where they
  /// are.
  ShiftedSystem(const ScaledProblem& problem, Space space, StopTest stop = {},
                LinearEngine engine = LinearEngine::own);
  ~ShiftedSystem();

  /// Prepares for a shift ρ > 0. False when the matrix cannot be factorised or the stop test was
  /// met.
  bool set_shift(double shift);
  /// Solves from the guess x to a residual of `tolerance` |b| (direct spaces: to rounding). False
  /// when an engine over ranks does not get there.
  bool solve(ConstSpan b, double tolerance, Span x);
  Space space() const { return space_; }

  struct Method {
    virtual ~Method() = default;
    virtual bool set_shift(double shift) = 0;
    virtual bool solve(ConstSpan b, double tolerance, Span x) = 0;
  };

private:
  void choose_method(const ScaledProblem& problem);

  const ScaledProblem& problem_;
  Space space_;
  StopTest stop_;
  LinearEngine engine_;
  std::unique_ptr<Method> method_; ///< None when the stop test was met before.
};

} // namespace talus
