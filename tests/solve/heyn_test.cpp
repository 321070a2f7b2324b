// The methods of heyn2013 (gpminres, kucera) and their relatives bb and nncg, against other solvers
// and against the paper's claims.

#include "solver_checks.h"
#include "support/corpus.h"
#include "support/random_problems.h"
#include "talus/problem/files/problem_file.h"
#include "talus/problem/scaled/complementarity.h"

#include <filesystem>

namespace talus {
namespace {

using test::Random;
using test::random_planar_problem;
using test::random_rigid_problem;
using namespace test;

const std::vector<std::string> separable = {"gpminres", "gpminres-p", "kucera"};

TEST(Heyn, SeparableSetsHaveTheMinimumThatApgdFinds) {
  Random random(61);
  for (const char* set : {"none", "box", "prism:6", "cylinder"})
    for (int trial = 0; trial < 10; ++trial) {
      const ContactProblem problem =
          with_set(trial % 3 == 2 ? random_planar_problem(random)
                                  : random_rigid_problem(random, {.bodies = 5, .contacts = 14}),
                   set);
      const SolveResult reference = run_solver("apgd", problem);
      for (const std::string& name : separable) {
        const SolveResult result = run_solver(name, problem);
        expect_same_velocities(problem, reference, result);
        EXPECT_NEAR(reference.quality.objective, result.quality.objective,
                    1e-10 * (1 + std::abs(reference.quality.objective)))
            << name << " " << set;
      }
    }
}

TEST(Heyn, JointsAndBoundedRowsAreFreeVariablesToo) {
  Random random(62);
  for (int trial = 0; trial < 8; ++trial) {
    ContactProblem problem =
        with_set(random_rigid_problem(random, {.bodies = 6, .contacts = 6, .rows = 4}), "cylinder");
    if (trial % 2 == 1) {
      problem.row_lower = {0, -0.1, -INFINITY, 0};
      problem.row_upper = {INFINITY, 0.1, INFINITY, 0.05};
    }
    const SolveResult reference = run_solver("apgd", problem);
    for (const std::string& name : separable)
      expect_same_velocities(problem, reference, run_solver(name, problem));
  }
}

TEST(Heyn, CoulombsLawIsReachedThroughTheBounds) {
  Random random(63);
  for (const char* set : {"cone", "pyramid", "polyhedron:8"})
    for (int trial = 0; trial < 6; ++trial) {
      const ContactProblem problem = with_set(
          random_rigid_problem(random, {.bodies = 8, .contacts = 12, .mu_high = 0.5}), set);
      for (const std::string& name : separable) {
        const SolveResult result = run_solver(name, problem);
        EXPECT_EQ(Status::converged, result.status)
            << name << " " << set << ": " << result.message << " " << result.quality.error;
        EXPECT_GT(result.outer_iterations, 0) << name;
      }
    }
}

TEST(Heyn, RepeatedContactsDoNotDisturb) {
  Random random(64);
  for (int trial = 0; trial < 10; ++trial) {
    const ContactProblem problem = with_set(
        random_rigid_problem(random, {.bodies = 3, .contacts = 16, .duplicate_contacts = true}),
        trial % 2 ? "cylinder" : "none");
    const SolveResult reference = run_solver("apgd", problem);
    for (const std::string& name : separable)
      expect_same_velocities(problem, reference, run_solver(name, problem), 1e-5);
  }
}

TEST(Heyn, EveryPreconditionerFindsTheSameMinimum) {
  Random random(69);
  for (const char* set : {"none", "box", "cylinder"})
    for (int trial = 0; trial < 4; ++trial) {
      const ContactProblem problem = with_set(
          random_rigid_problem(random, {.bodies = 10, .contacts = 30, .rows = trial % 2}), set);
      const SolveResult reference = run_solver("apgd", problem);
      for (const char* kind : {"blocks", "incomplete", "full"})
        expect_same_velocities(problem, reference,
                               run_solver("gpminres-p", problem, {}, {{"preconditioner", kind}}));
    }
}

TEST(Heyn, AFullFactorisationSavesIterations) {
  Random random(70);
  const ContactProblem problem = with_set(
      random_rigid_problem(random, {.bodies = 200, .contacts = 500, .mass_ratio = 1e4}), "none");
  const SolveResult plain = run_solver("gpminres", problem);
  const SolveResult preconditioned = run_solver("gpminres-p", problem);
  expect_same_velocities(problem, plain, preconditioned, 1e-5);
  EXPECT_LT(2 * preconditioned.iterations, plain.iterations);
}

TEST(Heyn, TheAssociatedConeIsRefusedByName) {
  Random random(65);
  const ContactProblem problem = with_set(random_rigid_problem(random), "cone", Law::associated);
  for (const std::string& name : separable) expect_refused(name, problem, "associated law");
}

TEST(Heyn, KrylovStepsBeatJacobiOnALargeFrictionlessProblem) {
  Random random(66);
  const ContactProblem problem = with_set(
      random_rigid_problem(random, {.bodies = 400, .contacts = 1000, .mass_ratio = 1000}), "none");
  const SolveResult jacobi = run_solver("jacobi", problem);
  for (const char* name : {"gpminres", "kucera"}) {
    const SolveResult result = run_solver(name, problem);
    expect_same_velocities(problem, jacobi, result, 1e-5);
    EXPECT_LT(5 * result.products, jacobi.products) << name;
  }
}

TEST(Heyn, BbAndNncgAgreeWithApgdOnCones) {
  Random random(67);
  for (int trial = 0; trial < 10; ++trial) {
    const ContactProblem problem = with_set(
        random_rigid_problem(random, {.bodies = 8, .contacts = 10}), "cone", Law::associated);
    const SolveResult reference = run_solver("apgd", problem);
    for (const char* name : {"bb", "nncg"})
      expect_same_velocities(problem, reference, run_solver(name, problem));
    for (const char* length : {"first", "second", "adaptive"})
      expect_same_velocities(problem, reference,
                             run_solver("bb", problem, {}, {{"length", length}}));
  }
}

TEST(Heyn, TableOneHasItsShape) {
  const ContactProblem problem =
      with_set(read_problem(test::own_file("settled_balls.hdf5")), "none");
  SolveOptions options;
  options.max_iterations = 4000;
  const SolveResult jacobi = run_solver("jacobi", problem, options);
  for (const auto& [name, iterations] : {std::pair("gpminres", 200L), {"kucera", 400L}}) {
    options.max_iterations = iterations;
    EXPECT_LT(run_solver(name, problem, options).quality.objective, jacobi.quality.objective)
        << name;
  }
}

TEST(Complementarity, VanishesForASolutionAndIsThePapersProductWithoutFriction) {
  Random random(68);
  for (const char* set : {"none", "cylinder", "cone"}) {
    const ContactProblem problem = with_set(random_rigid_problem(random, {.mu_high = 0.5}), set);
    const auto n = make_operator(problem);
    const SolveResult result = run_solver("nsgs", problem);
    ASSERT_EQ(Status::converged, result.status);
    EXPECT_LT(complementarity_statistics(problem, *n, result.x).largest, 1e-7) << set;
  }
  const ContactProblem problem = with_set(random_rigid_problem(random), "none");
  const auto n = make_operator(problem);
  Vector x(n->size(), 0.0), u(n->size());
  for (Index c = 0; c < problem.contacts(); ++c) x[3 * c] = test::uniform(random, 0, 1);
  n->apply(x, u);
  axpy(1.0, n->free_velocity(), u);
  const Vector products = complementarity_products(problem, *n, x);
  double mean = 0, square = 0, largest = 0;
  for (Index c = 0; c < problem.contacts(); ++c) {
    const double f = x[3 * c] * u[3 * c];
    EXPECT_NEAR(f, products[c], 1e-12);
    mean += f / problem.contacts();
    square += f * f / problem.contacts();
    largest = std::max(largest, std::abs(f));
  }
  const ComplementarityStatistics statistics = complementarity_statistics(problem, *n, x);
  EXPECT_NEAR(mean, statistics.mean, 1e-12);
  EXPECT_NEAR(largest, statistics.largest, 1e-12);
  EXPECT_NEAR(std::sqrt(square - mean * mean), statistics.deviation, 1e-9);
}

} // namespace
} // namespace talus
