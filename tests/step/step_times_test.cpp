// Which step of a run took longest, and the median of those that had something to solve.

#include "talus/step/step_times.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

StepReport timed_step(std::int64_t step, Index contacts, double seconds) {
  StepReport now;
  now.step = step;
  now.contacts = contacts;
  now.seconds_solve = 0.75 * seconds;
  now.seconds_collide = 0.25 * seconds;
  return now;
}

TEST(StepTimes, NameTheSlowestStepAndTheMedian) {
  StepTimes times;
  EXPECT_EQ(times.median(), 0);
  EXPECT_EQ(times.ratio(), 0);
  EXPECT_EQ(times.slowest_step(), 0);
  times.include(timed_step(1, 0, 64)); // nothing to solve
  times.include(timed_step(2, 5, 2));
  times.include(timed_step(3, 5, 8));
  times.include(timed_step(4, 5, 1));
  EXPECT_EQ(times.median(), 2);
  EXPECT_EQ(times.longest(), 8);
  EXPECT_EQ(times.ratio(), 4);
  EXPECT_EQ(times.slowest_step(), 3);
  times.include(timed_step(5, 5, 4));
  times.include(timed_step(6, 5, 16));
  EXPECT_EQ(times.median(), 4);
  EXPECT_EQ(times.slowest_step(), 6);
}

TEST(StepTimes, CountStepsWithJointsAlone) {
  StepTimes times;
  StepReport now = timed_step(1, 0, 3);
  now.joint_rows = 5;
  times.include(now);
  EXPECT_EQ(times.median(), 3);
  EXPECT_EQ(times.slowest_step(), 1);
}

} // namespace
} // namespace talus
