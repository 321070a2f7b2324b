#pragma once
// Time that this process was given, for comparisons of single-threaded work on a machine that does
// other things as well.

#include <ctime>

namespace talus {

/// In seconds since the process began, of all its threads together.
inline double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace talus
