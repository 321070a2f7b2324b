#include "talus/core/serial_blas.h"

#include <dlfcn.h>
#include <mutex>

namespace talus {
namespace {

using Get = int (*)();
using Set = void (*)(int);

/// A setting of a library that may or may not be loaded.
struct ThreadSetting {
  Get get;
  Set set;

  ThreadSetting(const char* getter, const char* setter)
      : get(reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, getter))),
        set(reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, setter))) {}
  bool exists() const { return get && set; }
};

const ThreadSetting& openmp() {
  static const ThreadSetting setting("omp_get_max_active_levels", "omp_set_max_active_levels");
  return setting;
}

/// The number of threads of OpenBLAS, shared by all who want it to be one.
class OpenBlas {
public:
  void enter() {
    const std::lock_guard lock(mutex_);
    if (users_++ > 0 || !setting_.exists()) return;
    threads_ = setting_.get();
    setting_.set(1);
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--users_ == 0 && setting_.exists()) setting_.set(threads_);
  }

private:
  std::mutex mutex_;
  ThreadSetting setting_{"openblas_get_num_threads", "openblas_set_num_threads"};
  int users_ = 0, threads_ = 1;
};

OpenBlas& open_blas() {
  static OpenBlas blas;
  return blas;
}

} // namespace

SerialBlas::SerialBlas() {
  open_blas().enter();
  if (!openmp().exists()) return;
  openmp_levels_ = openmp().get();
  openmp().set(0); // no parallel region is active, whatever number of threads it asks for
}

SerialBlas::~SerialBlas() {
  if (openmp().exists()) openmp().set(openmp_levels_);
  open_blas().leave();
}

} // namespace talus
