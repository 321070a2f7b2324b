#pragma once
// How long computations learn that nobody waits for them any more.

#include <functional>

namespace talus {

/// Asked between the phases of long work, such as factorisations. Once true it stays true. Empty:
/// the work is never to end early.
using StopTest = std::function<bool()>;

inline bool is_met(const StopTest& stop) {
  return stop && stop();
}

} // namespace talus
