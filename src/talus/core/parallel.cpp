#include "talus/core/parallel.h"

#include "talus/core/error.h"

#include <fmt/format.h>

namespace talus {

void require_thread_count(int threads) {
  if (threads < 0 || threads > most_threads)
    throw InvalidArgument(
        fmt::format("threads is {}, it must be from 0 (all) to {}", threads, most_threads));
}

} // namespace talus
