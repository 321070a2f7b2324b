#pragma once
// What a visit of a batch of contacts reads and writes (rigid_batches.h). Plain data: some sources
// that include this are compiled for processors that others do not have (batch_kernels.h).

#include "talus/solve/batches/batch_plan.h"

#include <cstdint>

namespace talus {

/// A cache line: what a visit reads and writes of a body.
struct alignas(64) BodyRecord {
  double velocity[3] = {}, spin[3] = {};
  double inverse_mass = 0;
  double inverse_inertia = 0; ///< Where all bodies have isotropic inertia.
};

/// Inverse inertia of a body: xx, xy, xz, yy, yz, zz.
struct alignas(64) BodyInertia {
  double entries[8] = {};
};

using BatchLanes = double[batch_width];

/// Of contacts with moments: the lengths that bound these, and those they are measured in.
template <int D>
struct alignas(64) BatchMoments {};
template <>
struct alignas(64) BatchMoments<6> {
  BatchLanes rolling, spinning, length;
};

/// Contacts of D components, 3, or 6 with moments.
template <int D>
struct alignas(64) ContactBatch : BatchMoments<D> {
  using Lanes = BatchLanes;
  static constexpr int triangle = D * (D + 1) / 2;
  Lanes normal[3], tangent[3], arm_a[3], arm_b[3];
  Lanes bias[D];           ///< w of the problem.
  Lanes block[triangle];   ///< A: upper triangle, row by row.
  Lanes inverse[triangle]; ///< A⁻¹ likewise.
  Lanes compliance[D];     ///< Diagonal of E.
  Lanes mu, weight;        ///< weight = 1 / scale², of the norm in scaled variables.
  Lanes relaxation;        ///< Of each contact's updates.
  Lanes impulse[D], last[D];
  BatchContacts contact;
  Index body_a[batch_width], body_b[batch_width];
  bool is_round; ///< Its blocks are those of spheres: see has_round_block().
};

struct SweepSettings {
  double beta = 0;    ///< Of the extrapolation before the sweep.
  double omega = 1;   ///< Factor of every update, where `damps`.
  bool damps = false; ///< Contacts whose updates go back and forth are relaxed.
};

/// Squared length of the step g - y, and its product with g - x_last, in scaled variables.
struct SweepProgress {
  double squared = 0, along = 0;
};

} // namespace talus
