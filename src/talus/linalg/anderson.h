#pragma once
// Anderson acceleration of a fixed-point iteration x ← G(x) (Anderson 1965; type II, Walker & Ni
// 2011), safeguarded for nonsmooth maps.
//
// With f = G(x) - x and the differences ΔF, ΔG of the last iterations, the next iterate is
// G(x) - ΔG θ, θ minimising |f - ΔF θ|. Projections make G piecewise smooth: when an extrapolated
// iterate has a residual clearly above the last one, it is undone in favour of the plain image
// saved before, and the differences are forgotten. Cost: a few inner products per remembered
// iteration and one dense system of `memory` rows; no product.

#include "talus/core/types.h"

namespace talus {

class Anderson {
public:
  Anderson(Index size, int memory);

  /// From the iterate x and its image gx = G(x) to the next iterate, which may be gx itself. False
  /// when the extrapolation that led to x was undone.
  bool advance(ConstSpan x, ConstSpan gx, Span next);

  /// Forgets everything, for when the map changed.
  void restart();

private:
  void remember(ConstSpan gx);
  void solve_least_squares();

  int memory_, count_ = 0, newest_ = -1;
  std::vector<Vector> delta_f_, delta_g_;
  Vector f_, last_f_, last_g_, gram_, system_, theta_;
  double last_residual_ = 0;
  bool has_last_ = false;
};

} // namespace talus
