#pragma once
// Algebraic multigrid that transfers impulse errors (preclik2009 sec. 3.4, eqs. 22-24).
//
// Coarse variables are a subset C of the fine ones, chosen by strength of connection (|a_ij| ≥ θ
// max |a_ik|) so that every other free variable depends strongly on one of them; interpolation
// averages strong coarse neighbours with weights from A e ≈ 0 (direct interpolation, positive and
// negative couplings apart); coarse matrices are Galerkin products PᵀAP; coarse bounds are what the
// fine iterate leaves at the C variables. A correction that leaves the bounds is rejected or
// projected, component by component. The hierarchy is built for variables between their bounds;
// the others are not corrected.

#include "talus/solve/lcp/bounded_system.h"

namespace talus {

struct ImpulseMultigridOptions {
  double strength = 0.25;    ///< θ.
  int pre_sweeps = 2;        ///< ν₁.
  int post_sweeps = 2;       ///< ν₂.
  int cycle = 1;             ///< μ: 1 is the V cycle, 2 the W cycle.
  bool reject = false;       ///< Reject corrections that leave the bounds (else project).
  bool guard = true;         ///< Drop a correction of the finest level that does not descend.
  Index coarsest = 40;       ///< Variables below which a level is solved by sweeps alone.
  int coarsest_sweeps = 100; ///< How many.
};

class ImpulseMultigrid {
public:
  /// Keeps references to both. `x` tells which variables are between their bounds.
  ImpulseMultigrid(const BoundedSystem& system, const Dense& x,
                   const ImpulseMultigridOptions& options);

  /// One cycle. Returns the work in units of fine-level sweeps.
  double cycle(Dense& x);

  int levels() const { return static_cast<int>(coarse_.size()) + 1; }
  /// Variables of a level, 0 the finest.
  Index size(int level) const {
    return level == 0 ? fine_->size() : coarse_[level - 1].system.size();
  }

private:
  /// A coarse level and its transfer from the next finer one.
  struct Level {
    SparseRows P, restriction;
    std::vector<Index> fine_index; ///< Of each coarse variable.
    BoundedSystem system;
    Dense x;
  };
  const BoundedSystem& system_of(int level) const {
    return level == 0 ? *fine_ : coarse_[level - 1].system;
  }
  void coarsen(const Dense& x);
  void cycle(int level, Dense& x);
  void correct(int level, Dense& x);

  const BoundedSystem* fine_;
  const ImpulseMultigridOptions* options_;
  std::vector<Level> coarse_;
  double work_ = 0;
};

} // namespace talus
