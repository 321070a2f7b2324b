#include "support/corpus.h"
#include "support/plain_error.h"
#include "support/random_models.h"
#include "support/random_problems.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/files/fclib_file.h"
#include "talus/problem/scaled/quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

using test::Random;
using test::random_rigid_problem;

/// One contact with W = diag(a, b, b) and free velocity q.
ContactProblem one_contact(double a, double b, Vector q, double mu) {
  LocalModel model;
  model.W = from_triplets(3, 3, {{0, 0, a}, {1, 1, b}, {2, 2, b}});
  model.q = std::move(q);
  ContactProblem problem;
  problem.mu = {mu};
  problem.model = std::move(model);
  return problem;
}

Quality judge(const ContactProblem& problem, const Vector& x) {
  const auto n = make_operator(problem);
  return talus::judge(problem, *n, x);
}

TEST(Quality, KnowsStickingSlidingAndSeparation) {
  // Sticking: r = -W⁻¹ q inside the cone.
  EXPECT_NEAR(0, judge(one_contact(2, 4, {-4, 2, 0}, 0.5), {2, -0.5, 0}).error, 1e-15);
  // Sliding under Coulomb's law: r_n = 2, r_t = -mu r_n e, slip 10 - 4 = 6 opposite to it.
  EXPECT_NEAR(0, judge(one_contact(2, 4, {-4, 10, 0}, 0.5), {2, -1, 0}).error, 1e-15);
  // The associated law has another answer: the normal velocity must be mu times the slip.
  ContactProblem associated = one_contact(2, 4, {-4, 10, 0}, 0.5);
  associated.law = Law::associated;
  EXPECT_GT(judge(associated, {2, -1, 0}).error, 0.1);
  // min ½ (2 + 4 mu²) r_n² + (-4 - 5) r_n with r_t = -mu r_n: r_n = 9 / 3.
  EXPECT_NEAR(0, judge(associated, {3, -1.5, 0}).error, 1e-15);
  // Separation.
  const Quality apart = judge(one_contact(2, 4, {1, 10, 0}, 0.5), {0, 0, 0});
  EXPECT_EQ(0, apart.error);
  EXPECT_EQ(0, apart.violation);
}

TEST(Quality, AgreesWithItsDefinitionOnEveryModelSetAndLaw) {
  test::RandomProblems random(77);
  int compared = 0;
  for (const char* set : {"none", "box", "pyramid", "prism:6", "polyhedron:8", "cylinder", "cone"})
    for (const Law law : {Law::associated, Law::coulomb})
      for (int k = 0; k < 12; ++k) {
        const int dimension = 1 + k % 3;
        const Index rows = k % 4;
        ContactProblem problem = k < 4   ? random.rigid(6, 5, rows)
                                 : k < 8 ? random.global(dimension, 5, 9, rows)
                                         : random.local(dimension, 5, rows);
        problem.friction = parse_friction_set(set);
        problem.law = law;
        if (has_fixed_bound(problem.friction.kind))
          problem.normal_estimate = random.vector(problem.contacts(), 0, 1);
        if (k % 2 == 1) {
          problem.row_lower = random.vector(rows, -0.5, 0);
          problem.row_upper = random.vector(rows, 0, 0.5);
          problem.compliance = random.vector(problem.size(), 0.1, 1);
        }
        problem.mu[0] = 0;
        const Vector x = random.vector(problem.size(), -0.5, 1);
        const auto plain = test::plain_error(problem, x);
        if (!plain) continue;
        const double error = judge(problem, x).error;
        ++compared;
        if (error == *plain) continue; // both infinite, or both zero
        EXPECT_NEAR(error, *plain, 1e-9 * error) << set << " " << to_string(law) << " " << k;
      }
  EXPECT_GT(compared, 100);
}

TEST(Quality, MatchesHandWorkedNumbers) {
  // W = I, rho = 1, q = (-1, 3, 0), mu = 1, r = 0: û = (2, 3, 0), trial -û = (-2, -3, 0), outside
  // the polar cone; P = ((-2 + 3)/2, -(−2 + 3)/2·...) = (0.5, -0.5, 0), |F| = sqrt(0.5).
  const ContactProblem problem = one_contact(1, 1, {-1, 3, 0}, 1);
  const Quality zero = judge(problem, {0, 0, 0});
  EXPECT_DOUBLE_EQ(1, zero.error);
  EXPECT_DOUBLE_EQ(std::sqrt(0.5), zero.violation);
  EXPECT_DOUBLE_EQ(std::sqrt(0.5) / std::sqrt(10), zero.error_fclib);
  EXPECT_DOUBLE_EQ(0, zero.primal);
  // û = (2, 3, 0) misses K* = {u_n >= |u_t|} by 1 / sqrt(2).
  EXPECT_NEAR(1, zero.dual, 1e-15);
  EXPECT_EQ(0, zero.complementarity);

  // r = (1, 2, 0): u = (0, 5, 0), û = (5, 5, 0), trial (-4, -3, 0) lies in the polar cone, so F =
  // r.
  const Quality wrong = judge(problem, {1, 2, 0});
  EXPECT_DOUBLE_EQ(std::sqrt(5.0), wrong.violation);
  EXPECT_DOUBLE_EQ(std::sqrt(5.0) / std::sqrt(0.5), wrong.error);
  // dist((1, 2), K) = 1/sqrt(2), so the primal part is 1.
  EXPECT_NEAR(1, wrong.primal, 1e-15);
  EXPECT_EQ(0, wrong.dual);
  EXPECT_DOUBLE_EQ(15 / 0.5, wrong.complementarity);
  EXPECT_DOUBLE_EQ(0.5 * 5 + (-1 + 6), wrong.objective);
}

TEST(Quality, DoesNotDependOnUnits) {
  // Grams instead of kilograms, millimetres instead of metres: impulses scale by 1e6, velocities by
  // 1e3.
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    ContactProblem problem = random_rigid_problem(random);
    Vector x(problem.size());
    for (double& v : x) v = test::uniform(random, -1, 1);
    const Quality base = judge(problem, x);
    const double mass = 1e3, length = 1e3;
    auto& model = std::get<RigidModel>(problem.model);
    for (RigidInverseMass& m : model.inverse_mass) {
      m.mass /= mass;
      for (double& i : m.inertia) i /= mass * length * length;
    }
    for (RigidContact& c : model.contacts) {
      c.arm_a *= length;
      c.arm_b *= length;
    }
    for (std::size_t i = 0; i < model.free_velocity.size(); ++i)
      if (i % 6 < 3) model.free_velocity[i] *= length;
    for (double& w : model.w) w *= length;
    for (double& v : x) v *= mass * length;
    const Quality scaled = judge(problem, x);
    EXPECT_NEAR(base.error, scaled.error, 1e-12 * base.error);
    EXPECT_NEAR(base.violation * length, scaled.violation, 1e-12 * scaled.violation);
    EXPECT_NEAR(base.complementarity, scaled.complementarity, 1e-10 * base.complementarity);
  }
}

/// Under Coulomb's law the tilt hides a normal velocity from the measure by up to √(1 + µ²).
TEST(Quality, ViolationBoundsTheSpeedOfPenetration) {
  Random random(12);
  for (const double mu : {0.0, 0.3, 1.0, 30.0, 1e3})
    for (int trial = 0; trial < 20; ++trial) {
      const ContactProblem problem = random_rigid_problem(random, {.mu_low = mu, .mu_high = mu});
      const auto n = make_operator(problem);
      Vector x(problem.size()), u(problem.size());
      for (double& v : x) v = test::uniform(random, -1, 1);
      n->apply(x, u);
      axpy(1, n->free_velocity(), u);
      const double bound = std::sqrt(1 + mu * mu) * judge(problem, x).violation;
      for (Index c = 0; c < problem.contacts(); ++c) EXPECT_GE(u[3 * c], -bound * (1 + 1e-10));
    }
  // A contact that slips while it is open and approaches: the factor is reached.
  for (const double mu : {0.3, 30.0, 1e3})
    EXPECT_NEAR(1 / std::sqrt(1 + mu * mu),
                judge(one_contact(1, 1, {-1, 5, 0}, mu), {0, 0, 0}).violation, 1e-12);
}

TEST(Quality, WeighsContactsByMassAndViolationDoesNot) {
  // Two contacts of 1 kg and 1 mg that approach at 1 m/s; only the heavy one is solved.
  LocalModel model;
  std::vector<Triplet> entries;
  for (Index i = 0; i < 6; ++i) entries.push_back({i, i, i < 3 ? 1.0 : 1e6});
  model.W = from_triplets(6, 6, entries);
  model.q = {-1, 0, 0, -1, 0, 0};
  ContactProblem problem;
  problem.mu = {0.5, 0.5};
  problem.model = std::move(model);
  const Quality quality = judge(problem, {1, 0, 0, 0, 0, 0});
  EXPECT_NEAR(quality.error, 1e-3, 1e-8);
  EXPECT_DOUBLE_EQ(quality.violation, 1);
}

TEST(Quality, ScoresOneForZeroImpulses) {
  Random random(13);
  for (const char* set : {"none", "pyramid", "polyhedron:6", "cone"})
    for (Law law : {Law::associated, Law::coulomb}) {
      ContactProblem problem = random_rigid_problem(random);
      problem.friction = parse_friction_set(set);
      problem.law = law;
      EXPECT_DOUBLE_EQ(1, judge(problem, Vector(problem.size(), 0.0)).error) << set;
    }
}

TEST(Quality, NeverCallsNaNGood) {
  const ContactProblem problem = one_contact(1, 1, {-1, 3, 0}, 1);
  const Quality quality = judge(problem, {std::nan(""), 0, 0});
  EXPECT_FALSE(quality.error <= 1e300);
  EXPECT_FALSE(quality.violation <= 1e300);

  // Among a thousand contacts without one, too.
  test::RandomProblems random(78);
  const ContactProblem many = random.rigid(300, 1000, 2);
  for (const std::size_t i : {0, 1501, 2999}) {
    Vector x(many.size(), 0.1);
    x[i] = std::nan("");
    EXPECT_FALSE(judge(many, x).violation <= 1e300) << i;
  }
}

TEST(Quality, IsZeroOrInfiniteWhenThereIsNothingToDo) {
  const ContactProblem problem = one_contact(1, 1, {1, 0, 0}, 1);
  EXPECT_EQ(0, judge(problem, {0, 0, 0}).error);
  EXPECT_EQ(std::numeric_limits<double>::infinity(), judge(problem, {1, 0, 0}).error);
}

TEST(Quality, TakesRoundingForNothing) {
  // A body that slides along what it touches approaches it by a rounding error.
  const ContactProblem problem = one_contact(1, 1, {-1e-16, 5, 0}, 0.3);
  EXPECT_EQ(0, judge(problem, {0, 0, 0}).error);
  EXPECT_EQ(std::numeric_limits<double>::infinity(), judge(problem, {1e-3, 0, 0}).error);
  EXPECT_NEAR(1, judge(one_contact(1, 1, {-1e-12, 5, 0}, 0.3), {0, 0, 0}).error, 1e-2);
}

TEST(Quality, CountsEqualityRows) {
  // One contact and one row, uncoupled: W = 1, R = 4, s = 8. The row's error is rho y = y / 4.
  LocalModel model;
  model.W = from_triplets(3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}});
  model.q = {-1, 0, 0};
  model.V = zero_matrix(3, 1);
  model.R = from_triplets(1, 1, {{0, 0, 4}});
  model.s = {8};
  ContactProblem problem;
  problem.mu = {0.5};
  problem.model = model;
  EXPECT_NEAR(0, judge(problem, {1, 0, 0, -2}).error, 1e-15);
  // F = (-1, 0, 0 | rho y = 2) at zero: |F|_E² = 1 + 4 * 4.
  const Quality half = judge(problem, {1, 0, 0, 0});
  EXPECT_DOUBLE_EQ(4 / std::sqrt(17.0), half.error);
  EXPECT_DOUBLE_EQ(8, half.violation);

  // A row that may only push (lower bound 0) is content with y = 8 > 0 at l = 0.
  problem.row_lower = {0};
  problem.row_upper = {std::numeric_limits<double>::infinity()};
  EXPECT_NEAR(0, judge(problem, {1, 0, 0, 0}).error, 1e-15);
  // A motor of strength 1 gives all it has.
  problem.row_lower = {-1};
  problem.row_upper = {1};
  EXPECT_NEAR(0, judge(problem, {1, 0, 0, -1}).error, 1e-15);
}

TEST(Quality, TreatsFixedBoundsAsTresca) {
  // Cylinder of radius mu * estimate = 0.5 * 2: sliding with r_t = -1 although mu r_n would
  // allow 1.5.
  ContactProblem problem = one_contact(1, 1, {-3, 4, 0}, 0.5);
  problem.friction = {FrictionKind::cylinder};
  problem.normal_estimate = {2};
  for (Law law : {Law::associated, Law::coulomb}) {
    problem.law = law;
    const Quality quality = judge(problem, {3, -1, 0});
    EXPECT_NEAR(0, quality.error, 1e-15);
    EXPECT_NEAR(0, quality.complementarity, 1e-15);
  }
}

struct Reference {
  const char* file;
  double error_fclib, violation;
};

TEST(Quality, AgreesWithTheReferenceOnTheCorpus) {
  if (!test::has_corpus()) GTEST_SKIP() << test::no_corpus();
  for (const Reference& reference :
       {Reference{"chrono/A1000_mu25.hdf5", 2.480859130e-3, 1.013062709e-2},
        Reference{"local/Capsules-i125-1213.hdf5", 1.579881543e-2, 5.815427215e-2}}) {
    const ContactProblem problem = read_fclib((test::corpus() / reference.file).string()).problem;
    const Quality quality = judge(problem, Vector(problem.size(), 0.0));
    EXPECT_DOUBLE_EQ(1, quality.error) << reference.file;
    EXPECT_NEAR(reference.error_fclib, quality.error_fclib, 1e-9 * reference.error_fclib);
    EXPECT_NEAR(reference.violation, quality.violation, 1e-9 * reference.violation);
  }
}

TEST(Quality, IsNeverBetterThanItsResolution) {
  // A ball of 1 kg between a floor and a plate that comes down with 1 m/s: any pair of equal
  // impulses leaves it at rest, and one of them violated by 1 m/s.
  ContactProblem problem;
  RigidModel model;
  model.inverse_mass.resize(2);
  model.inverse_mass[0].mass = 1;
  model.inverse_mass[0].inertia[0] = model.inverse_mass[0].inertia[3] =
      model.inverse_mass[0].inertia[5] = 2.5;
  model.free_velocity.assign(12, 0.0);
  model.free_velocity[8] = -1;
  const Vec3 up{0, 0, 1}, x{1, 0, 0};
  model.contact_bodies = {{-1, 0}, {0, 1}};
  model.contacts = {{up, x, up, -1.0 * up}, {up, x, up, -1.0 * up}};
  model.w.assign(6, 0.0);
  problem.mu = {0.3, 0.3};
  problem.model = model;
  for (const double size : {1.0, 1e4, 1e8, 1e12, 1e16, 1e18}) {
    const Quality quality = judge(problem, {size, 0, 0, size, 0, 0});
    // 1/rho is 8/3 for both contacts, and only the plate approaches.
    EXPECT_NEAR(size * 0x1p-52 * std::sqrt(2.0) * 8 / 3, quality.resolution,
                1e-6 * quality.resolution);
    EXPECT_GE(quality.error, quality.resolution);
    EXPECT_GT(quality.error, 0.9) << size;
  }
}

TEST(Quality, SeesVelocitiesBelowTheRoundingOfTheProduct) {
  // Equal impulses of 1e7 N s on a body of 1e-3 kg: in double the velocity N x is a sum of terms of
  // 1e10 m/s, with a rounding of 1e-6 m/s.
  ContactProblem problem;
  LocalModel local;
  const double inverse_mass = 1000.0 / 3;
  std::vector<Triplet> w;
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) w.push_back({i, j, (i == j ? 1 : -0.5) * inverse_mass});
  problem.dimension = 1;
  problem.mu.assign(3, 0.0);
  local.W = from_triplets(3, 3, w);
  local.q = {-1, -1, 2};
  problem.model = local;
  const double large = 0x1p23;
  Vector answer{large + 0x1p-9, large + 0x1p-9, large};
  const auto plain = test::plain_error(problem, answer);
  ASSERT_TRUE(plain);
  const Quality quality = judge(problem, answer);
  EXPECT_NEAR(*plain, quality.error, 1e-3 * *plain);
}

} // namespace
} // namespace talus
