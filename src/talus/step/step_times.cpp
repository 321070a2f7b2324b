#include "talus/step/step_times.h"

#include <algorithm>

namespace talus {

void StepTimes::include(const StepReport& report) {
  if (report.contacts + report.joint_rows == 0) return;
  const double seconds = report.seconds();
  seconds_.push_back(static_cast<float>(seconds));
  if (seconds <= longest_) return;
  longest_ = seconds;
  slowest_step_ = report.step;
}

double StepTimes::median() const {
  if (seconds_.empty()) return 0;
  std::vector<float> sorted = seconds_;
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

double StepTimes::ratio() const {
  const double typical = median();
  return typical > 0 ? longest_ / typical : 0;
}

} // namespace talus
