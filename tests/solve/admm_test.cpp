#include "solver_checks.h"
#include "support/random_problems.h"
#include "talus/solve/splitting/shifted_system.h"

namespace talus {
namespace {

using test::Random;
using test::random_planar_problem;
using test::random_rigid_problem;
using namespace test;

TEST(ShiftedSystem, SolvesInEverySpace) {
  Random random(91);
  ContactProblem problem = random_rigid_problem(random, {.contacts = 12, .rows = 3});
  for (const bool compliant : {false, true}) {
    if (compliant) problem.compliance.assign(problem.size(), 0.3);
    const auto n = make_operator(problem);
    const ScaledProblem scaled(problem, *n);
    Vector b(scaled.size()), x(scaled.size()), product(scaled.size());
    for (double& value : b) value = test::uniform(random, -1, 1);
    using Space = ShiftedSystem::Space;
    for (const Space space : {Space::bodies, Space::contacts, Space::gradients}) {
      ShiftedSystem system(scaled, space);
      EXPECT_EQ(space, system.space());
      for (const double shift : {1.0, 1e-3}) {
        ASSERT_TRUE(system.set_shift(shift));
        fill(x, 0.0);
        system.solve(b, 1e-12, x);
        scaled.product(x, product);
        axpy(shift, x, product);
        EXPECT_LT(distance(product, b), 1e-9 * norm(b)) << static_cast<int>(space);
      }
    }
  }
}

TEST(ShiftedSystem, IsExactForMatricesThatAreNotSymmetric) {
  ContactProblem problem;
  problem.mu = {0.5};
  LocalModel model;
  model.W = from_triplets(
      3, 3, {{0, 0, 2.0}, {0, 1, 0.5}, {1, 0, -0.3}, {1, 1, 1.0}, {1, 2, 0.2}, {2, 2, 1.5}});
  model.q = {-1, 0, 0};
  problem.model = model;
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  ShiftedSystem system(scaled, ShiftedSystem::Space::automatic);
  EXPECT_EQ(ShiftedSystem::Space::contacts, system.space());
  ASSERT_TRUE(system.set_shift(0.1));
  const Vector b = {1, 2, 3};
  Vector x(3), product(3);
  system.solve(b, 1e-12, x);
  scaled.product(x, product);
  axpy(0.1, x, product);
  EXPECT_LT(distance(product, b), 1e-13);
}

TEST(Admm, AgreesWithApgdForEveryPenaltyRuleAndSpace) {
  Random random(92);
  for (int trial = 0; trial < 6; ++trial) {
    const ContactProblem problem =
        with_set(trial % 3 == 2 ? random_planar_problem(random)
                                : random_rigid_problem(random, {.bodies = 8, .contacts = 10}),
                 "cone", Law::associated);
    const SolveResult reference = run_solver("apgd", problem);
    for (const char* rule : {"fixed", "balanced", "spectral"})
      expect_same_velocities(problem, reference,
                             run_solver("admm", problem, {}, {{"penalty", rule}}));
    for (const char* space : {"bodies", "contacts", "gradients"})
      expect_same_velocities(problem, reference,
                             run_solver("admm", problem, {}, {{"space", space}}));
  }
}

TEST(Admm, ReachesTheExactCoulombLaw) {
  Random random(93);
  for (const char* set : {"cone", "pyramid"})
    for (int trial = 0; trial < 8; ++trial) {
      const ContactProblem problem = with_set(
          random_rigid_problem(random, {.bodies = 8, .contacts = 12, .mu_high = 0.6}), set);
      const SolveResult result = run_solver("admm", problem);
      EXPECT_EQ(Status::converged, result.status)
          << set << ": " << result.message << " " << result.quality.error;
    }
}

TEST(Admm, SolvesProblemsOfAnyMassRatio) {
  Random random(94);
  SolveOptions options;
  options.max_iterations = 2000;
  for (const double ratio : {1.0, 1e6}) {
    const ContactProblem problem =
        with_set(random_rigid_problem(
                     random, {.bodies = 40, .contacts = 60, .mass_ratio = ratio, .mu_high = 0.5}),
                 "cone");
    EXPECT_EQ(Status::converged, run_solver("admm", problem, options).status) << ratio;
  }
}

} // namespace
} // namespace talus
