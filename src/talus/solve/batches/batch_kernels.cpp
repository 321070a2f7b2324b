#include "talus/solve/batches/batch_kernels.h"

#include "talus/solve/batches/kernels_of_width.h"

namespace talus::batch {

bool has_wide_registers() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

template <int D>
const BatchKernels<D>& narrow_kernels() {
  return narrow::kernels_of_width<D>;
}

template <int D>
const BatchKernels<D>& kernels() {
  static const BatchKernels<D>& chosen =
      wide_kernels<D>() && has_wide_registers() ? *wide_kernels<D>() : narrow_kernels<D>();
  return chosen;
}

template const BatchKernels<3>& narrow_kernels();
template const BatchKernels<6>& narrow_kernels();
template const BatchKernels<3>& kernels();
template const BatchKernels<6>& kernels();

} // namespace talus::batch
