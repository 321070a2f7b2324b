// The central path through its folds.

#include "solve/corpus_checks.h"
#include "solve/feasible_problems.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace talus {
namespace {

using test::expect_refused;
using test::FeasibleProblems;
using test::run_solver;

long folds_in(const History& history) {
  return std::count_if(history.records.begin(), history.records.end(), [](const auto& record) {
    return record.note.find("fold ") != std::string::npos;
  });
}

ContactProblem settled_balls() {
  return read_problem(std::string(TALUS_TEST_DATA_DIR) + "/settled_balls.hdf5");
}

TEST(FoldIp, SolvesConesJointsAndBoundedRowsUnderBothLaws) {
  FeasibleProblems problems(51);
  for (const Law law : {Law::coulomb, Law::associated})
    for (int dimension : {1, 2, 3})
      for (double mu : {0.0, 0.5, 1.5})
        for (bool duplicated : {false, true}) {
          const ContactProblem problem = problems.make({.dimension = dimension,
                                                        .law = law,
                                                        .contacts = 12,
                                                        .equalities = 4,
                                                        .body_structure = dimension == 3,
                                                        .duplicated = duplicated,
                                                        .mu = mu});
          const SolveResult result = run_solver("fold-ip", problem, test::with_tolerance(1e-8));
          EXPECT_EQ(Status::converged, result.status)
              << dimension << " mu " << mu << " " << result.message << " (error "
              << result.quality.error << ")";
        }
}

TEST(FoldIp, SolvesAPileAtRestThroughTheFoldsOfItsPath) {
  SolveOptions options = test::with_tolerance(1e-8);
  options.keep_history = true;
  const SolveResult result = run_solver("fold-ip", settled_balls(), options);
  EXPECT_EQ(Status::converged, result.status) << result.message;
  EXPECT_GT(folds_in(result.history), 0);
}

TEST(FoldIp, ThePathOfTheAssociatedLawHasNoFolds) {
  ContactProblem problem = settled_balls();
  problem.law = Law::associated;
  SolveOptions options = test::with_tolerance(1e-6);
  options.keep_history = true;
  const SolveResult result = run_solver("fold-ip", problem, options);
  EXPECT_EQ(Status::converged, result.status) << result.message;
  EXPECT_EQ(0, folds_in(result.history));
}

TEST(FoldIp, KeepsToLimitsBeforeThePathBegins) {
  SolveOptions options = test::with_tolerance(1e-8);
  options.max_iterations = 2; // of the search for the first point
  const SolveResult result = run_solver("fold-ip", settled_balls(), options);
  EXPECT_EQ(Status::iteration_limit, result.status) << result.message;
  EXPECT_EQ(2, result.iterations);
  EXPECT_LT(result.products, 40);
}

TEST(FoldIp, RefusesSetsThatAreNotCones) {
  FeasibleProblems problems(53);
  expect_refused("fold-ip", problems.make({.friction = parse_friction_set("cylinder")}),
                 "cylinder");
  expect_refused("fold-ip", problems.make({.equalities = 3, .bounded_rows = true}), "upper bound");
}

TEST(FoldIp, SolvesEverySmallProblemOfTheCorpus) {
  test::for_each_friction_problem(500, 2000, [](const auto& name, const ContactProblem& problem) {
    test::expect_converged(run_solver("fold-ip", problem, test::with_tolerance(1e-8)), name);
  });
}

} // namespace
} // namespace talus
