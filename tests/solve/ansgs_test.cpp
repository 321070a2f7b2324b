// Gauss-Seidel sweeps with Nesterov's extrapolation.

#include "../bench/sphere_packing.h"
#include "solve/solver_checks.h"
#include "support/random_problems.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::run_solver;

TEST(Ansgs, WithoutMomentumIsNsgs) {
  test::Random random(61);
  SolveOptions options;
  options.max_iterations = 20;
  for (int k = 0; k < 10; ++k) {
    const ContactProblem problem = test::with_set(
        test::random_rigid_problem(random, {.bodies = 12, .contacts = 20, .rows = 3}), "pyramid");
    EXPECT_EQ(run_solver("nsgs", problem, options).x,
              run_solver("ansgs", problem, options, {{"momentum", "0"}}).x);
  }
}

TEST(Ansgs, TakesFewSweepsOverAPile) {
  const ContactProblem pile = test::with_set(bench::lattice_packing(1728, true), "cone");
  SolveOptions options;
  options.tolerance = 1e-3;
  const SolveResult accelerated = run_solver("ansgs", pile, options);
  EXPECT_EQ(Status::converged, accelerated.status) << accelerated.message;
  EXPECT_LT(2 * accelerated.iterations, run_solver("nncg", pile, options).iterations);
  EXPECT_LT(3 * accelerated.iterations, run_solver("nsgs", pile, options).iterations);
}

TEST(Ansgs, SolvesJointsBoundsComplianceAndEverySet) {
  test::Random random(62);
  SolveOptions options;
  options.tolerance = 1e-9;
  for (const char* set : {"cone", "cylinder", "pyramid", "box", "none"}) {
    ContactProblem problem = test::with_set(
        test::random_rigid_problem(random, {.bodies = 12, .contacts = 16, .rows = 4}), set);
    problem.compliance.assign(problem.size(), 0.01);
    const SolveResult expected = run_solver("nsgs", problem, options);
    ASSERT_EQ(Status::converged, expected.status) << set;
    test::expect_same_velocities(problem, expected, run_solver("ansgs", problem, options));
  }
}

} // namespace
} // namespace talus
