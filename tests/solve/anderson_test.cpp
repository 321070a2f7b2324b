#include "solver_checks.h"
#include "support/random_problems.h"
#include "talus/linalg/anderson.h"

#include <cmath>
#include <tuple>

namespace talus {
namespace {

using namespace test;

/// Iterations until |G(x) - x| < 1e-10 for G(x)_i = rate_i x_i + 1, with the given memory.
int iterations_of_linear_map(int memory) {
  const Index n = 40;
  Vector x(n, 0.0), gx(n), next(n);
  Anderson anderson(n, std::max(1, memory));
  for (int k = 0; k < 100000; ++k) {
    double residual = 0;
    for (Index i = 0; i < n; ++i) {
      gx[i] = 0.999 * (i + 1.0) / n * x[i] + 1;
      residual = std::max(residual, std::abs(gx[i] - x[i]));
    }
    if (residual < 1e-10) return k;
    if (memory == 0)
      x = gx;
    else {
      anderson.advance(x, gx, next);
      x = next;
    }
  }
  return -1;
}

TEST(Anderson, AcceleratesALinearMap) {
  const int plain = iterations_of_linear_map(0), accelerated = iterations_of_linear_map(8);
  ASSERT_GT(plain, 0);
  ASSERT_GT(accelerated, 0);
  EXPECT_LT(20 * accelerated, plain);
}

TEST(Anderson, UndoesAnExtrapolationThatMadeThingsWorse) {
  Anderson anderson(1, 2);
  Vector next(1);
  EXPECT_TRUE(anderson.advance(Vector{0.0}, Vector{1.0}, next)); // residual 1, plain step
  EXPECT_EQ(1.0, next[0]);
  EXPECT_TRUE(anderson.advance(Vector{1.0}, Vector{1.9}, next)); // residual 0.9, extrapolated to 10
  EXPECT_NEAR(10.0, next[0], 1e-6);
  EXPECT_FALSE(anderson.advance(next, Vector{20.0}, next)); // residual 10: back to the plain image
  EXPECT_EQ(1.9, next[0]);
}

TEST(Anderson, ShortensEveryFixedPointIterationToTheSameAnswer) {
  test::Random random(71);
  const ContactProblem problem =
      test::random_rigid_problem(random, {.bodies = 60, .contacts = 150, .mu_high = 0.5});
  const std::tuple<const char*, const char*, Law> cases[] = {
      {"jacobi", "cone", Law::associated}, {"nsgs", "cone", Law::associated},
      {"pgs", "box", Law::coulomb},        {"bgs", "box", Law::coulomb},
      {"nlgs", "cylinder", Law::coulomb},  {"admm", "cone", Law::associated}};
  for (const auto& [name, set, law] : cases) {
    const ContactProblem posed = with_set(problem, set, law);
    const SolveResult plain = run_solver(name, posed);
    const SolveResult accelerated = run_solver(name, posed, {}, {{"anderson_memory", "6"}});
    SCOPED_TRACE(name);
    expect_same_velocities(posed, plain, accelerated, 1e-5);
    EXPECT_LT(accelerated.iterations, plain.iterations) << name;
  }
}

TEST(Anderson, KeepsSymmetricSweepsTogether) {
  test::Random random(72);
  const ContactProblem problem =
      with_set(test::random_rigid_problem(random, {.bodies = 20, .contacts = 40}), "none");
  expect_same_velocities(
      problem, run_solver("apgd", problem),
      run_solver("nsgs", problem, {}, {{"anderson_memory", "4"}, {"sweep", "symmetric"}}), 1e-5);
}

} // namespace
} // namespace talus
