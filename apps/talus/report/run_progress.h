#pragma once
// How far a run has come: a line that renews itself on a terminal, a line now and then elsewhere.

#include "talus/step/step_report.h"

#include <chrono>
#include <cstdio>
#include <string>

namespace talus::cli {

class RunProgress {
public:
  /// Whether the first step is shown, or nothing before a period has passed.
  enum class Begin { at_once, after_a_period };

  /// `stream` is standard output, or standard error when that is taken by results.
  RunProgress(std::FILE* stream, std::int64_t first_step, std::int64_t last_step, double first_time,
              double step_length, Begin begin = Begin::at_once);
  ~RunProgress() { clear(); }
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  void show(const StepReport& report);
  /// Removes the line, so that others can be printed.
  void clear();
  /// Since the start.
  double seconds() const;

private:
  double period() const;
  std::string line(const StepReport& report, double elapsed) const;

  std::FILE* stream_;
  bool terminal_, visible_ = false;
  std::int64_t first_step_, last_step_;
  double first_time_, step_length_, next_show_;
  double largest_error_ = 0, largest_tolerance_ = 0; ///< Of the steps so far.
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace talus::cli
