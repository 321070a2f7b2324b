// Settled piles are kept and come back as they were.

#include "experiments/frame/paper_step.h"
#include "experiments/frame/sphere_pile.h"
#include "talus/step/simulation.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace talus::experiments {
namespace {

class SpherePileTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Context context(bool may_settle) const {
    return Context({.folder = folder_.string(),
                    .name = "test",
                    .quick = true,
                    .progress = [may_settle](const std::string&) { return may_settle; }});
  }

  static SpherePile small_pile() {
    SpherePile pile;
    pile.spheres = 12;
    pile.container_radius = 0.35;
    pile.seconds = 0.05;
    pile.friction = 0.5;
    return pile;
  }

  std::filesystem::path folder_;
};

TEST_F(SpherePileTest, ASettledWorldTakesTheStepThatSettlingWouldHaveTaken) {
  const SpherePile pile = small_pile();
  const World world = settled_world(pile, context(true), "pile");
  const ContactProblem expected = settled_problem(pile, context(true), "pile");
  const ContactProblem found = Simulation(world, paper_step(pile.step)).next_problem();
  ASSERT_GT(expected.contacts(), 0);
  EXPECT_EQ(expected.mu, found.mu);
  const GlobalModel& of_file = std::get<GlobalModel>(expected.model);
  const GlobalModel of_world = to_global(found);
  EXPECT_EQ(of_file.w, of_world.w);
  EXPECT_EQ(of_file.H.value, of_world.H.value);
  EXPECT_EQ(of_file.f, of_world.f);
}

TEST_F(SpherePileTest, ASettledWorldIsMadeOnce) {
  const World first = settled_world(small_pile(), context(true), "pile");
  // A context that stops at the first word would not get through settling.
  World second;
  ASSERT_NO_THROW(second = settled_world(small_pile(), context(false), "pile"));
  ASSERT_EQ(first.size(), second.size());
  for (Index i = 0; i < static_cast<Index>(first.size()); ++i)
    EXPECT_EQ(first.state(i), second.state(i));
  EXPECT_THROW(settled_world(small_pile(), context(false), "another"), Interrupted);
  SpherePile rougher = small_pile();
  rougher.friction = 0.6;
  EXPECT_THROW(settled_world(rougher, context(false), "pile"), Interrupted);
}

} // namespace
} // namespace talus::experiments
