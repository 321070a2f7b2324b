// The mixed complementarity solver on the equations of motion: with and without velocities as
// unknowns, with and without relaxation, against other methods.

#include "feasible_problems.h"
#include "solver_checks.h"
#include "support/corpus.h"
#include "talus/problem/files/problem_file.h"

namespace talus {
namespace {

using namespace test;

TEST(Path, GivesTheSameAnswerWithAndWithoutVelocitiesAsUnknowns) {
  FeasibleProblems problems(1);
  for (Law law : {Law::associated, Law::coulomb})
    for (int trial = 0; trial < 12; ++trial) {
      ProblemTraits traits;
      traits.dimension = 2 + trial % 2;
      traits.body_structure = trial % 2 == 1;
      traits.friction = parse_friction_set(trial % 3 == 0 ? "pyramid" : "polyhedron:6");
      traits.law = law;
      traits.mu = 0.3;
      traits.equalities = trial % 3;
      traits.bounded_rows = trial % 4 == 3;
      const ContactProblem problem = problems.make(traits);
      expect_same_velocities(problem, run_solver("path", problem),
                             run_solver("path", problem, {}, {{"velocities", "false"}}));
    }
}

TEST(Path, AgreesWithLemkeOnBothLaws) {
  FeasibleProblems problems(2);
  for (const char* set : {"none", "box", "pyramid", "prism:6", "polyhedron:8"})
    for (Law law : {Law::associated, Law::coulomb})
      for (int trial = 0; trial < 10; ++trial) {
        ProblemTraits traits;
        traits.dimension = 2 + trial % 2;
        traits.friction = parse_friction_set(set);
        traits.law = law;
        traits.mu = 0.2;
        traits.equalities = trial % 3;
        const ContactProblem problem = problems.make(traits);
        expect_same_velocities(problem, run_solver("path", problem), run_solver("lemke", problem));
      }
}

TEST(Path, SolvesRedundantAndRoughProblems) {
  FeasibleProblems problems(3);
  int converged = 0, tried = 0;
  for (int trial = 0; trial < 60; ++trial) {
    ProblemTraits traits;
    traits.friction = parse_friction_set("pyramid");
    traits.contacts = 8;
    traits.duplicated = true;
    traits.equalities = trial % 3;
    traits.mu = trial % 2 == 0 ? 0.5 : 2;
    const SolveResult result = run_solver("path", problems.make(traits));
    converged += result.status == Status::converged;
    ++tried;
  }
  // Not every problem of Coulomb friction is within its theory.
  EXPECT_GE(converged, tried - 1);
}

TEST(Path, NeedsFewIterationsWhateverTheSize) {
  RandomProblems random(4);
  for (const Index contacts : {10, 40, 160}) {
    ContactProblem problem = with_set(random.rigid(contacts, contacts, 0), "pyramid");
    for (double& mu : problem.mu) mu = 0.3;
    SolveOptions options;
    options.tolerance = 1e-8;
    const SolveResult result = run_solver("path", problem, options);
    EXPECT_EQ(Status::converged, result.status) << contacts << " contacts: " << result.message;
    EXPECT_LE(result.iterations, 60) << contacts << " contacts";
  }
}

TEST(Path, SolvesTheComplementarityProblemsOfTheRepository) {
  for (const auto& path : test::own_files(".dat")) {
    const SolveResult result = run_solver("path", read_problem(path.string()));
    EXPECT_EQ(Status::converged, result.status) << path.stem() << " " << result.message;
  }
}

TEST(Path, SolvesTheComplementarityProblemsOfTheCorpus) {
  if (!test::has_corpus()) GTEST_SKIP() << test::no_corpus();
  for (const auto& path : test::corpus_files({"lcp", "mlcp"}, ".dat")) {
    const SolveResult result = run_solver("path", read_problem(path.string()));
    if (path.stem() == "lcp_Pang_isolated_sol_perturbed") {
      EXPECT_EQ(Status::stalled, result.status); // has no solution
      continue;
    }
    EXPECT_EQ(Status::converged, result.status) << path.stem() << " " << result.message;
  }
}

} // namespace
} // namespace talus
