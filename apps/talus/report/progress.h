#pragma once
// A progress bar on standard error, shown on a terminal only.

#include <cstddef>
#include <string>

namespace talus::cli {

class ProgressBar {
public:
  explicit ProgressBar(std::size_t total);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Shows what is being done now, after `done` pieces.
  void show(std::size_t done, const std::string& what);
  /// Removes the bar, so that other lines can be printed.
  void clear();

private:
  std::size_t total_;
  bool terminal_, visible_ = false;
};

} // namespace talus::cli
