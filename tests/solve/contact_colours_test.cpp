#include "../bench/sphere_packing.h"
#include "solve/solver_checks.h"
#include "support/random_problems.h"
#include "talus/core/parallel.h"
#include "talus/solve/contact_colours.h"

#include <gtest/gtest.h>

#include <set>

namespace talus {
namespace {

using test::run_solver;
using testing::Random;

std::vector<BodyPair> random_pairs(Random& random, Index bodies, Index contacts) {
  std::uniform_int_distribution<Index> body(-1, bodies - 1);
  std::vector<BodyPair> pairs;
  while (static_cast<Index>(pairs.size()) < contacts) {
    const BodyPair pair{body(random), body(random)};
    if (pair.a != pair.b) pairs.push_back(pair);
  }
  return pairs;
}

/// Every contact once, increasing within its colour, and no body twice in a colour.
void expect_valid(const ContactColours& colours, const std::vector<BodyPair>& pairs) {
  std::multiset<Index> seen(colours.contacts.begin(), colours.contacts.end());
  seen.insert(colours.uncoloured.begin(), colours.uncoloured.end());
  std::multiset<Index> all;
  for (std::size_t c = 0; c < pairs.size(); ++c) all.insert(static_cast<Index>(c));
  EXPECT_EQ(seen, all);
  for (Index k = 0; k < colours.count(); ++k) {
    std::set<Index> bodies;
    EXPECT_LT(colours.start[k], colours.start[k + 1]);
    for (Index i = colours.start[k]; i < colours.start[k + 1]; ++i) {
      EXPECT_TRUE(i == colours.start[k] || colours.contacts[i - 1] < colours.contacts[i]);
      const BodyPair pair = pairs[colours.contacts[i]];
      for (const Index body : {pair.a, pair.b})
        EXPECT_TRUE(body < 0 || bodies.insert(body).second) << "body " << body;
    }
  }
}

TEST(ContactColours, ShareNoBody) {
  Random random(5);
  for (const Index bodies : {1, 2, 7, 50})
    for (const Index contacts : {0, 1, 20, 300}) {
      const std::vector<BodyPair> pairs = random_pairs(random, bodies, contacts);
      expect_valid(colour_contacts(bodies, pairs), pairs);
    }
}

TEST(ContactColours, LeaveTheContactsOfACrowdedBodyOver) {
  std::vector<BodyPair> pairs;
  for (Index k = 1; k <= 100; ++k) pairs.push_back({0, k});
  const ContactColours colours = colour_contacts(101, pairs);
  expect_valid(colours, pairs);
  EXPECT_EQ(colours.count(), ContactColours::most);
  EXPECT_EQ(colours.uncoloured.size(), 100u - ContactColours::most);
}

TEST(ContactColours, AreOneWhereOnlyTheWorldIsShared) {
  EXPECT_EQ(colour_contacts(3, {{-1, 0}, {-1, 1}, {2, -1}}).count(), 1);
}

SolveResult coloured_sweeps(const ContactProblem& problem, const SolveOptions& options,
                            const char* order = "forward") {
  return run_solver("nsgs", problem, options, {{"coloured", "true"}, {"sweep", order}});
}

TEST(ColouredSweeps, GiveTheSameBitsForEveryThreadCount) {
  const ContactProblem problem = bench::lattice_packing(1728, true);
  SolveOptions options;
  options.max_iterations = 20;
  for (const char* order : {"forward", "symmetric"}) {
    const auto solve_with = [&](int threads) {
      return with_threads(threads, [&] { return coloured_sweeps(problem, options, order).x; });
    };
    const Vector one = solve_with(1);
    EXPECT_EQ(one, solve_with(2));
    EXPECT_EQ(one, solve_with(3));
  }
}

TEST(ColouredSweeps, FindTheVelocitiesOfOtherOrders) {
  const ContactProblem problem = bench::lattice_packing(64, true);
  SolveOptions options;
  options.tolerance = 1e-8;
  test::expect_same_velocities(problem, coloured_sweeps(problem, options),
                               run_solver("nsgs", problem, options));
}

TEST(ColouredSweeps, TreatJointsAndProblemsGivenByAMatrix) {
  Random random(6);
  const ContactProblem rigid =
      testing::random_rigid_problem(random, {.bodies = 30, .contacts = 60, .rows = 4});
  SolveOptions options;
  options.tolerance = 1e-6;
  const SolveResult coloured = coloured_sweeps(rigid, options);
  EXPECT_EQ(Status::converged, coloured.status) << coloured.message;

  ContactProblem local;
  LocalModel model;
  model.W = identity_matrix(3);
  model.q = {-1, 0.2, 0};
  local.model = model;
  local.mu = {0.5};
  EXPECT_EQ(coloured_sweeps(local, options).x, run_solver("nsgs", local, options).x);
}

} // namespace
} // namespace talus
