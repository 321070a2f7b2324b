#pragma once
// Runs another program without a shell and collects what it says.

#include <string>
#include <vector>

namespace talus::cli {

struct ProcessResult {
  int exit_code = -1; ///< -1 when it could not be started or died of a signal.
  std::string out, err;
};

/// Runs arguments[0] (looked up in PATH unless it has a slash) and waits for it.
ProcessResult run_process(const std::vector<std::string>& arguments);

} // namespace talus::cli
