// A problem on the stack says of an answer what the judge of all problems says.

#include "support/random_models.h"
#include "talus/problem/few_contacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

void expect_near(double expected, double found, double size, const std::string& what) {
  if (expected == found) return; // both may be infinite
  EXPECT_NEAR(expected, found, 1e-13 * size) << what;
}

void expect_same(const Quality& expected, const Quality& found, const std::string& what) {
  expect_near(expected.error, found.error, expected.error, what + " error");
  expect_near(expected.error_fclib, found.error_fclib, expected.error_fclib, what + " fclib");
  expect_near(expected.violation, found.violation, expected.violation, what + " violation");
  expect_near(expected.primal, found.primal, expected.error, what + " primal");
  expect_near(expected.dual, found.dual, expected.error, what + " dual");
  expect_near(expected.complementarity, found.complementarity, expected.complementarity,
              what + " complementarity");
  expect_near(expected.objective, found.objective, 10 + std::abs(expected.objective),
              what + " objective");
  EXPECT_EQ(expected.momentum, found.momentum) << what;
}

TEST(FewContacts, JudgeAsScaledProblemsDo) {
  test::RandomProblems random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const Index contacts = 1 + trial % FewContacts::most;
    ContactProblem problem = random.local(3, contacts, 0);
    problem.law = trial % 3 == 0 ? Law::associated : Law::coulomb;
    if (trial % 4 == 0) problem.mu[0] = 0;
    if (trial % 5 == 0) problem.compliance = random.vector(problem.size(), 0.1, 1);
    const Vector x = random.vector(problem.size(), trial % 7 == 0 ? 0.0 : -0.5, 1);
    const auto n = make_operator(problem);
    ASSERT_TRUE(FewContacts::admits(problem));
    const FewContacts few(problem, *n);
    Vector u(problem.size()), expected_u(problem.size());
    expect_same(judge(problem, *n, x), judge(few, x, u), "trial " + std::to_string(trial));
    n->apply(x, expected_u);
    for (Index i = 0; i < problem.size(); ++i)
      EXPECT_NEAR(expected_u[i] + n->free_velocity()[i], u[i], 1e-12) << trial;
  }
}

TEST(FewContacts, HaveNoGoodWordForNaN) {
  test::RandomProblems random(6);
  for (Index contacts = 1; contacts <= FewContacts::most; ++contacts) {
    const ContactProblem problem = random.local(3, contacts, 0);
    const auto n = make_operator(problem);
    const FewContacts few(problem, *n);
    for (Index i = 0; i < problem.size(); ++i) {
      Vector x(problem.size(), 0.1), u(problem.size());
      x[i] = std::numeric_limits<double>::quiet_NaN();
      const Quality quality = judge(few, x, u);
      EXPECT_FALSE(quality.error <= 1e300) << contacts << " " << i;
      EXPECT_FALSE(quality.error_fclib <= 1e300) << contacts << " " << i;
      EXPECT_FALSE(quality.violation <= 1e300) << contacts << " " << i;
    }
  }
}

TEST(FewContacts, KnowWhereZeroImpulsesSolve) {
  test::RandomProblems random(7);
  ContactProblem problem = random.local(3, 2, 0);
  std::get<LocalModel>(problem.model).q = {1, 0.5, 0, 2, 0, -0.5};
  EXPECT_EQ(0, FewContacts(problem, *make_operator(problem)).reference());
}

} // namespace
} // namespace talus
