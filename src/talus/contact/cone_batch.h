#pragma once
// The cone's projection and tilt for many contacts at once, in SIMD lanes of contacts. Same values
// as the kernels of projection_kernels.h up to rounding, same care for zeros, NaN and magnitudes.

#include "talus/core/types.h"

namespace talus {

/// x = P_K(x) in place for `count` contacts of three entries with coefficients mu.
void project_on_cones(const double* mu, Index count, double* x);

/// x_n -= mu |u_t| for `count` contacts of three entries: the tilt of Coulomb's law.
void subtract_cone_tilts(const double* mu, const double* u, Index count, double* x);

/// Radii of the discs of contacts with moments (rolling_set.h); `spinning` is used in dimension 6.
struct RollingRadii {
  const double *mu, *rolling, *spinning;
};

/// The same for `count` contacts of dimension 5 or 6 with moments, with the same bits as
/// project_on_rolling_cone().
void project_on_rolling_cones(const RollingRadii& radii, int dimension, Index count, double* x);

/// x_n -= Σ a_i |u_i|.
void subtract_rolling_tilts(const RollingRadii& radii, int dimension, const double* u, Index count,
                            double* x);

} // namespace talus
