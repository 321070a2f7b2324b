// The data behind `talus compare` when it is stopped on the way.

#include "compare/comparison.h"
#include "program.h"

namespace talus::test {
namespace {

/// Two solvers at two tolerances, then their histories: asked six times per problem.
cli::Comparison stopped_at(int question) {
  cli::ComparisonSettings settings;
  settings.given = {{"one", sliding_box()}, {"two", sliding_box()}, {"three", sliding_box()}};
  settings.solvers = {"apgd", "nsgs"};
  settings.tolerances = {1e-3, 1e-6};
  settings.keep_convergence = true;
  settings.show_progress = false;
  settings.wants_to_stop = [question, asked = 0]() mutable { return ++asked == question; };
  return cli::compare(settings);
}

TEST(Comparison, KeepsTheProblemsThatAreDoneWhenItIsStopped) {
  const cli::Comparison whole = stopped_at(19);
  EXPECT_FALSE(whole.is_stopped);
  EXPECT_EQ(whole.problems.size(), 3u);
  for (const int question : {7, 9, 12}) {
    const cli::Comparison part = stopped_at(question);
    EXPECT_TRUE(part.is_stopped);
    ASSERT_EQ(part.problems.size(), 1u);
    EXPECT_EQ(part.problems[0].label, "one");
    EXPECT_EQ(part.runs.size(), 4u);
    EXPECT_EQ(part.convergence_csv.find("two"), std::string::npos);
    EXPECT_NE(part.convergence_csv.find("one"), std::string::npos);
  }
}

TEST(Comparison, IsEmptyWhenItIsStoppedAtOnce) {
  const cli::Comparison none = stopped_at(1);
  EXPECT_TRUE(none.is_stopped);
  EXPECT_TRUE(none.problems.empty() && none.runs.empty() && none.convergence_csv.empty());
}

} // namespace
} // namespace talus::test
