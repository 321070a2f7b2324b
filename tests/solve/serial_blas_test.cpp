// Here and not in core, whose tests load no library with threads of its own.

#include "talus/core/serial_blas.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <optional>

namespace talus {
namespace {

TEST(SerialBlas, one_thread_while_any_lives_and_as_before_afterwards) {
  const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (!get || !set) GTEST_SKIP() << "the BLAS of this machine is not OpenBLAS";
  const int usual = get();
  set(2);
  std::optional<SerialBlas> first(std::in_place), second(std::in_place);
  EXPECT_EQ(get(), 1);
  first.reset();
  EXPECT_EQ(get(), 1);
  second.reset();
  EXPECT_EQ(get(), 2);
  set(usual);
}

TEST(SerialBlas, parallel_regions_of_this_thread_wait) {
  const auto levels = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_active_levels"));
  if (!levels) GTEST_SKIP() << "no OpenMP in this process";
  const int usual = levels();
  {
    const SerialBlas serial;
    EXPECT_EQ(levels(), 0);
  }
  EXPECT_EQ(levels(), usual);
}

} // namespace
} // namespace talus
