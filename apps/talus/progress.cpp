#include "progress.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace talus::cli {

ProgressBar::ProgressBar(std::size_t total)
    : total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressBar::show(std::size_t done, const std::string& what) {
  if (!terminal_ || total_ == 0) return;
  constexpr std::size_t width = 30;
  const std::size_t filled = width * done / total_;
  fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {}/{} {}", "", filled, "", width - filled, done,
             total_, what);
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
