// Sweeps in batches: the grouping of contacts, the state of a sweep, and its fixed points.

#include "../bench/sphere_packing.h"
#include "solve/solver_checks.h"
#include "support/rolling_problems.h"
#include "talus/solve/batches/rigid_batches.h"

#include <gtest/gtest.h>

#include <numeric>

namespace talus {
namespace {

using test::run_solver;

std::vector<BatchContacts> grouped(const std::vector<BodyPair>& pairs, Index bodies,
                                   Index immovable) {
  std::vector<Index> contacts(pairs.size());
  std::iota(contacts.begin(), contacts.end(), Index{0});
  std::vector<BatchContacts> batches;
  BatchPlanner().group(
      contacts, pairs, bodies, [&](Index body) { return body != immovable; }, batches);
  return batches;
}

std::vector<BodyPair> random_pairs(test::Random& random, Index bodies, int contacts) {
  std::uniform_int_distribution<Index> body(-1, bodies - 1);
  std::vector<BodyPair> pairs;
  while (static_cast<int>(pairs.size()) < contacts)
    if (const BodyPair pair{body(random), body(random)}; pair.a != pair.b) pairs.push_back(pair);
  return pairs;
}

TEST(BatchPlan, HoldsEveryContactOnceAndNoMovableBodyTwice) {
  test::Random random(81);
  for (const Index bodies : {2, 5, 40, 1000}) {
    constexpr Index immovable = 0;
    const std::vector<BodyPair> pairs = random_pairs(random, bodies, 700);
    std::vector<int> seen(pairs.size(), 0);
    for (const BatchContacts& batch : grouped(pairs, bodies, immovable)) {
      std::vector<Index> used;
      for (const Index c : batch) {
        if (c < 0) continue;
        ++seen[c];
        for (const Index body : {pairs[c].a, pairs[c].b})
          if (body > immovable) used.push_back(body);
      }
      std::ranges::sort(used);
      EXPECT_EQ(std::ranges::adjacent_find(used), used.end()) << "a batch holds a body twice";
    }
    EXPECT_TRUE(std::ranges::all_of(seen, [](int count) { return count == 1; })) << bodies;
  }
}

TEST(BatchPlan, FillsMostLanesOfAPile) {
  const ContactProblem pile = bench::lattice_packing(1728, true);
  const auto& model = std::get<RigidModel>(pile.model);
  const std::size_t batches =
      grouped(model.contact_bodies, static_cast<Index>(model.inverse_mass.size()), -1).size();
  EXPECT_LT(0.9 * batch_width * static_cast<double>(batches), pile.contacts());
}

/// A problem with its operator and the state of a sweep.
template <int D>
struct SweepingOf {
  explicit SweepingOf(ContactProblem p)
      : problem(std::move(p)), n(make_operator(problem)), scaled(problem, *n),
        parts(problem.contacts()) {}
  void start(const Vector& x) {
    batches.prepare(scaled, parts, x);
    Vector all = x;
    batches.reset(all);
  }
  Vector velocities() {
    Vector u(problem.size());
    batches.contact_velocities(u);
    return u;
  }
  Vector impulses() const {
    Vector x(problem.size(), 0.0);
    batches.get_impulses(x);
    return x;
  }

  ContactProblem problem;
  std::unique_ptr<DelassusOperator> n;
  ScaledProblem scaled;
  SweepPartition parts;
  RigidBatches<D> batches;
};
using Sweeping = SweepingOf<3>;
using RollingSweeping = SweepingOf<6>;

ContactProblem compliant_problem(test::Random& random, int rows) {
  ContactProblem problem =
      test::random_rigid_problem(random, {.bodies = 15, .contacts = 43, .rows = rows});
  for (Index i = 0; i < problem.size(); ++i)
    problem.compliance.push_back(test::uniform(random, 0.01, 0.1));
  return problem;
}

TEST(RigidBatches, KnowTheVelocitiesOfTheProblem) {
  test::Random random(82);
  for (int k = 0; k < 20; ++k) {
    Sweeping sweeping(compliant_problem(random, 3));
    Vector x(sweeping.problem.size()), expected(x.size());
    for (double& entry : x) entry = test::uniform(random, -1, 1);
    sweeping.start(x);
    sweeping.n->apply(x, expected);
    const Vector u = sweeping.velocities();
    for (Index i = 0; i < sweeping.problem.impulses(); ++i)
      EXPECT_NEAR(expected[i] + sweeping.n->free_velocity()[i], u[i], 1e-12);
    const Index rows = sweeping.problem.impulses();
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(expected[rows + j] + sweeping.n->free_velocity()[rows + j],
                  sweeping.batches.row_velocity(j, x[rows + j]), 1e-12);
  }
}

/// Spheres, whose blocks of N are diagonal.
ContactProblem compliant_spheres() {
  ContactProblem problem = bench::lattice_packing(64, true);
  problem.law = Law::coulomb;
  problem.compliance.assign(problem.size(), 0.05);
  return problem;
}

TEST(RigidBatches, FollowTheirImpulsesThroughSweeps) {
  test::Random random(83);
  for (const bool damps : {false, true})
    for (const bool spheres : {false, true}) {
      Sweeping sweeping(spheres ? compliant_spheres() : compliant_problem(random, 0));
      sweeping.start(Vector(sweeping.problem.size(), 0.0));
      for (int k = 0; k < 30; ++k) sweeping.batches.sweep({k == 0 ? 0 : 0.5, 1, damps});
      const Vector followed = sweeping.velocities();
      sweeping.batches.reset({});
      const Vector fresh = sweeping.velocities();
      for (std::size_t i = 0; i < fresh.size(); ++i) EXPECT_NEAR(fresh[i], followed[i], 1e-11);
    }
}

TEST(RigidBatches, StayAtASolution) {
  test::Random random(84);
  SolveOptions options;
  options.tolerance = 1e-12;
  for (int k = 0; k < 10; ++k) {
    Sweeping sweeping(compliant_problem(random, 0));
    const SolveResult answer = run_solver("nsgs", sweeping.problem, options);
    ASSERT_EQ(Status::converged, answer.status);
    sweeping.start(answer.x);
    const SweepProgress step = sweeping.batches.sweep({});
    EXPECT_LT(std::sqrt(step.squared), 1e-9 * sweeping.scaled.reference());
  }
}

TEST(RigidBatches, DampedSweepsOverSpheresEndAtASolution) {
  Sweeping sweeping(compliant_spheres());
  sweeping.start(Vector(sweeping.problem.size(), 0.0));
  for (int k = 0; k < 400; ++k) sweeping.batches.sweep({k == 0 ? 0 : 0.5, 1, true});
  Vector z(sweeping.problem.size()), u(z.size());
  const Quality quality = judge(sweeping.scaled, sweeping.impulses(), z, u);
  EXPECT_LT(quality.error, 1e-6);
}

/// Sticking, sliding and opening contacts, also with strong coupling of normal and tangent.
TEST(RigidBatches, ReachTheAnswerOfNsgs) {
  test::Random random(85);
  SolveOptions options;
  options.tolerance = 1e-10;
  for (int k = 0; k < 20; ++k) {
    const ContactProblem problem = compliant_problem(random, k % 3);
    const SolveResult expected = run_solver("nsgs", problem, options);
    ASSERT_EQ(Status::converged, expected.status);
    const SolveResult batched = run_solver("ansgs", problem, options);
    EXPECT_EQ(Status::converged, batched.status) << batched.message;
    test::expect_same_velocities(problem, expected, batched);
  }
}

TEST(RigidBatches, AreForRoundConesUnderCoulombsLaw) {
  test::Random random(86);
  const ContactProblem problem = test::random_rigid_problem(random);
  const auto admitted = [](const ContactProblem& p) {
    const auto n = make_operator(p);
    return RigidBatches<3>::admits(ScaledProblem(p, *n));
  };
  EXPECT_TRUE(admitted(problem));
  EXPECT_FALSE(admitted(test::with_set(problem, "pyramid")));
  EXPECT_FALSE(admitted(test::with_set(problem, "cone", Law::associated)));
}

/// The same contacts with moments.
ContactProblem rolling_problem(test::Random& random, int rows, double largest = 0.5) {
  ContactProblem problem =
      test::random_rolling_problem(random, {.bodies = 15, .contacts = 43, .rows = rows}, largest);
  for (Index i = 0; i < problem.size(); ++i)
    problem.compliance.push_back(test::uniform(random, 0.01, 0.1));
  return problem;
}

/// Spheres on a floor and on each other; with `seed` lengths between none and the radius.
ContactProblem rolling_spheres(unsigned seed) {
  test::Random random(seed);
  ContactProblem problem = test::with_moments(compliant_spheres(), random, 0.05);
  auto& model = std::get<RigidModel>(problem.model);
  for (double& v : model.free_velocity) v += test::uniform(random, -0.02, 0.02);
  problem.compliance.clear();
  for (Index c = 0; c < problem.contacts(); ++c)
    problem.compliance.insert(problem.compliance.end(), {0.05, 0.03, 0.03, 0, 0, 0});
  return problem;
}

TEST(RollingBatches, KnowTheVelocitiesOfTheProblem) {
  test::Random random(87);
  for (int k = 0; k < 20; ++k) {
    RollingSweeping sweeping(k % 2 == 0 ? rolling_problem(random, 3) : rolling_spheres(k));
    Vector x(sweeping.problem.size()), expected(x.size());
    for (double& entry : x) entry = test::uniform(random, -1, 1);
    sweeping.start(x);
    sweeping.n->apply(x, expected);
    const Vector u = sweeping.velocities();
    for (Index i = 0; i < sweeping.problem.impulses(); ++i)
      EXPECT_NEAR(expected[i] + sweeping.n->free_velocity()[i], u[i], 1e-11);
  }
}

TEST(RollingBatches, FollowTheirImpulsesThroughSweeps) {
  test::Random random(88);
  for (const bool damps : {false, true})
    for (const bool spheres : {false, true}) {
      RollingSweeping sweeping(spheres ? rolling_spheres(1) : rolling_problem(random, 0));
      sweeping.start(Vector(sweeping.problem.size(), 0.0));
      for (int k = 0; k < 30; ++k) sweeping.batches.sweep({k == 0 ? 0 : 0.5, 1, damps});
      const Vector followed = sweeping.velocities();
      sweeping.batches.reset({});
      const Vector fresh = sweeping.velocities();
      for (std::size_t i = 0; i < fresh.size(); ++i) EXPECT_NEAR(fresh[i], followed[i], 1e-11);
    }
}

/// All combinations of sticking and slipping friction and moments.
TEST(RollingBatches, StayAtASolution) {
  test::Random random(89);
  SolveOptions options;
  options.tolerance = 1e-12;
  for (int k = 0; k < 20; ++k) {
    const double largest = k % 4 < 2 ? 0.5 : 0.02;
    RollingSweeping sweeping(k % 2 == 0 ? rolling_problem(random, 0, largest)
                                        : rolling_spheres(100 + k));
    const SolveResult answer = run_solver("prox-newton", sweeping.problem, options);
    ASSERT_EQ(Status::converged, answer.status) << k;
    Vector x = answer.x;
    sweeping.n->measure_moments(x);
    sweeping.start(x);
    const SweepProgress step = sweeping.batches.sweep({});
    EXPECT_LT(std::sqrt(step.squared), 1e-9 * sweeping.scaled.reference()) << k;
  }
}

TEST(RollingBatches, ReachTheAnswerOfNsgs) {
  test::Random random(90);
  SolveOptions options;
  options.tolerance = 1e-10;
  for (int k = 0; k < 30; ++k) {
    const ContactProblem problem =
        k % 3 == 0 ? rolling_spheres(k) : rolling_problem(random, k % 3, k % 2 == 0 ? 0.5 : 0.02);
    const SolveResult expected = run_solver("nsgs", problem, options);
    ASSERT_EQ(Status::converged, expected.status);
    const SolveResult batched = run_solver("ansgs", problem, options);
    EXPECT_EQ(Status::converged, batched.status) << batched.message;
    test::expect_same_velocities(problem, expected, batched);
  }
}

} // namespace
} // namespace talus
