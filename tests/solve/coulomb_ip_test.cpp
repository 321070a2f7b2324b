#include "solve/corpus_checks.h"
#include "solve/feasible_problems.h"
#include "talus/linalg/gmres.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::expect_refused;
using test::FeasibleProblems;
using test::run_solver;

TEST(Gmres, SolvesUnsymmetricSystems) {
  test::RandomProblems random(41);
  const int n = 12;
  Vector a = random.vector(n * n);
  for (int i = 0; i < n; ++i) a[(n + 1) * i] += 5;
  const Vector b = random.vector(n);
  const auto multiply = [&](ConstSpan, ConstSpan s, Span image) {
    for (int i = 0; i < n; ++i) {
      image[i] = 0;
      for (int j = 0; j < n; ++j) image[i] += a[n * i + j] * s[j];
    }
  };
  const auto diagonal = [&](ConstSpan v, Span s) {
    for (int i = 0; i < n; ++i) s[i] = v[i] / a[(n + 1) * i];
    return true;
  };
  GmresBasis basis;
  Vector x(n), image(n);
  EXPECT_LT(gmres(basis, b, 3 * n, 1e-12, diagonal, multiply, x), 1e-12);
  multiply({}, x, image);
  EXPECT_LT(distance(image, b), 1e-10 * norm(b));
  EXPECT_GT(gmres(basis, b, 2, 1e-12, diagonal, multiply, x), 1e-12);
  EXPECT_EQ(2, gmres(
                   basis, b, 5, 1e-12, [](ConstSpan, Span) { return false; }, multiply, x));
}

TEST(CoulombIp, SolvesEverySetDirectly) {
  FeasibleProblems problems(42);
  for (const char* set : {"none", "box", "pyramid", "prism:6", "polyhedron:8", "cylinder", "cone"})
    for (int dimension : {2, 3})
      for (bool duplicated : {false, true}) {
        const ContactProblem problem = problems.make({.dimension = dimension,
                                                      .friction = parse_friction_set(set),
                                                      .contacts = 12,
                                                      .equalities = 4,
                                                      .duplicated = duplicated,
                                                      .bounded_rows = !duplicated});
        const SolveResult result = run_solver("coulomb-ip", problem, test::with_tolerance(1e-8));
        EXPECT_EQ(Status::converged, result.status)
            << set << " " << dimension << duplicated << ": " << result.message << " (error "
            << result.quality.error << ")";
        EXPECT_EQ(0, result.outer_iterations);
      }
}

TEST(CoulombIp, NeedsFewIterationsWithoutPolish) {
  FeasibleProblems problems(43);
  for (double ratio : {1.0, 1e4}) {
    const ContactProblem problem =
        problems.make({.contacts = 60, .body_structure = true, .mass_ratio = ratio, .mu = 0.4});
    const SolveResult result =
        run_solver("coulomb-ip", problem, test::with_tolerance(1e-7), {{"polish", "false"}});
    EXPECT_EQ(Status::converged, result.status) << ratio << " " << result.message;
    EXPECT_LE(result.iterations, 40) << ratio;
  }
}

TEST(CoulombIp, RefusesWhatItIsNotMadeFor) {
  FeasibleProblems problems(44);
  expect_refused("coulomb-ip", problems.make({.law = Law::associated}), "associated");
  const SolveResult primal = run_solver("coulomb-ip", problems.make({}), {}, {{"model", "primal"}});
  EXPECT_EQ(Status::unsupported, primal.status);
  EXPECT_NE(std::string::npos, primal.message.find("primal")) << primal.message;
}

TEST(CoulombIp, SolvesTheCorpusToOneMillionth) {
  test::for_each_friction_problem(400, 2000, [](const auto& name, const ContactProblem& problem) {
    test::expect_converged(run_solver("coulomb-ip", problem, test::with_tolerance(1e-6)), name);
  });
}

} // namespace
} // namespace talus
