#include "solve/feasible_problems.h"
#include "solve/solver_checks.h"
#include "support/corpus.h"
#include "talus/problem/files/problem_file.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::expect_refused;
using test::FeasibleProblems;
using test::run_solver;

TEST(CoulombApgd, SolvesEverySetThatTilts) {
  FeasibleProblems problems(51);
  for (const char* set : {"pyramid", "polyhedron:8", "cone"})
    for (int dimension : {2, 3})
      for (int equalities : {0, 4}) {
        const ContactProblem problem = problems.make({.dimension = dimension,
                                                      .friction = parse_friction_set(set),
                                                      .contacts = 12,
                                                      .equalities = equalities});
        const SolveResult result = run_solver("coulomb-apgd", problem, test::with_tolerance(1e-6));
        EXPECT_EQ(Status::converged, result.status)
            << set << " " << dimension << " " << equalities << ": " << result.message << " (error "
            << result.quality.error << ")";
        EXPECT_EQ(0, result.outer_iterations);
      }
}

TEST(CoulombApgd, GoesTheWayOfApgdWhereNothingTilts) {
  FeasibleProblems problems(52);
  for (const char* set : {"none", "box", "cylinder"}) {
    const ContactProblem problem =
        problems.make({.friction = parse_friction_set(set), .contacts = 20});
    const SolveResult result = run_solver("coulomb-apgd", problem, test::with_tolerance(1e-6));
    EXPECT_EQ(Status::converged, result.status) << set << ": " << result.message;
  }
}

TEST(CoulombApgd, StopsAtOnceFromASolution) {
  FeasibleProblems problems(53);
  const ContactProblem problem = problems.make({.contacts = 20});
  const SolveResult first = run_solver("coulomb-apgd", problem, test::with_tolerance(1e-8));
  ASSERT_EQ(Status::converged, first.status) << first.message;
  SolveOptions warm = test::with_tolerance(1e-6);
  warm.initial = first.x;
  EXPECT_EQ(0, run_solver("coulomb-apgd", problem, warm).iterations);
}

TEST(CoulombApgd, RefusesTheAssociatedLaw) {
  FeasibleProblems problems(54);
  expect_refused("coulomb-apgd", problems.make({.law = Law::associated}), "associated");
}

TEST(CoulombApgd, NeedsAFractionOfTheFixedPointsProducts) {
  const ContactProblem problem = read_problem(test::own_file("heavy_on_light.hdf5"));
  const SolveOptions options = test::with_tolerance(1e-4);
  const SolveResult direct = run_solver("coulomb-apgd", problem, options);
  const SolveResult fixed_point = run_solver("apgd", problem, options);
  EXPECT_EQ(Status::converged, direct.status) << direct.message;
  EXPECT_LT(2 * direct.products, fixed_point.products);
}

} // namespace
} // namespace talus
