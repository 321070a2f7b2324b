// Squeezed bodies: problems without a solution must never be reported as solved, by any solver.

#include "solve/solver_checks.h"
#include "support/jammed_problems.h"
#include "support/plain_error.h"
#include "talus/solve/contradiction.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::JammedProblem;
using test::JammedProblems;
using test::run_solver;
using test::with_set;

constexpr int jammed_problem_count = 48;

SolveOptions bounded(double tolerance) {
  SolveOptions options;
  options.tolerance = tolerance;
  options.max_iterations = 2000;
  return options;
}

void expect_honest(const JammedProblem& jam, const ContactProblem& problem,
                   const std::string& solver, double tolerance) {
  SCOPED_TRACE(jam.name + ", " + to_string(problem.friction) + ", " + solver);
  const SolveResult result = run_solver(solver, problem, bounded(tolerance));
  if (result.status == Status::unsupported) return;
  const bool converged = result.status == Status::converged;
  ASSERT_TRUE(all_finite(result.x));
  const auto error = test::plain_error(problem, result.x);
  ASSERT_TRUE(error);
  EXPECT_TRUE(test::agrees(converged, *error, tolerance))
      << to_string(result.status) << ", judged " << result.quality.error << ", plain " << *error;
  EXPECT_LE(relative_size(result.quality), largest_relative_size);
  EXPECT_GE(result.quality.error, result.quality.resolution);
  if (!jam.has_solution) {
    EXPECT_FALSE(converged) << "error " << *error;
  }
}

class Jammed : public ::testing::TestWithParam<std::string> {};

TEST_P(Jammed, IsNeverReportedAsSolved) {
  JammedProblems source(17);
  const char* sets[] = {"cone", "pyramid", "polyhedron:8", "none", "cylinder"};
  for (int k = 0; k < jammed_problem_count; ++k) {
    const JammedProblem jam = source.next();
    const Law law = k % 3 == 0 ? Law::associated : Law::coulomb;
    expect_honest(jam, with_set(jam.problem, sets[k % 5], law), GetParam(),
                  k % 2 == 0 ? 1e-8 : 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, Jammed, ::testing::ValuesIn(solver_names()),
                         [](const auto& solver) {
                           std::string name = solver.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Contradiction, NamesTheContactsThatPushAgainstEachOther) {
  JammedProblems source(5);
  for (int k = 0; k < 4 * jammed_problem_count; ++k) {
    const JammedProblem jam = source.next();
    SCOPED_TRACE(jam.name + " " + std::to_string(k));
    const auto n = make_operator(jam.problem);
    const ScaledProblem scaled(jam.problem, *n);
    const auto found = find_contradiction(scaled, 20000);
    if (jam.has_solution) {
      // A wedge of 1e-10 is as good as closed; otherwise nothing may be claimed.
      if (found) {
        EXPECT_EQ("narrow wedge", jam.name);
      }
      continue;
    }
    ASSERT_TRUE(found);
    EXPECT_EQ(jam.contradiction, found->contacts);
    EXPECT_GT(found->least_size, largest_relative_size);
  }
}

TEST(Contradiction, IsNotFoundWhereNothingMayGrow) {
  // A motor of limited strength against a body that moves: no impulse grows without limit.
  ContactProblem problem;
  RigidModel model;
  model.inverse_mass.resize(1);
  model.inverse_mass[0].mass = 1;
  model.free_velocity = {1, 0, 0, 0, 0, 0};
  model.row_bodies = {{-1, 0}};
  model.rows = {{{}, {}, {1, 0, 0}, {}}};
  model.b = {0};
  problem.model = model;
  problem.row_lower = {-0.1};
  problem.row_upper = {0.1};
  const auto n = make_operator(problem);
  EXPECT_FALSE(find_contradiction(ScaledProblem(problem, *n), 100));
}

TEST(Contradiction, IsNotFoundInProblemsWithASolution) {
  test::Random random(3);
  for (int k = 0; k < 200; ++k) {
    const ContactProblem problem = test::random_rigid_problem(
        random, {.bodies = 8, .contacts = 12, .mass_ratio = k % 2 == 0 ? 10.0 : 1e4});
    const SolveResult result = run_solver("auto", problem);
    if (result.status != Status::converged) continue;
    const auto n = make_operator(problem);
    EXPECT_FALSE(find_contradiction(ScaledProblem(problem, *n), 2000)) << k;
  }
}

TEST(Infeasible, AutoSaysSoAndKeepsTheImpulsesSmall) {
  JammedProblems source(11);
  for (int k = 0; k < jammed_problem_count; ++k) {
    const JammedProblem jam = source.next();
    if (jam.has_solution) continue;
    SCOPED_TRACE(jam.name);
    const SolveResult result = run_solver("auto", jam.problem);
    EXPECT_EQ(Status::infeasible, result.status) << result.message;
    EXPECT_EQ(jam.contradiction, result.contradiction);
    EXPECT_NE(std::string::npos, result.message.find("contradict each other")) << result.message;
    // A compliance of 1e-4 bounds them, up to the size of the violation.
    EXPECT_LT(relative_size(result.quality), 1e6);
  }
}

TEST(Infeasible, LeavesOtherIslandsSolved) {
  JammedProblems source(2);
  source.next();
  const JammedProblem jam = source.next();
  ASSERT_EQ("two plates", jam.name);
  const SolveResult result = run_solver("auto", jam.problem);
  ASSERT_EQ(Status::infeasible, result.status);
  // The free ball rests on its floor: contact 2.
  EXPECT_NEAR(0, result.u[6], 1e-10);
  EXPECT_GT(result.x[6], 0);
}

} // namespace
} // namespace talus
