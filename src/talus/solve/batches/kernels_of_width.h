#pragma once
// The kernels of batch_kernels.h for the width of this source (contact_lanes.h).

#include "talus/solve/batches/batch_kernels.h"
#include "talus/solve/batches/batch_visit.h"

namespace talus::batch::TALUS_LANES {

/// All eight numbers of a record, in whole registers: masses stay as they are.
inline void extrapolate(BodyRecord* bodies, BodyRecord* last, Index count, double beta) {
  static_assert(record_size % lanes == 0 && sizeof(BodyRecord) == record_size * sizeof(double));
  const V share = simd::Set(Tag(), beta);
  for (Index i = 0; i < count; ++i) {
    double *v = bodies[i].velocity, *before = last[i].velocity;
    for (int k = 0; k < record_size; k += lanes) {
      const V now = load(v + k);
      store(add(now, mul(share, sub(now, load(before + k)))), v + k);
      store(now, before + k);
    }
  }
}

template <int D>
void add_impulses(const ContactBatch<D>* batches, Index count, BodyRecord* bodies,
                  const BodyInertia* inertias) {
  const auto add = [&](auto group, const ContactBatch<D>& batch, int first) {
    group.add_impulse(load_entries<D>(batch.impulse, first), bodies, batch, first);
  };
  for (Index k = 0; k < count; ++k)
    for (int first = 0; first < batch_width; first += lanes)
      if (inertias)
        add(Group<false>(bodies, inertias, batches[k], first), batches[k], first);
      else
        add(Group<true>(bodies, inertias, batches[k], first), batches[k], first);
}

template <int D>
SweepProgress sweep(ContactBatch<D>* batches, Index count, std::uint8_t* is_awake,
                    const SweepSettings& settings, BodyRecord* bodies,
                    const BodyInertia* inertias) {
  return inertias ? sweep_batches<false>(batches, count, is_awake, settings, bodies, inertias)
                  : sweep_batches<true>(batches, count, is_awake, settings, bodies, inertias);
}

template <int D>
void observe_all(const ContactBatch<D>* batches, Index count, const BodyRecord* bodies, double* u) {
  for (Index k = 0; k < count; ++k)
    for (int first = 0; first < batch_width; first += lanes) observe(batches[k], first, bodies, u);
}

template <int D>
constexpr BatchKernels<D> kernels_of_width{extrapolate, add_impulses<D>, sweep<D>, observe_all<D>};

} // namespace talus::batch::TALUS_LANES
