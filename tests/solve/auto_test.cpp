// The solver that chooses: each of its decisions is taken on some problem, noted, and right.

#include "solve/solver_checks.h"
#include "support/corpus.h"
#include "support/random_problems.h"
#include "talus/core/parallel.h"
#include "talus/problem/files/problem_file.h"
#include "talus/solve/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using test::Random;
using test::random_rigid_problem;
using test::run_solver;
using test::with_set;

std::string notes(const SolveResult& result) {
  std::string all;
  for (const IterationRecord& record : result.history.records)
    if (!record.note.empty()) all += record.note + "\n";
  return all;
}

SolveResult solve_noted(const ContactProblem& problem, double tolerance = 1e-8,
                        test::OptionList settings = {}) {
  SolveOptions options;
  options.tolerance = tolerance;
  options.keep_history = true;
  return run_solver("auto", problem, options, settings);
}

void expect_note(const SolveResult& result, const std::string& words) {
  EXPECT_NE(std::string::npos, notes(result).find(words)) << notes(result);
}

/// A column of boxes on four contacts each, the heaviest on top: redundant, and slow for sweeps.
ContactProblem tower(int boxes, double mass_ratio) {
  ContactProblem problem;
  RigidModel model;
  for (int k = 0; k < boxes; ++k) {
    const double mass = std::pow(mass_ratio, static_cast<double>(k) / boxes);
    const double spin = 6 / mass;
    model.inverse_mass.push_back({1 / mass, {spin, 0, 0, spin, 0, spin}});
    model.free_velocity.insert(model.free_velocity.end(), {0.02, 0, -0.1, 0, 0, 0});
    for (int corner = 0; corner < 4; ++corner) {
      const double x = corner % 2 == 0 ? 0.5 : -0.5, y = corner < 2 ? 0.5 : -0.5;
      model.contact_bodies.push_back({k - 1, k});
      model.contacts.push_back({{0, 0, 1}, {1, 0, 0}, {x, y, 0.5}, {x, y, -0.5}});
      model.w.insert(model.w.end(), {0, 0, 0});
      problem.mu.push_back(0.6);
    }
  }
  problem.model = std::move(model);
  problem.friction = parse_friction_set("cone");
  return problem;
}

/// The same tower many times, out of reach of each other.
ContactProblem towers(int count, int boxes) {
  ContactProblem all = tower(boxes, 100);
  RigidModel& model = std::get<RigidModel>(all.model);
  for (int k = 1; k < count; ++k) {
    const ContactProblem next = tower(boxes, k % 2 == 0 ? 100 : 1);
    const RigidModel& other = std::get<RigidModel>(next.model);
    const Index shift = static_cast<Index>(model.inverse_mass.size());
    for (BodyPair pair : other.contact_bodies)
      model.contact_bodies.push_back({pair.a < 0 ? -1 : pair.a + shift, pair.b + shift});
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(model.inverse_mass, other.inverse_mass);
    append(model.free_velocity, other.free_velocity);
    append(model.contacts, other.contacts);
    append(model.w, other.w);
    append(all.mu, next.mu);
  }
  return all;
}

TEST(Auto, StaysWithSweepsWhereTheyAreQuick) {
  Random random(51);
  const ContactProblem problem =
      with_set(random_rigid_problem(random, {.bodies = 4, .contacts = 3, .mu_high = 0.3}), "cone");
  const SolveResult result = solve_noted(problem);
  EXPECT_EQ(Status::converged, result.status);
  EXPECT_EQ("", notes(result));
}

TEST(Auto, TakesNewtonForSmallProblems) {
  const SolveResult result = solve_noted(tower(6, 1000), 1e-10);
  EXPECT_EQ(Status::converged, result.status) << result.message;
  expect_note(result, "too slow");
}

TEST(Auto, FollowsTheCentralPathOfLargerOnes) {
  const SolveResult result = solve_noted(tower(40, 1000));
  EXPECT_EQ(Status::converged, result.status) << result.message;
  expect_note(result, "nncg: ");
  expect_note(result, "Newton");
  EXPECT_LT(result.iterations, 2000);
}

/// Balls at rest, whose central path folds: patience would take thousands of iterations.
TEST(Auto, FollowsFoldsOfSmallIslandsBeforeItIsPatient) {
  const ContactProblem problem =
      read_problem(std::string(TALUS_TEST_DATA_DIR) + "/settled_balls.hdf5");
  const SolveResult result = solve_noted(problem, 1e-8, {{"islands", "false"}});
  EXPECT_EQ(Status::converged, result.status) << result.message;
  expect_note(result, "ip-newton: ");
  expect_note(result, "fold 1 of the central path");
  EXPECT_EQ(std::string::npos, notes(result).find("apgd: ")) << notes(result);
  EXPECT_LT(result.iterations, 1000);
}

TEST(Auto, TakesGradientsForManyContacts) {
  const SolveResult result = solve_noted(tower(40, 100), 1e-6, {{"pile_limit", "10"}});
  EXPECT_EQ(Status::converged, result.status) << result.message;
  expect_note(result, "coulomb-apgd: ");
}

TEST(Auto, AnswersLargeProblemsRoughlyWithoutFactors) {
  const SolveResult result = solve_noted(tower(40, 100), 1e-3, {{"pile_limit", "10"}});
  EXPECT_EQ(Status::converged, result.status) << result.message;
  EXPECT_EQ(std::string::npos, notes(result).find("path")) << notes(result);
}

TEST(Auto, GoesThroughTheCatalogueWithoutFactors) {
  const SolveResult result = solve_noted(tower(12, 30), 1e-6, {{"factorisation_limit", "1"}});
  EXPECT_EQ(Status::converged, result.status) << result.message;
}

TEST(Auto, SolvesSetsWithoutACentralPath) {
  for (const char* set : {"pyramid", "box", "polyhedron:8", "cylinder"}) {
    const ContactProblem problem = with_set(tower(12, 100), set);
    const SolveResult result = solve_noted(problem);
    EXPECT_EQ(Status::converged, result.status) << set << ": " << result.message;
  }
}

TEST(Auto, SolvesIslandsOnTheirOwn) {
  const ContactProblem problem = towers(6, 30);
  const SolveResult apart = solve_noted(problem);
  EXPECT_EQ(Status::converged, apart.status) << apart.message;
  expect_note(apart, "of 6 islands are solved on their own");
  const SolveResult whole = solve_noted(problem, 1e-8, {{"islands", "false"}});
  test::expect_same_velocities(problem, apart, whole);
}

TEST(Auto, SaysThatALimitEndedAnIsland) {
  const ContactProblem problem = towers(6, 30);
  SolveOptions options;
  options.max_iterations = solve_noted(problem).iterations - 1;
  const SolveResult result = run_solver("auto", problem, options);
  EXPECT_EQ(Status::iteration_limit, result.status) << result.message;
  EXPECT_LE(result.iterations, options.max_iterations);
}

TEST(Auto, IslandsShareTheTolerance) {
  const ContactProblem problem = towers(7, 25);
  for (double tolerance : {1e-2, 1e-5, 1e-9}) {
    const SolveResult result = solve_noted(problem, tolerance);
    EXPECT_EQ(Status::converged, result.status) << tolerance << ": " << result.message;
    EXPECT_LE(result.quality.error, tolerance);
  }
}

TEST(Auto, GivesTheSameBitsForEveryThreadCount) {
  const ContactProblem problem = towers(5, 40);
  const auto one = with_threads(1, [&] { return run_solver("auto", problem); });
  const auto two = with_threads(2, [&] { return run_solver("auto", problem); });
  EXPECT_EQ(one.x, two.x);
  EXPECT_EQ(one.products, two.products);
}

TEST(Auto, RespectsLimitsWithinIslands) {
  const ContactProblem problem = towers(5, 40);
  SolveOptions options;
  options.max_iterations = 30;
  const SolveResult result = run_solver("auto", problem, options);
  EXPECT_EQ(Status::iteration_limit, result.status) << result.message;
  EXPECT_LE(result.iterations, 31);
}

TEST(Auto, SolvesTheProblemsOfTheRepository) {
  for (const char* extension : {".hdf5", ".dat"})
    for (const auto& file : test::own_files(extension)) {
      const SolveResult result = run_solver("auto", read_problem(file.string()));
      EXPECT_EQ(Status::converged, result.status) << file.stem() << ": " << result.message;
    }
}

TEST(Auto, SaysWhichContactsCannotBeSolved) {
  const std::filesystem::path folder = TALUS_TEST_DATA_DIR;
  const SolveResult result =
      run_solver("auto", read_problem((folder / "unsolvable/squeezed_ball.hdf5").string()));
  EXPECT_EQ(Status::infeasible, result.status) << result.message;
  EXPECT_NE(std::string::npos, result.message.find("contacts 0, 1")) << result.message;
}

/// The best iterate within the products allowed, factorisations included.
TEST(Auto, EndsWhereItsProductsAreUsed) {
  const ContactProblem problem = tower(40, 1000);
  const SolveResult whole = run_solver("auto", problem);
  ASSERT_EQ(Status::converged, whole.status) << whole.message;
  const auto n = make_operator(problem);
  const long price = CostModel(ScaledProblem(problem, *n)).factorisation();
  double last = 1;
  for (const long products : {whole.work / 8, whole.work / 4, whole.work / 2, whole.work - 1}) {
    SolveOptions options;
    options.max_products = products;
    const SolveResult result = run_solver("auto", problem, options);
    EXPECT_EQ(Status::product_limit, result.status) << products << ": " << result.message;
    EXPECT_GE(result.work, products);
    EXPECT_LE(result.work, products + 3 * price + 10);
    EXPECT_LE(result.quality.error, last) << "more products are never worse";
    last = result.quality.error;
  }
  SolveOptions options;
  options.max_products = whole.work + 1;
  EXPECT_EQ(whole.x, run_solver("auto", problem, options).x);
}

TEST(Auto, IslandsShareTheProducts) {
  const ContactProblem problem = towers(6, 30);
  const SolveResult whole = run_solver("auto", problem);
  SolveOptions options;
  options.max_products = whole.work / 2;
  const auto one = with_threads(1, [&] { return run_solver("auto", problem, options); });
  const auto two = with_threads(2, [&] { return run_solver("auto", problem, options); });
  EXPECT_EQ(Status::product_limit, one.status) << one.message;
  EXPECT_LE(static_cast<double>(one.work), 1.25 * static_cast<double>(options.max_products));
  EXPECT_EQ(one.x, two.x);
  EXPECT_EQ(one.work, two.work);
}

TEST(Auto, SolvesTheCollection) {
  if (!test::has_corpus()) GTEST_SKIP() << test::no_corpus();
  for (const auto& file : test::corpus_files({"local", "global", "local2d", "global2d"}, ".hdf5")) {
    const ContactProblem problem = read_problem(file.string());
    if (problem.contacts() > 2000) continue;
    SolveOptions options;
    const SolveResult result = run_solver("auto", problem, options);
    EXPECT_EQ(Status::converged, result.status) << file << ": " << result.message;
  }
}

} // namespace
} // namespace talus
