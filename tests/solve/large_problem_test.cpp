// Large problems are solved in less memory: blocks and steps in single precision, nothing kept that
// can be made again. Their answers must be as good as those of small ones.

#include "support/random_problems.h"
#include "talus/core/large_problem.h"
#include "talus/core/parallel.h"
#include "talus/solve/registry.h"
#include "talus/solve/sweeps/local_blocks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using test::Random;
using test::uniform;

/// Pairs of spheres on a floor, one on top of the other, of masses between 1 kg and the ratio.
ContactProblem many_towers(Random& random, Index towers, double mass_ratio = 4) {
  ContactProblem problem;
  problem.model = RigidModel{};
  RigidModel& model = std::get<RigidModel>(problem.model);
  for (Index k = 0; k < 2 * towers; ++k) {
    const double mass = std::pow(mass_ratio, uniform(random, 0, 1)), moment = 0.4 * mass * 0.01;
    model.inverse_mass.push_back({1 / mass, {1 / moment, 0, 0, 1 / moment, 0, 1 / moment}});
    for (int i = 0; i < 6; ++i) model.free_velocity.push_back(uniform(random, -0.1, 0.1));
    model.free_velocity[6 * k + 2] -= 0.2;
    const bool upper = k % 2 == 1;
    const Vec3 up{0, 0, 0.1};
    model.contact_bodies.push_back({upper ? k - 1 : -1, k});
    model.contacts.push_back({{0, 0, 1}, {1, 0, 0}, upper ? up : Vec3{}, -up});
    for (int i = 0; i < 3; ++i) model.w.push_back(0);
    problem.mu.push_back(uniform(random, 0.1, 0.8));
  }
  return problem;
}

constexpr Index just_large = most_contacts_kept / 2 + 1; // towers

SolveResult solved(const ContactProblem& problem, const char* name, double tolerance, int threads,
                   bool keep_history = false) {
  SolveOptions options;
  options.tolerance = tolerance;
  options.keep_history = keep_history;
  return with_threads(threads, [&] { return solve(*make_solver(name), problem, options); });
}

TEST(LargeProblem, is_solved_as_exactly_as_its_parts) {
  Random random(7);
  const ContactProblem problem = many_towers(random, just_large);
  ASSERT_TRUE(is_large(problem.contacts()));
  for (const char* name : {"ansgs", "nncg", "nsgs"}) {
    const SolveResult result = solved(problem, name, 1e-11, 1);
    EXPECT_EQ(Status::converged, result.status) << name << ": " << result.message;
    EXPECT_LE(result.quality.error, 1e-11) << name;
  }
}

TEST(LargeProblem, takes_as_many_sweeps_as_with_all_vectors) {
  Random random(8);
  const ContactProblem large = many_towers(random, just_large);
  for (const char* name : {"ansgs", "nncg"}) {
    const SolveResult rounded = solved(large, name, 1e-8, 1);
    // A history asks for the velocities of every iterate.
    const SolveResult exact = solved(large, name, 1e-8, 1, true);
    ASSERT_EQ(Status::converged, exact.status) << name;
    // Without a history not every iterate is measured.
    EXPECT_LE(rounded.iterations, exact.iterations + 4 + exact.iterations / 4) << name;
  }
}

TEST(LargeProblem, has_the_same_answer_with_any_number_of_threads) {
  Random random(9);
  const ContactProblem problem = many_towers(random, just_large);
  for (const char* name : {"ansgs", "nncg"})
    EXPECT_EQ(solved(problem, name, 1e-6, 1).x, solved(problem, name, 1e-6, 2).x) << name;
}

TEST(LargeProblem, makes_its_free_velocity_when_asked) {
  Random random(10);
  const ContactProblem problem = many_towers(random, just_large);
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  Vector expected(n->size());
  n->fill_free_velocity(expected);
  const ConstSpan q = scaled.free_velocity();
  ASSERT_EQ(expected.size(), q.size());
  for (Index i = 0; i < n->size(); ++i) ASSERT_DOUBLE_EQ(scaled.scale()[i / 3] * expected[i], q[i]);
}

TEST(LocalBlocks, of_large_problems_are_rounded_with_their_exact_inverses) {
  Random random(11);
  const ContactProblem problem = many_towers(random, just_large, 16000);
  const auto n = make_operator(problem);
  LocalBlocks blocks;
  blocks.prepare(ScaledProblem(problem, *n));
  bool rounded = false;
  for (Index c = 0; c < problem.contacts(); c += 97) {
    double block[9];
    n->diagonal_block(c, block);
    LocalContact contact;
    blocks.load<3>(c, contact);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const double exact = n->rho()[c] * block[3 * i + j];
        ASSERT_NEAR(exact, contact.A[3 * i + j], 1e-6);
        rounded |= exact != contact.A[3 * i + j];
        double product = 0;
        for (int k = 0; k < 3; ++k) product += contact.A[3 * i + k] * contact.inverse[3 * k + j];
        ASSERT_NEAR(i == j ? 1.0 : 0.0, product, 1e-13);
      }
  }
  EXPECT_TRUE(rounded);
}

TEST(LocalBlocks, that_are_badly_conditioned_stay_exact) {
  Random random(12);
  ContactProblem problem = many_towers(random, just_large);
  // One lower sphere turns easily: its contact with the floor is a million times softer sideways.
  auto& model = std::get<RigidModel>(problem.model);
  for (const int k : {0, 3, 5}) model.inverse_mass[4].inertia[k] *= 1e6;
  const auto n = make_operator(problem);
  LocalBlocks blocks;
  blocks.prepare(ScaledProblem(problem, *n));
  for (Index c = 0; c < problem.contacts(); c += 97) {
    double block[9];
    n->diagonal_block(c, block);
    LocalContact contact;
    blocks.load<3>(c, contact);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(n->rho()[c] * block[4 * i], contact.A[4 * i]);
  }
}

} // namespace
} // namespace talus
