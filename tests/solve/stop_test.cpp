// Solves that their caller ends: by a flag, and by a time that is over.

#include "support/random_problems.h"
#include "talus/core/vector_ops.h"
#include "talus/solve/joint_eliminating_solver.h"
#include "talus/solve/monitor.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

namespace talus {
namespace {

using test::Random;
using test::random_rigid_problem;

/// A problem that no solver ends before its first iteration.
ContactProblem problem_for(const std::string& solver) {
  Random random(61);
  ContactProblem problem = random_rigid_problem(random, {.bodies = 10, .contacts = 30});
  for (const char* set : {"cone", "pyramid", "none"}) {
    problem.friction = parse_friction_set(set);
    if (refusal(make_solver(solver)->info(), problem).empty()) break;
  }
  if (solver != "enumeration") return problem;
  Random other(62);
  problem = random_rigid_problem(other, {.bodies = 3, .contacts = 5});
  problem.friction = {FrictionKind::none};
  return problem;
}

class EverySolverThatIsEnded : public ::testing::TestWithParam<std::string> {
protected:
  /// A tolerance of zero is never reached.
  void expect_end_at_once(SolveOptions options, Status status) const {
    options.tolerance = 0;
    const ContactProblem problem = problem_for(GetParam());
    const SolveResult result = solve(*make_solver(GetParam()), problem, options);
    EXPECT_EQ(status, result.status) << result.message;
    EXPECT_LE(result.iterations, 10);
    ASSERT_EQ(static_cast<std::size_t>(problem.size()), result.x.size());
    EXPECT_TRUE(all_finite(result.x));
    EXPECT_LE(result.quality.error, 1 + 1e-9) << "the best iterate is no worse than the start";
  }
};

TEST_P(EverySolverThatIsEnded, StopsSoonAfterTheFlagIsSet) {
  const std::atomic<bool> stop = true;
  SolveOptions options;
  options.stop = &stop;
  expect_end_at_once(options, Status::stopped);
}

TEST_P(EverySolverThatIsEnded, StopsSoonAfterItsTimeIsOver) {
  SolveOptions options;
  options.time_limit = 1e-9;
  expect_end_at_once(options, Status::time_limit);
}

TEST_P(EverySolverThatIsEnded, StopsSoonAfterItsProductsAreUsed) {
  SolveOptions options;
  options.max_products = 1;
  expect_end_at_once(options, Status::product_limit);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EverySolverThatIsEnded, ::testing::ValuesIn(solver_names()),
                         [](const auto& solver) {
                           std::string name = solver.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class InterruptedMonitor : public ::testing::Test {
protected:
  InterruptedMonitor() {
    Random random(63);
    problem_ = random_rigid_problem(random, {.bodies = 3, .contacts = 4});
    n_ = make_operator(problem_);
    scaled_.assign(problem_, *n_);
    options_.stop = &stop_;
    z_.assign(scaled_.size(), 0.0);
    u_.resize(scaled_.size());
    scaled_.velocity(z_, u_);
  }

  ContactProblem problem_;
  std::unique_ptr<DelassusOperator> n_;
  ScaledProblem scaled_;
  std::atomic<bool> stop_ = false;
  SolveOptions options_;
  Vector z_, u_;
};

TEST_F(InterruptedMonitor, LooksAtTheFlagInEveryIteration) {
  Monitor monitor(scaled_, options_);
  EXPECT_TRUE(monitor.proceed(z_, u_));
  EXPECT_TRUE(monitor.proceed(z_, u_));
  EXPECT_FALSE(monitor.must_stop());
  stop_ = true;
  EXPECT_FALSE(monitor.proceed(z_, u_));
  EXPECT_EQ(Status::stopped, monitor.status());
  EXPECT_FALSE(monitor.count_iteration());
  EXPECT_EQ(1, monitor.iterations());
}

TEST_F(InterruptedMonitor, KeepsItsReasonWhateverAMethodSays) {
  Monitor monitor(scaled_, options_);
  monitor.proceed(z_, u_);
  stop_ = true;
  EXPECT_TRUE(monitor.must_stop());
  stop_ = false; // it was set once
  EXPECT_TRUE(monitor.must_stop());
  monitor.stall("the matrix cannot be factorised");
  EXPECT_EQ(Status::stopped, monitor.status());
  monitor.begin_phase({100, 100, 100});
  EXPECT_FALSE(monitor.proceed(z_, u_));
  EXPECT_FALSE(monitor.end_phase());
  EXPECT_EQ(Status::stopped, monitor.status());
}

TEST_F(InterruptedMonitor, EndsASubproblemThatWasGoodEnough) {
  Monitor monitor(scaled_, options_);
  monitor.proceed(z_, u_);
  scaled_.freeze_tilt(Vector(scaled_.contacts(), 0.0));
  monitor.begin_subproblem(10);
  stop_ = true;
  EXPECT_TRUE(monitor.must_stop());
  EXPECT_FALSE(monitor.proceed(z_, u_));
  EXPECT_FALSE(monitor.end_subproblem(z_));
  scaled_.release_tilt();
  monitor.measure_last(z_, u_);
  EXPECT_EQ(Status::stopped, monitor.status());
}

TEST_F(InterruptedMonitor, HandsTheFlagToSolvesWithin) {
  const Monitor monitor(scaled_, options_);
  EXPECT_EQ(&stop_, monitor.options_within(1e-3).stop);
  EXPECT_EQ(0, monitor.options_within(1e-3).max_products) << "there is no such limit";
}

TEST(StoppedJointElimination, AnswersWithTheStart) {
  Random random(64);
  const ContactProblem problem =
      random_rigid_problem(random, {.bodies = 6, .contacts = 6, .rows = 4});
  ASSERT_TRUE(has_free_rows(problem));
  const std::atomic<bool> stop = true;
  SolveOptions options;
  options.stop = &stop;
  options.initial.assign(problem.size(), 1e-3);
  JointEliminatingSolver eliminating(make_solver("nsgs"));
  const SolveResult result = solve(eliminating, problem, options);
  EXPECT_EQ(Status::stopped, result.status);
  EXPECT_EQ(solve(*make_solver("nsgs"), problem, options).x, result.x) << "the projected start";
  EXPECT_GT(result.quality.error, 0);
}

} // namespace
} // namespace talus
