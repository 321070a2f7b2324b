#include "run_progress.h"

#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unistd.h>

namespace talus::cli {
namespace {

constexpr double terminal_period = 0.1, plain_period = 2;

std::string clock_time(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  const auto total = static_cast<long>(std::ceil(seconds));
  return total >= 3600 ? fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60)
                       : fmt::format("{}:{:02}", total / 60, total % 60);
}

} // namespace

RunProgress::RunProgress(std::FILE* stream, std::int64_t first_step, std::int64_t last_step,
                         double first_time, double step_length, Begin begin)
    : stream_(stream), terminal_(isatty(fileno(stream)) != 0), first_step_(first_step),
      last_step_(last_step), first_time_(first_time), step_length_(step_length),
      next_show_(begin == Begin::at_once ? 0 : period()) {}

double RunProgress::period() const {
  return terminal_ ? terminal_period : plain_period;
}

double RunProgress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string RunProgress::line(const StepReport& report, double elapsed) const {
  const double done = static_cast<double>(report.step - first_step_);
  const double left = static_cast<double>(last_step_ - report.step);
  const double end = first_time_ + static_cast<double>(last_step_ - first_step_) * step_length_;
  return fmt::format(
      "t {:.3f}/{:.3f} s  step {}/{}  contacts {}  error {}{}, at worst {} (tolerance "
      "{})  {:.2g}x real time  ETA {}",
      report.time, end, report.step, last_step_, report.contacts, short_number(report.error),
      report.converged() ? "" : " (not converged)", short_number(largest_error_),
      short_number(largest_tolerance_), (report.time - first_time_) / elapsed,
      clock_time(left * elapsed / done));
}

void RunProgress::show(const StepReport& report) {
  largest_error_ = std::max(largest_error_, report.error);
  largest_tolerance_ = std::max(largest_tolerance_, report.tolerance);
  const double elapsed = seconds();
  if (elapsed < next_show_) return;
  next_show_ = elapsed + period();
  if (terminal_)
    fmt::print(stream_, "\r\033[K{}", line(report, elapsed));
  else
    fmt::print(stream_, "{}\n", line(report, elapsed));
  std::fflush(stream_);
  visible_ = terminal_;
}

void RunProgress::clear() {
  if (!visible_) return;
  fmt::print(stream_, "\r\033[K");
  std::fflush(stream_);
  visible_ = false;
}

} // namespace talus::cli
