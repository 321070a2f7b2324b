#pragma once
// Time that this process was given, for comparisons of single-threaded work on a machine that does
// other things as well.

#include <ctime>

namespace talus {

inline double seconds_of(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// In seconds since the process began, of all its threads together.
inline double processor_seconds() {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/// The same of the calling thread alone: libraries may keep others, which wait by spinning.
inline double thread_seconds() {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

} // namespace talus
