#pragma once
// Keeps OpenBLAS and OpenMP, which other programs' solvers call, to one thread in this process.

#include <dlfcn.h>

namespace talus::bench {

inline void use_serial_blas() {
  using Set = void (*)(int);
  if (void* set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) reinterpret_cast<Set>(set)(1);
  if (void* set = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels")) reinterpret_cast<Set>(set)(0);
}

} // namespace talus::bench
