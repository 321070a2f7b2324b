#pragma once
// The number of threads that functions of the module take.

#include "talus/core/error.h"

#include <fmt/format.h>

namespace talus::python {

inline void require_thread_count(int threads) {
  if (threads < 0)
    throw InvalidArgument(fmt::format("threads is {}, it must be 0 (all) or more", threads));
}

} // namespace talus::python
