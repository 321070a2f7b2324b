#pragma once
// How much memory this process has taken. Sanitizers keep memory of their own: no use there.

#include <cstddef>
#include <malloc.h>
#include <sys/resource.h>

namespace talus::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool memory_is_measurable = false;
#else
inline constexpr bool memory_is_measurable = true;
#endif

/// Allocated and not given back, in bytes.
inline std::size_t allocated_now() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// The most memory it ever had, in bytes.
inline std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

} // namespace talus::test
