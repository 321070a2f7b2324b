// The papers undo every penetration in one step.

#include "experiments/anitescu2002/anitescu2002.h"
#include "experiments/frame/paper_step.h"
#include "experiments/mangoni2015/mangoni2015.h"

#include <gtest/gtest.h>

#include <limits>

namespace talus::experiments {
namespace {

TEST(PaperStep, gaps_count_in_full) {
  for (const StepOptions& options :
       {paper_step(0.01), paper_steps("none"), algorithm3_steps(), exact_steps()}) {
    EXPECT_EQ(options.allowed_penetration, 0);
    EXPECT_EQ(options.max_recovery_speed, std::numeric_limits<double>::infinity());
  }
}

} // namespace
} // namespace talus::experiments
