#include "../bench/sphere_packing.h"
#include "solve/corpus_checks.h"
#include "solve/feasible_problems.h"
#include "support/random_problems.h"
#include "talus/solve/interior_point/interior_point.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::expect_same_velocities;
using test::FeasibleProblems;
using test::run_solver;

const char* const conic_sets[] = {"none",         "box",      "pyramid", "prism:6",
                                  "polyhedron:8", "cylinder", "cone"};

/// Where the rounding of its linear systems ends an interior-point method is near 1e-10, above or
/// below it with the order of the sums.
constexpr double interior_tolerance = 1e-9;

TEST(ConicIp, AgreesWithTheProximalNewtonMethod) {
  FeasibleProblems problems(21);
  for (const char* set : conic_sets)
    for (int dimension : {2, 3})
      for (bool duplicated : {false, true}) {
        const ContactProblem problem = problems.make({.dimension = dimension,
                                                      .friction = parse_friction_set(set),
                                                      .law = Law::associated,
                                                      .contacts = 12,
                                                      .equalities = 4,
                                                      .duplicated = duplicated,
                                                      .bounded_rows = !duplicated});
        expect_same_velocities(
            problem, run_solver("conic-ip", problem, test::with_tolerance(interior_tolerance)),
            run_solver("prox-newton", problem, test::with_tolerance(1e-10)));
      }
}

TEST(ConicIp, SolvesCoulombThroughTheFixedPoint) {
  FeasibleProblems problems(22);
  for (const char* set : {"pyramid", "polyhedron:6", "cone"}) {
    const ContactProblem problem =
        problems.make({.friction = parse_friction_set(set), .contacts = 10, .mu = 0.3});
    const SolveResult result = run_solver("conic-ip", problem, test::with_tolerance(1e-8));
    EXPECT_EQ(Status::converged, result.status) << set << " " << result.message;
    EXPECT_GT(result.outer_iterations, 0);
  }
}

TEST(ConicIp, GivesTheSameAnswerInBothModelsAndEveryForm) {
  FeasibleProblems problems(23);
  for (bool compliant : {false, true}) {
    ContactProblem problem = problems.make({.law = Law::associated,
                                            .contacts = 20,
                                            .equalities = 4,
                                            .body_structure = true,
                                            .mass_ratio = 1e3});
    if (compliant) problem.compliance.assign(problem.size(), 0.1);
    const SolveResult expected = run_solver("prox-newton", problem, test::with_tolerance(1e-10));
    for (const char* model : {"dual", "primal"})
      for (const char* form : {"augmented", "schur"})
        expect_same_velocities(problem, expected,
                               run_solver("conic-ip", problem,
                                          test::with_tolerance(interior_tolerance),
                                          {{"model", model}, {"form", form}}));
    expect_same_velocities(problem, expected,
                           run_solver("conic-ip", problem, test::with_tolerance(interior_tolerance),
                                      {{"form", "contact"}}));
  }
}

TEST(ConicIp, RefusesThePrimalModelWithoutVelocities) {
  ContactProblem problem;
  LocalModel model;
  model.W = identity_matrix(3);
  model.q = {-1, 0.2, 0};
  problem.model = model;
  problem.mu = {0.5};
  for (const auto& [option, value] : {std::pair{"model", "primal"}, {"form", "schur"}}) {
    const SolveResult result = run_solver("conic-ip", problem, {}, {{option, value}});
    EXPECT_EQ(Status::unsupported, result.status);
    EXPECT_NE(std::string::npos, result.message.find(value)) << result.message;
  }
  EXPECT_EQ(Status::unsupported, run_solver("pdip", problem, {}, {{"form", "augmented"}}).status);
  EXPECT_EQ(Status::converged, run_solver("conic-ip", problem).status);
}

TEST(ConicIp, NeedsFewIterationsWhateverTheMasses) {
  FeasibleProblems problems(24);
  for (double ratio : {1.0, 1e3, 1e6}) {
    const ContactProblem problem = problems.make({.law = Law::associated,
                                                  .contacts = 60,
                                                  .body_structure = true,
                                                  .mass_ratio = ratio,
                                                  .mu = 0.5});
    const SolveResult result = run_solver("conic-ip", problem, test::with_tolerance(1e-8));
    EXPECT_EQ(Status::converged, result.status) << ratio << " " << result.message;
    EXPECT_LE(result.iterations, 25) << ratio;
  }
}

TEST(ConicIp, NeedsFewIterationsWhateverTheSize) {
  long fewest = 100, most = 0;
  test::Random random(27);
  for (Index spheres : {27, 125, 512}) {
    ContactProblem problem = bench::lattice_packing(spheres);
    for (double& value : std::get<RigidModel>(problem.model).free_velocity)
      value = test::uniform(random, -1, 1);
    const SolveResult result = run_solver("conic-ip", problem, test::with_tolerance(1e-8));
    ASSERT_EQ(Status::converged, result.status) << spheres << " " << result.message;
    fewest = std::min(fewest, result.iterations);
    most = std::max(most, result.iterations);
  }
  EXPECT_LE(most, 25);
  EXPECT_GT(fewest, 5);
  EXPECT_LE(most, fewest + 5);
}

TEST(ConicIp, ReusesTheSymbolicAnalysisOfTheLastSolve) {
  FeasibleProblems problems(25);
  ContactProblem problem =
      problems.make({.law = Law::associated, .contacts = 20, .body_structure = true, .mu = 0.4});
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  SymmetricFactor factor;
  const SolveOptions options = test::with_tolerance(1e-8);
  for (int solve = 0; solve < 3; ++solve) {
    InteriorPoint engine(scaled, {}, factor);
    Monitor monitor(scaled, options);
    Vector z(scaled.size(), 0.0);
    engine.run(z, monitor);
    EXPECT_EQ(Status::converged, monitor.status());
    EXPECT_GT(engine.statistics().factorisations, 3);
  }
  EXPECT_EQ(1, factor.analyses());
}

TEST(ConicIp, ProfitsFromAWarmStart) {
  FeasibleProblems problems(26);
  ContactProblem problem =
      problems.make({.law = Law::associated, .contacts = 60, .body_structure = true, .mu = 0.5});
  const SolveResult first = run_solver("conic-ip", problem, test::with_tolerance(1e-9));
  for (double& value : std::get<GlobalModel>(problem.model).w) value += 1e-4;
  SolveOptions options = test::with_tolerance(1e-8);
  const SolveResult cold = run_solver("conic-ip", problem, options);
  options.initial = first.x;
  const SolveResult warm = run_solver("conic-ip", problem, options);
  expect_same_velocities(problem, cold, warm);
  EXPECT_LT(warm.iterations, cold.iterations);
}

TEST(ConicIp, SolvesComplementarityProblemsThatAreNotSymmetric) {
  ContactProblem problem;
  problem.dimension = 1;
  problem.mu = {0, 0, 0};
  LocalModel model; // positive definite, far from symmetric
  model.W = from_triplets(3, 3,
                          {{0, 0, 1.0},
                           {1, 1, 1.0},
                           {2, 2, 1.0},
                           {0, 1, 2.0},
                           {1, 0, -2.0},
                           {1, 2, 3.0},
                           {2, 1, -3.0}});
  model.q = {-1, -1, 0.5};
  problem.model = model;
  EXPECT_EQ(Status::converged, run_solver("conic-ip", problem).status);
}

/// Every problem of the corpus under the associated law: files with at most a few hundred contacts
/// here, all of them in the benchmark.
TEST(ConicIp, SolvesTheCorpusUnderTheAssociatedLaw) {
  test::for_each_friction_problem(1000, 2000, [](const auto& name, ContactProblem problem) {
    problem.law = Law::associated;
    // On this stack at rest it stalls at 3e-8.
    const double tolerance = name == "planar_stack" ? 1e-7 : 1e-8;
    const SolveResult result = run_solver("conic-ip", problem, test::with_tolerance(tolerance));
    test::expect_converged(result, name);
    EXPECT_LE(result.iterations, 26) << name;
  });
}

} // namespace
} // namespace talus
