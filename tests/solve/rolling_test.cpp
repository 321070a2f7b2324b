// Rolling and spinning friction: which solvers admit it, and that they agree.

#include "solve/solver_checks.h"
#include "support/corpus.h"
#include "support/plain_error.h"
#include "support/rolling_problems.h"
#include "talus/contact/local_contact.h"
#include "talus/problem/delassus/explicit_operator.h"
#include "talus/problem/files/problem_file.h"

#include <gtest/gtest.h>

#include <set>

namespace talus::test {
namespace {

const std::set<std::string> admitting = {
    "auto",  "jacobi", "nsgs",   "apgd",        "spg",           "bb",           "nncg",
    "ansgs", "admm",   "newton", "prox-newton", "hybrid-newton", "coulomb-apgd", "conic-ip"};

TEST(Rolling, SolversThatDoNotKnowMomentsRefuse) {
  Random random(1);
  const ContactProblem space = random_rolling_problem(random);
  for (const ContactProblem& problem :
       {space, without_spinning(space), planar_rolling_problem(random)}) {
    std::set<std::string> found;
    for (const std::string& name : solver_names()) {
      const auto solver = make_solver(name);
      const std::string why = refusal(solver->info(), problem);
      if (why.empty()) {
        found.insert(name);
      } else {
        EXPECT_EQ(Status::unsupported, run_solver(name, problem).status) << name;
      }
    }
    EXPECT_EQ(found, admitting) << problem.dimension;
  }
}

// Velocities of the associated law are unique, whatever the method and the model.
TEST(Rolling, SolversAgreeOnTheAssociatedLaw) {
  Random random(2);
  for (int trial = 0; trial < 4; ++trial) {
    ContactProblem problem =
        trial == 3 ? planar_rolling_problem(random)
                   : random_rolling_problem(
                         random, {.bodies = 5, .contacts = 7, .rows = trial % 2 == 0 ? 0 : 2});
    problem.law = Law::associated;
    const SolveResult expected = run_solver("auto", problem, with_tolerance(1e-10));
    for (const std::string& name : admitting) {
      if (name == "coulomb-apgd") continue;
      SCOPED_TRACE(name);
      // On one of these bb stalls at 2e-8 without a descent direction.
      SolveOptions options = with_tolerance(name == "bb" ? 1e-7 : 1e-8);
      options.max_iterations = 300000;
      expect_same_velocities(problem, expected, run_solver(name, problem, options), 1e-5);
    }
  }
}

// The exact law: every answer is judged by an independent error, in all models and dimensions.
TEST(Rolling, SolversReachTheExactLaw) {
  Random random(3);
  for (int trial = 0; trial < 3; ++trial) {
    const ContactProblem rigid = random_rolling_problem(random, {.bodies = 6, .contacts = 8});
    ContactProblem local = rigid;
    local.model = eliminate_velocities(to_global(rigid));
    const ContactProblem planar = planar_rolling_problem(random);
    ContactProblem planar_local = planar;
    planar_local.model = eliminate_velocities(std::get<GlobalModel>(planar.model));
    for (const ContactProblem& problem :
         {rigid, local, without_spinning(rigid), planar, planar_local})
      for (const std::string& name : admitting) {
        const double tolerance = name == "bb" ? 1e-6 : 1e-8;
        SolveOptions options = with_tolerance(tolerance);
        options.max_iterations = 300000;
        const SolveResult result = run_solver(name, problem, options);
        EXPECT_EQ(Status::converged, result.status)
            << name << ", dimension " << problem.dimension << ": " << result.message;
        const auto error = plain_error(problem, result.x);
        ASSERT_TRUE(error);
        EXPECT_LE(*error, 1.01 * tolerance) << name;
        EXPECT_NEAR(*error, result.quality.error, 1e-6 * *error + 1e-11) << name;
      }
  }
}

// Without lengths the moments vanish and the answer is that of plain contacts.
TEST(Rolling, WithoutLengthsIsPlainFriction) {
  Random random(4);
  const ContactProblem plain = random_rigid_problem(random, {.bodies = 5, .contacts = 7});
  ContactProblem rolling = with_moments(plain, random, 0);
  auto& w = std::get<RigidModel>(rolling.model).w;
  for (std::size_t i = 0; i < w.size(); ++i)
    if (i % 6 >= 3) w[i] = 0;
  for (const Law law : {Law::associated, Law::coulomb}) {
    ContactProblem a = plain, b = rolling;
    a.law = b.law = law;
    for (const char* name : {"nsgs", "apgd", "prox-newton"}) {
      const SolveResult expected = run_solver(name, a, with_tolerance(1e-11));
      const SolveResult result = run_solver(name, b, with_tolerance(1e-11));
      ASSERT_EQ(Status::converged, expected.status);
      ASSERT_EQ(Status::converged, result.status) << name << result.message;
      for (Index c = 0; c < plain.contacts(); ++c)
        for (int i = 0; i < 3; ++i) {
          EXPECT_NEAR(expected.u[3 * c + i], result.u[6 * c + i], 1e-7) << name;
          EXPECT_EQ(0, result.x[6 * c + 3 + i]) << name;
        }
    }
  }
}

TEST(Rolling, InteriorPointsNeedAnInside) {
  Random random(6);
  ContactProblem problem = random_rolling_problem(random);
  problem.spinning[2] = 0;
  expect_refused("conic-ip", problem, "coefficient of zero");
}

// The one-contact problem: the natural residual of the answer is rounding, for any block and load.
TEST(Rolling, LocalContactsAreSolvedToRounding) {
  Random random(5);
  int solved = 0, count = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int d = trial % 3 == 0 ? 3 : trial % 3 == 1 ? 5 : 6;
    double root[36], block[36] = {}, trace = 0;
    for (double& v : root) v = uniform(random, -1, 1);
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) {
        for (int k = 0; k < d; ++k) block[d * i + j] += root[d * i + k] * root[d * j + k];
        if (i == j) trace += block[d * i + j] += 0.1;
      }
    for (double& v : block) v *= d / trace;
    LocalContact contact;
    prepare_local_contact(block, d, contact);
    ContactSet set{{FrictionKind::rolling}, d, uniform(random, 0, 0.8)};
    set.rolling = uniform(random, 0, 0.5);
    set.spinning = d == 6 ? uniform(random, 0, 0.5) : 0.0;
    double b[6];
    for (double& v : b) v = uniform(random, -1, 1);
    for (const Law law : {Law::associated, Law::coulomb}) {
      double z[6] = {};
      solve_local_contact(contact, set, law, b, z);
      const double residual = local_residual(contact, set, law, b, z);
      ++count;
      solved += residual <= 1e-11;
      if (law == Law::associated) {
        EXPECT_LE(residual, 1e-10) << "trial " << trial;
      }
    }
  }
  // With Coulomb's law a single contact of an arbitrary block need not have a solution.
  EXPECT_GE(solved, 0.98 * count);
}

// A disc on a line under gravity and a side wind, in closed form: it sticks, rolls or slides.
TEST(Rolling, PlanarDiscHasTheClosedForm) {
  const double mass = 2, radius = 0.3, inertia = 0.5 * mass * radius * radius;
  // x, y, angle; the line is below: u = (v_y, v_x + R ω, ω).
  const auto disc = [&](double push, double mu, double rolling) {
    ContactProblem problem;
    problem.dimension = 3;
    problem.friction = {FrictionKind::rolling};
    problem.mu = {mu};
    problem.rolling = {rolling};
    GlobalModel model;
    model.M = from_triplets(3, 3, {{0, 0, mass}, {1, 1, mass}, {2, 2, inertia}});
    model.H = from_triplets(3, 3, {{1, 0, 1.0}, {0, 1, 1.0}, {2, 1, radius}, {2, 2, 1.0}});
    model.f = {push, -1, 0};
    model.w = {0, 0, 0};
    problem.model = model;
    return problem;
  };
  // The line bears 1 N s. Rest needs push R <= rolling; below, the disc rolls with
  // (m + I/R²) v = push - rolling / R, and slides where that needs more friction than mu.
  const auto speed = [&](double push, double mu, double rolling) {
    if (push * radius <= rolling && push <= mu) return 0.0;
    const double rolls = (push - rolling / radius) / (mass + inertia / (radius * radius));
    if (std::abs(push - mass * rolls) <= mu) return rolls;
    return (push - mu) / mass;
  };
  for (const double push : {0.05, 0.2, 0.6, 1.5, 4.0})
    for (const double mu : {0.1, 0.8})
      for (const double rolling : {0.0, 0.03, 0.2}) {
        const ContactProblem problem = disc(push, mu, rolling);
        for (const char* name : {"auto", "nsgs", "newton", "admm"}) {
          const SolveResult result = run_solver(name, problem, with_tolerance(1e-12));
          ASSERT_EQ(Status::converged, result.status) << name << result.message;
          EXPECT_NEAR(speed(push, mu, rolling), result.v[0], 1e-9)
              << name << " " << push << " " << mu << " " << rolling;
        }
      }
}

TEST(Rolling, ProblemsOfSiconosAreSolved) {
  if (!has_corpus()) GTEST_SKIP() << no_corpus();
  std::vector<std::filesystem::path> files = corpus_files({"rolling"}, ".dat");
  for (const auto& file : corpus_files({"rolling"}, ".hdf5")) files.push_back(file);
  ASSERT_EQ(9u, files.size());
  for (const auto& file : files)
    for (const Law law : {Law::coulomb, Law::associated}) {
      SCOPED_TRACE(file.stem().string());
      ContactProblem problem = read_problem(file.string());
      problem.law = law;
      const SolveResult result = run_solver("auto", problem, with_tolerance(1e-8));
      EXPECT_EQ(Status::converged, result.status) << result.message;
      if (const auto error = plain_error(problem, result.x)) {
        EXPECT_LE(*error, 1.01e-8);
      }
    }
}

} // namespace
} // namespace talus::test
