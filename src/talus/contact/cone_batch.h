#pragma once
// The cone's projection and tilt for many contacts at once, in SIMD lanes of contacts. Same values
// as the kernels of projection_kernels.h up to rounding, same care for zeros, NaN and magnitudes.

#include "talus/core/types.h"

namespace talus {

/// x = P_K(x) in place for `count` contacts of three entries with coefficients mu.
void project_on_cones(const double* mu, Index count, double* x);

/// x_n -= mu |u_t| for `count` contacts of three entries: the tilt of Coulomb's law.
void subtract_cone_tilts(const double* mu, const double* u, Index count, double* x);

} // namespace talus
