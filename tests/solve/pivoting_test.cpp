// The direct methods: complementary pivoting (lemke) and principal pivoting (keller) against total
// enumeration, against each other, on degenerate problems and on the corpus.

#include "feasible_problems.h"
#include "solver_checks.h"
#include "support/corpus.h"
#include "support/random_models.h"
#include "talus/problem/files/problem_file.h"
#include "talus/solve/lcp/lemke_pivoting.h"
#include "talus/solve/lcp/principal_pivoting.h"
#include "talus/solve/lcp/standard_lcp.h"

#include <Eigen/Dense>

#include <cmath>
#include <map>

namespace talus {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity();

bool always() {
  return true;
}

Eigen::VectorXd random_vector(RandomProblems& random, Index n, double low = -1, double high = 1) {
  Eigen::VectorXd x(n);
  for (double& value : x) value = random.number(low, high);
  return x;
}

Eigen::MatrixXd random_matrix(RandomProblems& random, Index rows, Index columns) {
  Eigen::MatrixXd a(rows, columns);
  for (double& value : a.reshaped()) value = random.number();
  return a;
}

/// B Bᵀ of the given rank, scaled to a unit diagonal.
Eigen::MatrixXd semidefinite(RandomProblems& random, Index n, Index rank) {
  const Eigen::MatrixXd b = random_matrix(random, n, rank).rowwise().normalized();
  return b * b.transpose();
}

double lcp_residual(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Eigen::VectorXd& z) {
  return z.cwiseMin(M * z + q).cwiseAbs().maxCoeff();
}

Eigen::VectorXd ones(Index n) {
  return Eigen::VectorXd::Ones(n);
}

TEST(LemkePivoting, SolvesRandomProblemsWithPositiveMatrices) {
  RandomProblems random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = random.integer(1, 12);
    // Positive definite with a skew part: a P-matrix without symmetry.
    const Eigen::MatrixXd skew = random_matrix(random, n, n);
    const Eigen::MatrixXd M = semidefinite(random, n, n + 2) + skew - skew.transpose() +
                              0.1 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd q = random_vector(random, n);
    const LemkeAnswer answer = lemke(M, q, ones(n), always);
    ASSERT_EQ(LemkeEnd::solution, answer.end);
    EXPECT_LT(lcp_residual(M, q, answer.z), 1e-11);
  }
}

TEST(LemkePivoting, BreaksTiesOfDegenerateProblems) {
  // Small integers make ratio tests tie in almost every pivot; feasible by construction.
  RandomProblems random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const Index n = random.integer(2, 14), rank = random.integer(1, n);
    Eigen::MatrixXd b(n, rank);
    for (double& value : b.reshaped()) value = random.integer(-1, 1);
    const Eigen::MatrixXd M = b * b.transpose();
    Eigen::VectorXd z(n), w(n);
    for (Index i = 0; i < n; ++i) {
      z[i] = random.integer(0, 1);
      w[i] = z[i] > 0 ? 0 : random.integer(0, 1);
    }
    const Eigen::VectorXd q = w - M * z;
    const LemkeAnswer answer = lemke(M, q, ones(n), always);
    ASSERT_EQ(LemkeEnd::solution, answer.end) << trial;
    EXPECT_LT(lcp_residual(M, q, answer.z), 1e-10);
  }
}

TEST(LemkePivoting, NeedsExponentiallyManyPivotsOnMurtysExample) {
  // M lower triangular with 1 on and 2 below the diagonal, q = -1: 2ⁿ pivots with cover (ones).
  const auto pivots = [](Index n) {
    const Eigen::MatrixXd M =
        Eigen::MatrixXd::Constant(n, n, 2).triangularView<Eigen::StrictlyLower>().toDenseMatrix() +
        Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd q = -ones(n);
    Eigen::VectorXd cover(n);
    for (Index i = 0; i < n; ++i) cover[i] = std::pow(2.0, n - i);
    const LemkeAnswer answer = lemke(M, q, cover, always);
    EXPECT_EQ(LemkeEnd::solution, answer.end);
    EXPECT_LT(lcp_residual(M, q, answer.z), 1e-12);
    return answer.pivots;
  };
  EXPECT_LE(pivots(6), 64);
  EXPECT_LE(pivots(12), 4096);
}

TEST(LemkePivoting, EndsInARayWhereThereIsNoSolution) {
  // w = -z - 1 is never ≥ 0 with z ≥ 0.
  const Eigen::MatrixXd M = Eigen::MatrixXd::Constant(1, 1, 0.0);
  const LemkeAnswer answer = lemke(M, -ones(1), ones(1), always);
  EXPECT_EQ(LemkeEnd::ray, answer.end);
}

TEST(LemkePivoting, StopsWhenTold) {
  RandomProblems random(3);
  const Eigen::MatrixXd M = semidefinite(random, 20, 25);
  int allowed = 3;
  const LemkeAnswer answer = lemke(M, -ones(20), ones(20), [&] { return allowed-- > 0; });
  EXPECT_EQ(LemkeEnd::stopped, answer.end);
  EXPECT_EQ(3, answer.pivots);
}

TEST(StandardLcp, EliminatesJointsHoweverRedundant) {
  RandomProblems random(4);
  for (int trial = 0; trial < 200; ++trial) {
    // min ½ |B' y|² + b'y over bounds, with more free unknowns than ranks.
    const Index n = random.integer(2, 10), rank = random.integer(1, n + 2);
    MixedComplementarity mixed;
    const Eigen::MatrixXd B = random_matrix(random, n, rank);
    const Eigen::MatrixXd A = B * B.transpose();
    mixed.A = A.sparseView();
    mixed.b = B * random_vector(random, rank);
    mixed.lower.resize(n);
    mixed.upper.resize(n);
    for (Index i = 0; i < n; ++i) {
      const Index kind = random.integer(0, 4);
      mixed.lower[i] = kind == 0 || kind == 1 ? -infinity : kind == 2 ? -0.2 : 0;
      mixed.upper[i] = kind == 1 ? 0.3 : kind == 2 ? 0.2 : infinity;
    }
    const StandardLcp lcp(mixed);
    const LemkeAnswer answer = lemke(lcp.M(), lcp.q(), ones(lcp.size()), always);
    ASSERT_EQ(LemkeEnd::solution, answer.end) << trial;
    EXPECT_FALSE(lcp.is_contradictory());
    EXPECT_LT(natural_residual(mixed, lcp.recover(answer.z)), 1e-8) << trial;
  }
}

TEST(StandardLcp, KeepsEquationsThatTheirOwnUnknownDoesNotEnter) {
  // y0 free, y1 ≥ 0: 0 = y1 - 2 and w = -y0 + 3: y1 = 2, y0 = 3.
  MixedComplementarity mixed;
  Eigen::MatrixXd A(2, 2);
  A << 0, 1, -1, 0;
  mixed.A = A.sparseView();
  mixed.b = Eigen::Vector2d(-2, 3);
  mixed.lower = Eigen::Vector2d(-infinity, 0);
  mixed.upper = Eigen::Vector2d(infinity, infinity);
  const StandardLcp lcp(mixed);
  const LemkeAnswer answer = lemke(lcp.M(), lcp.q(), ones(lcp.size()), always);
  ASSERT_EQ(LemkeEnd::solution, answer.end);
  EXPECT_TRUE(lcp.recover(answer.z).isApprox(Eigen::Vector2d(3, 2), 1e-12));
}

TEST(StandardLcp, NoticesJointsThatContradictEachOther) {
  MixedComplementarity mixed;
  mixed.A = Eigen::MatrixXd::Ones(2, 2).sparseView();
  mixed.b = Eigen::Vector2d(1, 2);
  mixed.lower = Eigen::Vector2d::Constant(-infinity);
  mixed.upper = Eigen::Vector2d::Constant(infinity);
  EXPECT_TRUE(StandardLcp(mixed).is_contradictory());
}

TEST(PrincipalPivoting, SolvesBoundedProblemsOfEveryRank) {
  RandomProblems random(5);
  for (int trial = 0; trial < 600; ++trial) {
    const Index n = random.integer(1, 16), rank = random.integer(1, n + 2);
    const Eigen::MatrixXd B = random_matrix(random, n, rank).rowwise().normalized();
    MixedComplementarity mixed;
    const Eigen::MatrixXd A = B * B.transpose();
    mixed.A = A.sparseView();
    mixed.b = B * random_vector(random, rank);
    mixed.lower.resize(n);
    mixed.upper.resize(n);
    for (Index i = 0; i < n; ++i) {
      const Index kind = random.integer(0, 4);
      mixed.lower[i] = kind == 0 ? -infinity : kind == 2 ? -0.2 : 0;
      mixed.upper[i] = kind == 1 ? 0 : kind == 2 ? 0.2 : infinity;
    }
    const Eigen::VectorXd start = random_vector(random, n);
    const PrincipalAnswer answer =
        principal_pivoting(A, mixed.b, mixed.lower, mixed.upper, start, always);
    ASSERT_EQ(PrincipalEnd::solution, answer.end) << trial;
    EXPECT_LT(natural_residual(mixed, answer.x), 1e-8) << trial;
  }
}

TEST(PrincipalPivoting, SaysWhatIsWrongWithTheMatrix) {
  const auto solve_pair = [](double a, double b, double c) {
    Eigen::MatrixXd A(2, 2);
    A << a, b, b, c;
    return principal_pivoting(A, -ones(2), Eigen::VectorXd::Zero(2), ones(2) * infinity,
                              Eigen::VectorXd::Zero(2), always)
        .end;
  };
  EXPECT_EQ(PrincipalEnd::solution, solve_pair(1, 0.5, 1));
  EXPECT_EQ(PrincipalEnd::ray, solve_pair(1, -1, 1));
}

/// 1000 small problems, planar and spatial, with and without joints.
TEST(Lemke, AgreesWithEnumerationOnAThousandRandomProblems) {
  RandomProblems random(6);
  int compared = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const char* sets[] = {"none", "box", "pyramid"};
    const int dimension = 1 + trial % 3;
    ContactProblem problem =
        with_set(random.local(dimension, random.integer(1, 3), random.integer(0, 2)),
                 sets[random.integer(0, 2)]);
    for (double& mu : problem.mu) mu *= 0.4; // where the solution is unique
    const SolveResult exact = run_solver("enumeration", problem);
    expect_same_velocities(problem, run_solver("lemke", problem), exact, 1e-9);
    ++compared;
  }
  EXPECT_EQ(1000, compared);
}

TEST(Lemke, SolvesBothLawsOnEveryPolyhedralSet) {
  FeasibleProblems problems(7);
  for (const char* set : {"none", "box", "pyramid", "prism:6", "polyhedron:4", "polyhedron:8"})
    for (Law law : {Law::associated, Law::coulomb})
      for (int trial = 0; trial < 12; ++trial) {
        ProblemTraits traits;
        traits.dimension = 2 + trial % 2;
        traits.friction = parse_friction_set(set);
        traits.law = law;
        traits.equalities = trial % 3;
        traits.duplicated = trial % 4 == 3;
        traits.bounded_rows = trial % 5 == 4;
        const ContactProblem problem = problems.make(traits);
        const SolveResult result = run_solver("lemke", problem);
        EXPECT_EQ(Status::converged, result.status)
            << set << " " << to_string(law) << " trial " << trial << ": " << result.message << " ("
            << result.quality.error << ")";
      }
}

TEST(Lemke, SolvesThePlanarCone) {
  FeasibleProblems problems(8);
  for (int trial = 0; trial < 20; ++trial) {
    ProblemTraits traits;
    traits.dimension = 2;
    traits.contacts = 8;
    const ContactProblem problem = problems.make(traits);
    expect_same_velocities(problem, run_solver("lemke", problem), run_solver("nsgs", problem));
  }
}

TEST(Lemke, SolvesAMasonryArch) {
  const std::string file = std::string(TALUS_TEST_DATA_DIR) + "/masonry_arch.hdf5";
  for (Law law : {Law::coulomb, Law::associated}) {
    ContactProblem problem = with_set(read_problem(file), "pyramid", law);
    const SolveResult result = run_solver("lemke", problem);
    EXPECT_EQ(Status::converged, result.status) << result.message;
    expect_same_velocities(problem, result, run_solver("path", problem), 1e-6);
  }
}

TEST(Lemke, EndsInARayWhereContactsContradictEachOther) {
  // Two contacts that press one body from both sides, each wanting it to leave.
  ContactProblem problem;
  problem.dimension = 1;
  problem.mu = {0, 0};
  problem.friction = {FrictionKind::none};
  LocalModel model;
  model.W = from_triplets(2, 2, {{0, 0, 1}, {0, 1, -1}, {1, 0, -1}, {1, 1, 1}});
  model.q = {-1, -1};
  problem.model = model;
  for (const char* solver : {"lemke", "keller"}) {
    const SolveResult result = run_solver(solver, problem);
    EXPECT_EQ(Status::infeasible, result.status);
    EXPECT_EQ((std::vector<Index>{0, 1}), result.contradiction);
    EXPECT_LT(std::max(result.x[0], result.x[1]), 1e5) << "not the ray itself";
  }
}

TEST(Lemke, RefusesWhatIsTooLargeOrRound) {
  RandomProblems random(9);
  expect_refused("lemke", with_set(random.local(3, 2, 0), "cone"), "set cone");
  expect_refused("lemke", with_set(random.rigid(300, 600, 0), "pyramid"), "unknowns");
}

TEST(Keller, AgreesWithLemke) {
  FeasibleProblems problems(10);
  for (const char* set : {"none", "box", "pyramid"})
    for (int trial = 0; trial < 40; ++trial) {
      ProblemTraits traits;
      traits.dimension = 1 + trial % 3;
      traits.friction = parse_friction_set(set);
      traits.contacts = 4 + trial % 7;
      traits.equalities = trial % 4;
      traits.duplicated = trial % 5 == 4;
      traits.bounded_rows = trial % 7 == 6;
      traits.mu = 0.2;
      const ContactProblem problem = problems.make(traits);
      expect_same_velocities(problem, run_solver("keller", problem), run_solver("lemke", problem));
    }
}

TEST(Lemke, SolvesTheComplementarityProblemsOfTheRepository) {
  for (const auto& path : test::own_files(".dat")) {
    const SolveResult result = run_solver("lemke", read_problem(path.string()));
    EXPECT_EQ(Status::converged, result.status) << path.stem() << " " << result.message;
    if (path.stem() == "lcp_murty") {
      EXPECT_NEAR(result.x.back(), 1, 1e-12); // the known answer: (0, ..., 0, 1)
    }
  }
}

/// Problems of the corpus for which no solution is found, and why.
const std::map<std::string, std::string> unsolvable = {
    {"lcp_Pang_isolated_sol_perturbed", "its first row, -z_1 - z_2 - 1e-4 ≥ 0, has no solution"},
};

TEST(Lemke, SolvesTheComplementarityProblemsOfTheCorpus) {
  if (!test::has_corpus()) GTEST_SKIP() << test::no_corpus();
  int solved = 0;
  for (const auto& path : test::corpus_files({"lcp", "mlcp"}, ".dat")) {
    const ContactProblem problem = read_problem(path.string());
    const SolveResult result = run_solver("lemke", problem);
    if (const auto known = unsolvable.find(path.stem().string()); known != unsolvable.end()) {
      EXPECT_EQ(Status::stalled, result.status) << known->second;
      EXPECT_NE(std::string::npos, result.message.find("ray")) << result.message;
      continue;
    }
    EXPECT_EQ(Status::converged, result.status)
        << path.stem() << " " << to_string(result.status) << " " << result.message << " "
        << result.quality.error;
    ++solved;
  }
  EXPECT_GT(solved, 30);
}

} // namespace
} // namespace talus
