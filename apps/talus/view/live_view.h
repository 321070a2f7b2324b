#pragma once
// The viewer beside a running simulation: `talus view` as a process of its own that reads what the
// run writes. The run does nothing for it, so an unwatched page costs the solver nothing.

#include "support/child_process.h"

#include <string>

namespace talus::cli {

class LiveView {
public:
  /// Port 0: a free one. The address appears on standard error.
  LiveView(const std::string& folder, long port);

  /// Tells the page that nothing more is to come, then waits until somebody interrupts.
  void stay_until_interrupted();

private:
  ChildProcess server_;
};

} // namespace talus::cli
