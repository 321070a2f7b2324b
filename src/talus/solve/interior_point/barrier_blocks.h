#pragma once
// The blocks E + H + δ of a KktSystem and roots of their inverses, from C = R⁻¹ with H = RᵀR.

#include "talus/solve/interior_point/kkt_system.h"
#include "talus/solve/newton/newton_blocks.h"

namespace talus {

class BarrierBlocks {
public:
  BarrierBlocks(const ScaledProblem& problem, const std::vector<signed char>& active);

  const BlockLayoutOfRows& layout() const { return layout_; }
  /// How many leading entries of a block take part.
  int active(Index block) const { return active_[block]; }
  bool is_free(Index block) const { return free_[block]; }
  /// Scaled E.
  ConstSpan compliance() const { return compliance_; }

  /// 1 + Cᵀ (E + δ) C of a block, active x active; without the 1 for free rows.
  void stiffness_in_root(Index block, ConstSpan inverse_root, double shift, double* s) const;
  /// C L⁻ᵀ with L Lᵀ = 1 + Cᵀ (E + δ) C: a root of Θ = (E + H + δ)⁻¹, at its place in `root`. The
  /// Cholesky factorisation of this graded matrix is accurate in every entry, so Θ is small where H
  /// is large, to the last decade. False where there is none.
  bool make_root_theta(Index block, ConstSpan inverse_root, double shift, Span root) const;

private:
  BlockLayoutOfRows layout_;
  std::vector<signed char> active_;
  std::vector<bool> free_;
  Vector compliance_;
};

} // namespace talus
