// Regions of large residuals, solved on their own (solve/auto/regions.h).

#include "solve/solver_checks.h"
#include "support/random_problems.h"
#include "talus/core/parallel.h"
#include "talus/solve/auto/regions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

/// Balls in a row on a floor, each against the next one, pushed about. One island.
ContactProblem row_of_balls(test::Random& random, int balls) {
  ContactProblem problem;
  RigidModel model;
  constexpr double radius = 0.1, mass = 2;
  constexpr double spin = 1 / (0.4 * mass * radius * radius);
  const auto add = [&](Index a, Index b, const RigidContact& contact) {
    model.contact_bodies.push_back({a, b});
    model.contacts.push_back(contact);
    model.w.insert(model.w.end(), {test::uniform(random, -1e-3, 0), 0, 0});
    problem.mu.push_back(0.4);
  };
  for (int k = 0; k < balls; ++k) {
    model.inverse_mass.push_back({1 / mass, {spin, 0, 0, spin, 0, spin}});
    for (const double v : {0.3, 0.1, 0.0, 2.0, 2.0, 2.0})
      model.free_velocity.push_back(test::uniform(random, -v, v));
    model.free_velocity[6 * k + 2] = -0.1;
    add(-1, k, {{0, 0, 1}, {1, 0, 0}, {}, {0, 0, -radius}});
    if (k > 0) add(k - 1, k, {{1, 0, 0}, {0, 1, 0}, {radius, 0, 0}, {-radius, 0, 0}});
  }
  problem.model = std::move(model);
  problem.friction = parse_friction_set("cone");
  problem.compliance.assign(problem.size(), 0.01 / mass);
  return problem;
}

SolveResult run_regions(const ContactProblem& problem, const Vector& start, double tolerance) {
  Regions regions("regions");
  SolveOptions options;
  options.tolerance = tolerance;
  options.initial = start;
  return solve(regions, problem, options);
}

SolveResult solve_exactly(const ContactProblem& problem) {
  SolveOptions options;
  options.tolerance = 1e-11;
  return test::run_solver("auto", problem, options);
}

/// The answer with the impulses of the contacts of some balls made wrong.
Vector disturbed(const ContactProblem& problem, Vector x, Index first, Index last) {
  const auto& pairs = std::get<RigidModel>(problem.model).contact_bodies;
  for (Index c = 0; c < problem.contacts(); ++c)
    if (pairs[c].b >= first && pairs[c].b < last)
      for (int i = 0; i < 3; ++i) x[3 * c + i] *= i == 0 ? 0.2 : -1;
  return x;
}

TEST(Regions, MendWhatIsWrongInOnePlace) {
  test::Random random(8);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const ContactProblem problem = row_of_balls(random, 300);
    const SolveResult exact = solve_exactly(problem);
    ASSERT_EQ(exact.status, Status::converged) << exact.message;
    const Index first = std::uniform_int_distribution<Index>(5, 280)(random);
    const Vector start = disturbed(problem, exact.x, first, first + 6);
    const SolveResult mended = run_regions(problem, start, 1e-8);
    EXPECT_EQ(mended.status, Status::converged) << mended.message;
    test::expect_same_velocities(problem, mended, exact);
    // A round: the region, forty sweeps, and what measures them.
    EXPECT_LE(mended.products, 100) << "one or two regions suffice";
  }
}

TEST(Regions, LeaveResidualsThatAreEverywhereToOthers) {
  test::Random random(9);
  const ContactProblem problem = row_of_balls(random, 300);
  const SolveResult result = run_regions(problem, {}, 1e-8);
  EXPECT_EQ(result.status, Status::stalled);
  EXPECT_EQ(result.message, "the residual is everywhere");
}

TEST(Regions, KeepTheProductsAllowed) {
  test::Random random(10);
  const ContactProblem problem = row_of_balls(random, 300);
  const SolveResult exact = solve_exactly(problem);
  ASSERT_EQ(exact.status, Status::converged) << exact.message;
  Regions regions("regions");
  SolveOptions options;
  options.tolerance = 1e-10;
  options.max_products = 3;
  options.initial = disturbed(problem, exact.x, 100, 160);
  const SolveResult result = solve(regions, problem, options);
  EXPECT_EQ(result.status, Status::product_limit) << result.message;
  EXPECT_LE(result.work, options.max_products + 10);
  EXPECT_GT(result.quality.error, options.tolerance);
}

TEST(Regions, RefuseWhatSweepsInBatchesRefuse) {
  test::Random random(11);
  ContactProblem problem = row_of_balls(random, 4);
  problem.law = Law::associated;
  const SolveResult result = run_regions(problem, {}, 1e-8);
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_NE(result.message.find("round cones"), std::string::npos) << result.message;
}

TEST(Regions, GiveTheSameBitsForEveryThreadCount) {
  test::Random random(12);
  const ContactProblem problem = row_of_balls(random, 300);
  const SolveResult exact = solve_exactly(problem);
  const Vector start = disturbed(problem, exact.x, 40, 52);
  const auto one = with_threads(1, [&] { return run_regions(problem, start, 1e-9); });
  const auto two = with_threads(2, [&] { return run_regions(problem, start, 1e-9); });
  EXPECT_EQ(one.x, two.x);
  EXPECT_EQ(one.work, two.work);
}

} // namespace
} // namespace talus
