#include "solver_checks.h"
#include "support/random_models.h"

namespace talus {
namespace {

using namespace test;

SolveOptions limited(long iterations, double tolerance = 1e-8) {
  SolveOptions options;
  options.max_iterations = iterations;
  options.tolerance = tolerance;
  return options;
}

TEST(Cpg, AgreesWithApgdOnConvexProblems) {
  RandomProblems random(31);
  for (const char* set : {"none", "box", "prism", "cylinder", "pyramid", "polyhedron", "cone"})
    for (int trial = 0; trial < 10; ++trial) {
      const ContactProblem problem =
          with_set(random.local(trial % 2 ? 3 : 2, random.integer(1, 10), random.integer(0, 2)),
                   set, Law::associated);
      for (const char* beta : {"projected", "previous", "polak-ribiere"})
        expect_same_velocities(problem,
                               run_solver("cpg", problem, limited(100000), {{"beta", beta}}),
                               run_solver("apgd", problem), 1e-6);
    }
}

TEST(Cpg, AgreesWithTotalEnumerationOnThePyramid) {
  RandomProblems random(32);
  for (int trial = 0; trial < 12; ++trial) {
    const ContactProblem problem = with_set(
        random.local(trial % 2 ? 3 : 2, random.integer(1, 3), random.integer(0, 2)), "pyramid");
    const SolveResult exact = run_solver("enumeration", problem);
    for (const char* coulomb : {"follow", "outer", "tilts"})
      expect_same_velocities(
          problem, run_solver("cpg", problem, limited(100000), {{"coulomb", coulomb}}), exact);
  }
}

TEST(Cpg, FollowsTheBoundsOfEveryConeShapedSet) {
  RandomProblems random(33);
  for (const char* set : {"pyramid", "polyhedron", "cone"})
    for (int trial = 0; trial < 8; ++trial) {
      const ContactProblem problem =
          with_set(random.local(trial % 2 ? 3 : 2, random.integer(2, 8), trial % 3), set);
      expect_same_velocities(problem, run_solver("cpg", problem, limited(100000)),
                             run_solver("nsgs", problem));
    }
}

TEST(Cpg, IsTheConjugateGradientMethodWithoutBounds) {
  // Contacts that all push: after the first step nothing is active, so at most `size` more steps
  // of one product each.
  RandomProblems random(34);
  ContactProblem problem = with_set(random.local(1, 12, 0), "none");
  std::get<LocalModel>(problem.model).q = random.vector(12, -1.1, -1.0);
  const SolveResult result = run_solver("cpg", problem, limited(1000, 1e-10));
  EXPECT_EQ(Status::converged, result.status);
  EXPECT_LE(result.iterations, 14);
  EXPECT_LE(result.products, result.iterations + 2);
}

TEST(Cpg, MakesTheSameIteratesWithOneProductAsWithTwo) {
  RandomProblems random(35);
  for (const char* set : {"none", "box", "cylinder", "pyramid", "cone"})
    for (int trial = 0; trial < 3; ++trial) {
      const ContactProblem problem = with_set(random.global(3, 8, 30, 0), set);
      long one_products = 0, two_products = 0;
      for (long iterations = 1; iterations <= 12; ++iterations) {
        const SolveResult one = run_solver("cpg", problem, limited(iterations));
        const SolveResult two =
            run_solver("cpg", problem, limited(iterations), {{"recompute", "true"}});
        EXPECT_LT(distance(one.x, two.x), 1e-8 * (norm(two.x) + 1e-300))
            << set << " after " << iterations;
        one_products = one.products;
        two_products = two.products;
      }
      // On round sets a sliding contact is moved by every projection.
      EXPECT_LE(one_products, two_products) << set;
      if (set == std::string("none")) {
        EXPECT_LT(one_products, two_products);
      }
    }
}

TEST(Cpg, SurvivesDegenerateProblems) {
  RandomProblems random(36);
  for (const double mu : {0.0, 10.0})
    for (const char* set : {"none", "box", "pyramid", "cone"})
      for (const Law law : {Law::associated, Law::coulomb}) {
        // Many more impulses than degrees of freedom, and one degree 1e6 times lighter.
        ContactProblem problem = with_set(random.global(3, 10, 12, 0), set, law);
        problem.mu.assign(problem.contacts(), mu);
        auto& M = std::get<GlobalModel>(problem.model).M;
        for (double& value : M.value) value *= 1e-6;
        const SolveResult result = run_solver("cpg", problem, limited(3000));
        EXPECT_TRUE(all_finite(result.x));
        if (result.status == Status::converged) {
          EXPECT_LE(result.quality.error, 1e-8);
        }
      }
}

} // namespace
} // namespace talus
