#pragma once
// How long the steps of a run took: the slowest, and the median of those that had something to
// solve. Four bytes per step.

#include "talus/step/step_report.h"

#include <vector>

namespace talus {

class StepTimes {
public:
  /// Steps without contacts and joints count for nothing.
  void include(const StepReport& report);

  double median() const; ///< Seconds; 0 without steps.
  double longest() const { return longest_; }
  std::int64_t slowest_step() const { return slowest_step_; } ///< Its number; 0 without steps.
  /// The longest in medians; 0 without steps.
  double ratio() const;

private:
  std::vector<float> seconds_;
  double longest_ = 0;
  std::int64_t slowest_step_ = 0;
};

} // namespace talus
