#pragma once
// What sweeps over batches spend their time in, compiled for registers of two widths: four contacts
// at a time (two where TALUS_ARCH asks for no more), and all eight of a batch where the processor
// has AVX-512. Both round alike, so that results have the same bits.

#include "talus/solve/batches/contact_batch.h"

namespace talus::batch {

/// `inertias` are null where all bodies have isotropic inertia.
template <int D>
struct BatchKernels {
  /// v += β (v - v_last) of so many bodies; v_last becomes what v was.
  void (*extrapolate)(BodyRecord* bodies, BodyRecord* last, Index count, double beta);
  /// Adds what the impulses of the batches do to their bodies.
  void (*add_impulses)(const ContactBatch<D>* batches, Index count, BodyRecord* bodies,
                       const BodyInertia* inertias);
  /// Visits the batches that are awake and notes which of them are so after the visit.
  SweepProgress (*sweep)(ContactBatch<D>* batches, Index count, std::uint8_t* is_awake,
                         const SweepSettings& settings, BodyRecord* bodies,
                         const BodyInertia* inertias);
  /// u = Dᵀ v + w + E x of the contacts, at their places in the problem.
  void (*observe)(const ContactBatch<D>* batches, Index count, const BodyRecord* bodies, double* u);
};

/// Those of the widest registers that the processor has.
template <int D>
const BatchKernels<D>& kernels();

template <int D>
const BatchKernels<D>& narrow_kernels();
/// Null where the program was built without them.
template <int D>
const BatchKernels<D>* wide_kernels();
/// Whether the processor has what wide_kernels() need.
bool has_wide_registers();

} // namespace talus::batch
