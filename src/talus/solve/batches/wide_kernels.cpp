// Compiled for processors with AVX-512 (CMakeLists.txt), and run on them alone.

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)

#define TALUS_WIDE_LANES
#include "talus/solve/batches/kernels_of_width.h"

namespace talus::batch {

template <int D>
const BatchKernels<D>* wide_kernels() {
  return &wide::kernels_of_width<D>;
}

#else

#include "talus/solve/batches/batch_kernels.h"

namespace talus::batch {

template <int D>
const BatchKernels<D>* wide_kernels() {
  return nullptr;
}

#endif

template const BatchKernels<3>* wide_kernels();
template const BatchKernels<6>* wide_kernels();

} // namespace talus::batch
