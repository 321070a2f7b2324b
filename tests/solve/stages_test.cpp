// The stages of auto as data: every one can be made, and its description is complete.

#include "solve/solver_checks.h"
#include "support/random_problems.h"
#include "talus/solve/auto/methods.h"
#include "talus/solve/auto/stages.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <sstream>

namespace talus {
namespace {

TEST(Stages, EveryMethodCanBeMadeWithItsSettings) {
  test::Random random(3);
  const ContactProblem problem = test::with_set(
      test::random_rigid_problem(random, {.bodies = 4, .contacts = 12, .mu_high = 0.3}), "cone");
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  const unsigned facts = facts_of(scaled, 1e-8, false, {});
  Methods methods;
  for (const Stage& stage : stages()) {
    Solver* method = methods.find(stage, facts, scaled);
    const bool polyhedral = stage.method == "pgs" || stage.method == "lemke" ||
                            stage.method == "enumeration" || stage.method == "kucera";
    EXPECT_TRUE(method || polyhedral) << stage.method;
    if (!method) continue;
    EXPECT_EQ(method, methods.find(stage, facts, scaled)) << stage.method;
  }
}

TEST(Stages, ConditionsAreConjunctions) {
  const When when = Fact::warm + Fact::small + !Fact::tiny;
  const auto bits = [](std::initializer_list<Fact> facts) {
    unsigned all = 0;
    for (const Fact fact : facts) all |= static_cast<unsigned>(fact);
    return all;
  };
  EXPECT_TRUE(when.holds(bits({Fact::warm, Fact::small, Fact::close})));
  EXPECT_FALSE(when.holds(bits({Fact::warm})));
  EXPECT_FALSE(when.holds(bits({Fact::warm, Fact::small, Fact::tiny})));
  EXPECT_TRUE(When().holds(0));
}

TEST(Stages, AmountsFollowThePriceOfAFactorisation) {
  EXPECT_EQ((Amount{.plus = 500}).of(40), 500);
  EXPECT_EQ((Amount{.prices = 2, .least = 100}).of(40), 100);
  EXPECT_EQ((Amount{.prices = 2, .least = 100}).of(60), 120);
  EXPECT_EQ((Amount{.plus = 500, .prices = 8}).of(40), 820);
  EXPECT_EQ((Amount{.work = 300000}).of(40), 7500);
}

TEST(Stages, TheDescriptionNamesEveryStageAndFits) {
  const std::string text = describe_stages({});
  for (const Stage& stage : stages()) {
    EXPECT_NE(text.find(stage.method), std::string::npos) << stage.method;
    EXPECT_NE(text.find(stage.reason), std::string::npos) << stage.reason;
  }
  for (const FactName& fact : fact_names()) {
    EXPECT_NE(text.find(fact.name), std::string::npos) << fact.name;
    EXPECT_FALSE(meaning_of(fact.fact, {}).empty()) << fact.name;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

} // namespace
} // namespace talus
