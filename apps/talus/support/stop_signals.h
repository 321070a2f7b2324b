#pragma once
// Asks politely interrupted work to end at the next good moment.

#include <atomic>

namespace talus::cli {

/// While it lives, the first SIGINT or SIGTERM is noted; a second one ends the program at once.
/// There is one at a time.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The signal's number, 0 while there was none.
  int received() const { return received_; }
  /// True once there was one; for SolveOptions::stop and StepOptions::stop, as long as this lives.
  const std::atomic<bool>* flag() const { return &stop_; }

private:
  static void note(int number);

  std::atomic<bool> stop_ = false;
  std::atomic<int> received_ = 0;
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
                "a signal handler may not wait");
};

} // namespace talus::cli
