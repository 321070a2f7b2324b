#include "support/random_geometry.h"
#include "talus/solve/joint_eliminating_solver.h"
#include "talus/solve/registry.h"

#include <gtest/gtest.h>

#include <limits>

namespace talus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using test::RandomGeometry;

struct Mechanism {
  ContactProblem problem;
  RigidModel& model() { return std::get<RigidModel>(problem.model); }

  void add_contact(RandomGeometry& random, Index a, Index b) {
    const Vec3 normal = random.direction();
    model().contact_bodies.push_back({a, b});
    model().contacts.push_back(
        {normal, orthogonal_unit(normal), random.vector(0.5), random.vector(0.5)});
    for (int k = 0; k < 3; ++k) model().w.push_back(k == 0 ? random.uniform(-0.2, 0.5) : 0);
    problem.mu.push_back(random.uniform(0, 0.8));
  }
  /// Three rows that hold a point of b on a.
  void add_ball_joint(RandomGeometry& random, Index a, Index b) {
    const Vec3 arm_a = random.vector(0.5), arm_b = random.vector(0.5);
    for (int k = 0; k < 3; ++k) {
      Vec3 d;
      d[k] = 1;
      add_row({a, b}, {-d, -cross(arm_a, d), d, cross(arm_b, d)}, random.uniform(-0.1, 0.1));
    }
  }
  void add_row(BodyPair bodies, const RigidRow& row, double b, double lower = -infinity,
               double upper = infinity) {
    model().row_bodies.push_back(bodies);
    model().rows.push_back(row);
    model().b.push_back(b);
    problem.row_lower.push_back(lower);
    problem.row_upper.push_back(upper);
  }
};

/// A chain that hangs from the world, a free body, contacts between any of them, and a limit.
Mechanism random_mechanism(std::uint64_t seed, bool limit = true) {
  RandomGeometry random(seed);
  Mechanism mechanism;
  mechanism.problem.model = RigidModel{};
  const Index links = 5, bodies = links + 2;
  for (Index i = 0; i < bodies; ++i) {
    RigidInverseMass m;
    m.mass = random.uniform(0.5, 2);
    for (const int k : {0, 3, 5}) m.inertia[k] = random.uniform(5, 20);
    mechanism.model().inverse_mass.push_back(m);
    for (int k = 0; k < 6; ++k) mechanism.model().free_velocity.push_back(random.uniform(-1, 1));
  }
  for (Index i = 0; i < links; ++i) mechanism.add_ball_joint(random, i - 1, i);
  for (int k = 0; k < 8; ++k) {
    const Index a = random.integer(-1, bodies - 2);
    mechanism.add_contact(random, a, random.integer(a + 1, bodies - 1));
  }
  if (limit) {
    const Vec3 axis = random.direction();
    mechanism.add_row({1, 2}, {{}, -axis, {}, axis}, random.uniform(-0.5, 0.5), 0, infinity);
  }
  return mechanism;
}

SolveResult solve_with_joints_eliminated(const std::string& name, const ContactProblem& problem,
                                         const SolveOptions& options) {
  JointEliminatingSolver solver(make_solver(name));
  return solve(solver, problem, options);
}

SolveOptions options() {
  SolveOptions result;
  result.tolerance = 1e-10;
  return result;
}

TEST(JointElimination, gives_the_same_velocities_as_iterating_on_all_rows) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Mechanism mechanism = random_mechanism(seed, seed % 2 == 0);
    const auto solver = make_solver("nsgs");
    const SolveResult all = solve(*solver, mechanism.problem, options());
    const SolveResult eliminated =
        solve_with_joints_eliminated("nsgs", mechanism.problem, options());
    ASSERT_EQ(eliminated.status, Status::converged) << seed << ": " << eliminated.message;
    EXPECT_LE(eliminated.quality.error, 1e-10);
    if (all.status != Status::converged) continue;
    // Coulomb's problem may have several solutions; these small ones are found alike by both.
    for (std::size_t i = 0; i < all.v.size(); ++i) {
      EXPECT_NEAR(all.v[i], eliminated.v[i], 1e-6) << seed;
    }
    EXPECT_LE(eliminated.iterations, all.iterations);
  }
}

/// The velocities that the joints alone allow.
Vector jointed_velocities(ContactProblem problem) {
  problem.mu.clear();
  RigidModel& model = std::get<RigidModel>(problem.model);
  model.contact_bodies.clear();
  model.contacts.clear();
  model.w.clear();
  return solve_with_joints_eliminated("apgd", problem, options()).v;
}

TEST(JointElimination, the_tolerance_is_that_of_the_whole) {
  // Without the joints' rows the contacts are measured against another reference: a method that
  // stops right below the tolerance there may miss it here.
  SolveOptions rough;
  rough.tolerance = 1e-4;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Mechanism mechanism = random_mechanism(seed, false);
    mechanism.model().free_velocity = jointed_velocities(mechanism.problem);
    const SolveResult result = solve_with_joints_eliminated("apgd", mechanism.problem, rough);
    ASSERT_EQ(result.status, Status::converged) << seed << ": " << result.message;
    EXPECT_LE(result.quality.error, rough.tolerance);
  }
}

/// The chain of random_mechanism() in a crowd of contacts, most of which open.
Mechanism crowded_mechanism(std::uint64_t seed) {
  Mechanism mechanism = random_mechanism(seed);
  RandomGeometry random(1000 + seed);
  const auto bodies = static_cast<Index>(mechanism.model().inverse_mass.size());
  for (int k = 0; k < 60; ++k) {
    const Index a = random.integer(-1, bodies - 2);
    mechanism.add_contact(random, a, random.integer(a + 1, bodies - 1));
    mechanism.model().w[mechanism.model().w.size() - 3] = random.uniform(0, 3);
  }
  return mechanism;
}

TEST(JointElimination, contacts_that_are_left_out_obey_the_law) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Mechanism mechanism = crowded_mechanism(seed);
    mechanism.problem.mu.assign(mechanism.problem.mu.size(), 0.0); // velocities are unique
    const SolveResult all = solve(*make_solver("nsgs"), mechanism.problem, options());
    const SolveResult eliminated =
        solve_with_joints_eliminated("nsgs", mechanism.problem, options());
    ASSERT_EQ(all.status, Status::converged) << seed;
    ASSERT_EQ(eliminated.status, Status::converged) << seed << ": " << eliminated.message;
    EXPECT_LE(eliminated.quality.error, 1e-10);
    for (std::size_t i = 0; i < all.v.size(); ++i)
      EXPECT_NEAR(all.v[i], eliminated.v[i], 1e-6) << seed;
  }
}

TEST(JointElimination, remembers_nothing_of_problems_before) {
  JointEliminatingSolver solver(make_solver("nsgs"));
  Mechanism mechanism = crowded_mechanism(4);
  mechanism.problem.mu.assign(mechanism.problem.mu.size(), 0.0);
  const auto expect_bits_of_a_new_solver = [&](const std::string& what) {
    const SolveResult again = solve(solver, mechanism.problem, options());
    const SolveResult anew = solve_with_joints_eliminated("nsgs", mechanism.problem, options());
    ASSERT_EQ(anew.status, Status::converged) << what;
    EXPECT_EQ(again.x, anew.x) << what;
    EXPECT_EQ(again.v, anew.v) << what;
  };
  expect_bits_of_a_new_solver("first");
  expect_bits_of_a_new_solver("the same");
  for (double& offset : mechanism.model().b) offset += 0.3;
  expect_bits_of_a_new_solver("other offsets of rows");
  for (double& offset : mechanism.model().w) offset -= 0.2;
  expect_bits_of_a_new_solver("other gaps");
  for (double& velocity : mechanism.model().free_velocity) velocity -= 0.2;
  expect_bits_of_a_new_solver("other velocities");
  for (RigidContact& contact : mechanism.model().contacts) contact.arm_a.x += 1e-3;
  expect_bits_of_a_new_solver("other contacts");
  for (RigidRow& row : mechanism.model().rows) row.angular_a.y += 1e-3;
  expect_bits_of_a_new_solver("other rows");
  for (RigidInverseMass& m : mechanism.model().inverse_mass) m.mass *= 1.1;
  expect_bits_of_a_new_solver("other masses");
}

TEST(JointElimination, limits_hold_without_contacts) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Mechanism mechanism = random_mechanism(seed);
    mechanism.problem.mu.clear();
    mechanism.model().contact_bodies.clear();
    mechanism.model().contacts.clear();
    mechanism.model().w.clear();
    const SolveResult result = solve_with_joints_eliminated("nsgs", mechanism.problem, options());
    ASSERT_EQ(result.status, Status::converged) << seed << ": " << result.message;
    EXPECT_GE(result.x.back(), 0);
    EXPECT_GE(result.u.back(), -1e-8);
    held += result.x.back() > 0;
  }
  EXPECT_GT(held, 0);
}

TEST(JointElimination, redundant_rows_change_nothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Mechanism once = random_mechanism(seed), twice = random_mechanism(seed);
    for (int k = 0; k < 3; ++k) {
      const BodyPair pair = twice.model().row_bodies[6 + k];
      const RigidRow row = twice.model().rows[6 + k];
      twice.add_row(pair, row, twice.model().b[6 + k]);
    }
    const SolveResult a = solve_with_joints_eliminated("nsgs", once.problem, options());
    const SolveResult b = solve_with_joints_eliminated("nsgs", twice.problem, options());
    ASSERT_EQ(b.status, Status::converged) << b.message;
    for (std::size_t i = 0; i < a.v.size(); ++i) EXPECT_NEAR(a.v[i], b.v[i], 1e-6);
  }
}

TEST(JointElimination, joints_alone_need_no_iterations) {
  Mechanism mechanism = random_mechanism(3, false);
  mechanism.problem.mu.clear();
  mechanism.model().contacts.clear();
  mechanism.model().contact_bodies.clear();
  mechanism.model().w.clear();
  const SolveResult result = solve_with_joints_eliminated("nsgs", mechanism.problem, options());
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_LT(result.quality.error, 1e-12);
}

TEST(JointElimination, a_row_between_immovable_bodies_is_left_alone) {
  Mechanism mechanism = random_mechanism(3);
  mechanism.model().inverse_mass.emplace_back();
  mechanism.model().free_velocity.resize(mechanism.model().free_velocity.size() + 6, 0.0);
  const Index fixed = static_cast<Index>(mechanism.model().inverse_mass.size()) - 1;
  mechanism.add_row({-1, fixed}, {{}, {}, {1, 0, 0}, {}}, 0);
  const SolveResult result = solve_with_joints_eliminated("nsgs", mechanism.problem, options());
  EXPECT_EQ(result.status, Status::converged) << result.message;
  EXPECT_EQ(result.x.back(), 0);
}

TEST(JointElimination, a_contact_that_joints_block_is_left_alone) {
  // A body welded to the world, with a contact that it leaves anyway.
  Mechanism mechanism;
  RandomGeometry random(1);
  mechanism.problem.model = RigidModel{};
  mechanism.model().inverse_mass.push_back({1, {2, 0, 0, 2, 0, 2}});
  mechanism.model().free_velocity = {0, 0, -1, 0, 0, 0};
  for (int k = 0; k < 6; ++k) {
    Vec3 linear, angular;
    (k < 3 ? linear[k] : angular[k - 3]) = 1;
    mechanism.add_row({-1, 0}, {{}, {}, linear, angular}, 0);
  }
  mechanism.add_contact(random, -1, 0);
  mechanism.model().w = {0.1, 0, 0};
  const SolveResult result = solve_with_joints_eliminated("nsgs", mechanism.problem, options());
  EXPECT_EQ(result.status, Status::converged) << result.message;
  for (const double v : result.v) EXPECT_NEAR(v, 0, 1e-12);
  // A contact that the joints keep closed has no solution, and that is said.
  mechanism.model().w = {-0.1, 0, 0};
  EXPECT_NE(solve_with_joints_eliminated("nsgs", mechanism.problem, options()).status,
            Status::converged);
}

TEST(JointElimination, problems_without_joints_are_solved_as_they_are) {
  Mechanism mechanism = random_mechanism(5, false);
  mechanism.model().rows.clear();
  mechanism.model().row_bodies.clear();
  mechanism.model().b.clear();
  mechanism.problem.row_lower.clear();
  mechanism.problem.row_upper.clear();
  EXPECT_FALSE(has_free_rows(mechanism.problem));
  const auto solver = make_solver("nsgs");
  EXPECT_EQ(solve_with_joints_eliminated("nsgs", mechanism.problem, options()).x,
            solve(*solver, mechanism.problem, options()).x);
}

/// As a solver like others: limits hold, memory is used again, what the inner one refuses is said.
TEST(JointElimination, is_a_solver_with_the_limits_of_others) {
  JointEliminatingSolver solver(make_solver("nsgs"));
  SolveWorkspace workspace;
  SolveResult first, again;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Mechanism mechanism = random_mechanism(seed);
    first = solve(solver, mechanism.problem, options());
    again.x.clear();
    solve(solver, mechanism.problem, options(), workspace, again);
    EXPECT_EQ(first.x, again.x) << seed;
    EXPECT_EQ(first.iterations, again.iterations) << seed;
  }
  const Mechanism mechanism = random_mechanism(4);
  SolveOptions limited = options();
  limited.max_iterations = 2;
  const SolveResult few = solve(solver, mechanism.problem, limited);
  EXPECT_EQ(few.status, Status::iteration_limit) << few.message;
  EXPECT_LE(few.iterations, 2);
  limited = options();
  limited.max_products = 3;
  const SolveResult cheap = solve(solver, mechanism.problem, limited);
  EXPECT_EQ(cheap.status, Status::product_limit) << cheap.message;
}

TEST(JointElimination, says_what_the_inner_solver_refuses) {
  const auto newton = std::shared_ptr<Solver>(make_solver("newton"));
  set_option(*newton, "space", "body"); // the reduced problem is a local model
  JointEliminatingSolver solver(newton);
  const SolveResult result = solve(solver, random_mechanism(1).problem, options());
  EXPECT_EQ(result.status, Status::unsupported);
  EXPECT_NE(result.message.find("body space"), std::string::npos) << result.message;
}

} // namespace
} // namespace talus
