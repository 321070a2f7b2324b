#pragma once
// Asks politely interrupted work to end at the next good moment.

namespace talus::cli {

/// While it lives, the first SIGINT or SIGTERM is noted; a second one ends the program at once.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The signal's number, 0 while there was none.
  int received() const;
};

} // namespace talus::cli
