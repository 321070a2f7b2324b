#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace talus::cli {
namespace {

/// A line longer than the terminal would wrap and could not be overwritten.
std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace

ProgressBar::ProgressBar(std::size_t total)
    : total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressBar::show(std::size_t done, const std::string& what) {
  if (!terminal_ || total_ == 0) return;
  constexpr std::size_t width = 30;
  const std::size_t filled = width * done / total_;
  std::string line =
      fmt::format("[{:#<{}}{:.<{}}] {}/{} {}", "", filled, "", width - filled, done, total_, what);
  line.resize(std::min(line.size(), terminal_columns() - 1));
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  visible_ = true;
}

void ProgressBar::clear() {
  if (!visible_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  visible_ = false;
}

} // namespace talus::cli
