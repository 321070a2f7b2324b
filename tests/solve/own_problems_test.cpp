// Solvers on the problems of tests/data, which Talus made itself.

#include "talus/problem/files/problem_file.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace talus {
namespace {

ContactProblem own_problem(const std::string& name) {
  const std::filesystem::path folder = TALUS_TEST_DATA_DIR;
  return read_problem((folder / name).replace_extension("hdf5").string());
}

void expect_solved(std::initializer_list<const char*> problems,
                   std::initializer_list<const char*> solvers, double tolerance) {
  for (const char* problem : problems)
    for (const char* name : solvers) {
      SolveOptions options;
      options.tolerance = tolerance;
      const auto solver = make_solver(name);
      const SolveResult result = solve(*solver, own_problem(problem), options);
      EXPECT_EQ(Status::converged, result.status)
          << name << " on " << problem << ": " << result.message;
    }
}

TEST(OwnProblems, AreSolvedToTheCertificateByNewtonMethods) {
  expect_solved({"masonry_arch", "card_house", "heavy_on_light", "slider_crank"},
                {"newton", "prox-newton", "hybrid-newton"}, 1e-8);
}

TEST(OwnProblems, AreSolvedRoughlyBySweepsAndGradients) {
  expect_solved({"masonry_arch", "card_house", "slider_crank"}, {"nsgs", "apgd", "cpg"}, 1e-3);
}

TEST(OwnProblems, VelocitiesAgreeBetweenMethodsWhereUnique) {
  // The associated law makes velocities unique, whatever the impulses of a hyperstatic structure.
  ContactProblem problem = own_problem("masonry_arch");
  problem.law = Law::associated;
  Vector reference;
  for (const char* name : {"prox-newton", "apgd", "newton"}) {
    SolveOptions options;
    options.tolerance = 1e-9;
    const auto solver = make_solver(name);
    const SolveResult result = solve(*solver, problem, options);
    ASSERT_EQ(Status::converged, result.status) << name << ": " << result.message;
    if (reference.empty()) reference = result.v;
    for (std::size_t i = 0; i < reference.size(); ++i)
      EXPECT_NEAR(reference[i], result.v[i], 1e-7) << name << " entry " << i;
  }
}

} // namespace
} // namespace talus
