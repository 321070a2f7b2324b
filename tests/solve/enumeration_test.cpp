#include "solver_checks.h"
#include "support/random_models.h"
#include "talus/contact/bounded_lcp.h"
#include "talus/problem/files/problem_file.h"

#include <cmath>
#include <filesystem>

namespace talus {
namespace {

using namespace test;

std::vector<BoundedComponent> components(const std::string& set, int dimension, int contacts) {
  std::vector<BoundedComponent> result;
  const ContactSet contact{parse_friction_set(set), dimension, 0.5, 0.2};
  for (int c = 0; c < contacts; ++c) append_components(contact, dimension * c, result);
  return result;
}

TEST(BoundEnumeration, CountsTheCombinationsOfBoundStates) {
  EXPECT_EQ(2, count_bound_states(components("none", 3, 1)));
  EXPECT_EQ(18, count_bound_states(components("box", 3, 1)));
  EXPECT_EQ(10, count_bound_states(components("pyramid", 3, 1)));
  EXPECT_EQ(6, count_bound_states(components("cylinder", 2, 1)));
  EXPECT_EQ(4, count_bound_states(components("cone", 2, 1)));
  EXPECT_EQ(1000, count_bound_states(components("pyramid", 3, 3)));
  std::vector<BoundedComponent> rows = components("none", 1, 2);
  constexpr double unbounded = std::numeric_limits<double>::infinity();
  rows.push_back({-unbounded, unbounded});
  rows.push_back({-1, 1});
  EXPECT_EQ(12, count_bound_states(rows));
}

TEST(BoundEnumeration, SolvesEveryRandomOneContactProblem) {
  RandomProblems random(1);
  BoundEnumeration enumeration(3);
  for (const char* set : {"none", "box", "pyramid"})
    for (int trial = 0; trial < 500; ++trial) {
      // A = B B' + a small shift, scaled to trace 3.
      double A[9], B[9], trace = 0;
      for (double& value : B) value = random.number();
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          A[3 * i + j] = i == j ? 1e-3 : 0.0;
          for (int k = 0; k < 3; ++k) A[3 * i + j] += B[3 * i + k] * B[3 * j + k];
          if (i == j) trace += A[4 * i];
        }
      for (double& value : A) value *= 3 / trace;
      const Vector b = random.vector(3);
      std::vector<BoundState> states(3, BoundState::at_lower);
      double x[3];
      const double violation = enumeration.solve(A, b.data(), components(set, 3, 1), states, x);
      EXPECT_LT(violation, 1e-9) << set << " " << trial;
      // The states describe the answer: trying them first needs one system only.
      const long before = enumeration.systems();
      if (violation < 1e-13) {
        enumeration.solve(A, b.data(), components(set, 3, 1), states, x);
        EXPECT_EQ(before + 1, enumeration.systems());
      }
    }
}

TEST(BoundEnumeration, SetsDependentComponentsToZero) {
  // Two copies of one frictionless contact: only their sum is determined.
  const double A[4] = {1, 1, 1, 1}, b[2] = {-1, -1};
  std::vector<BoundState> states(2, BoundState::between);
  double x[2];
  BoundEnumeration enumeration(2);
  EXPECT_EQ(0, enumeration.solve(A, b, components("none", 1, 2), states, x));
  EXPECT_DOUBLE_EQ(1, x[0] + x[1]);
}

TEST(Enumeration, AgreesWithGaussSeidelOnRandomSmallProblems) {
  RandomProblems random(2);
  for (const char* set : {"none", "box", "pyramid"})
    for (int trial = 0; trial < 12; ++trial) {
      const int dimension = trial % 2 ? 3 : 2;
      const ContactProblem problem =
          with_set(random.local(dimension, random.integer(1, 3), random.integer(0, 2)), set);
      const SolveResult exact = run_solver("enumeration", problem);
      EXPECT_LT(exact.quality.error, 1e-12);
      EXPECT_LE(exact.iterations, 1);
      expect_same_velocities(problem, exact, run_solver("nsgs", problem));
    }
}

TEST(Enumeration, SolvesTheSmallLinearComplementarityProblemsOfTheCorpus) {
  const std::filesystem::path folder = std::filesystem::path(TALUS_CORPUS_DIR) / "lcp";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no problem corpus at " << folder;
  int solved = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const ContactProblem problem = read_problem(entry.path().string());
    if (problem.contacts() > 12) continue;
    const SolveResult result = run_solver("enumeration", problem);
    if (entry.path().stem() == "lcp_Pang_isolated_sol_perturbed") {
      // Its first row, -z_1 - z_2 - 1e-4 ≥ 0, has no solution.
      EXPECT_EQ(Status::stalled, result.status);
      continue;
    }
    EXPECT_EQ(Status::converged, result.status)
        << entry.path().stem() << " " << result.message << " " << result.quality.error;
    ++solved;
  }
  EXPECT_GT(solved, 5);
}

TEST(Enumeration, RefusesWhatIsTooLargeOrOfAnotherKind) {
  RandomProblems random(3);
  expect_refused("enumeration", with_set(random.local(3, 6, 0), "box"), "combinations");
  expect_refused("enumeration", with_set(random.local(3, 7, 0), "pyramid"), "combinations");
  expect_refused("enumeration", with_set(random.local(3, 2, 0), "cone"), "set cone");
  expect_refused("enumeration", with_set(random.local(3, 2, 0), "pyramid", Law::associated),
                 "associated law");
}

} // namespace
} // namespace talus
