// Islands: found in every model, split into problems of their own, equal to the whole.

#include "solve/solver_checks.h"
#include "support/random_problems.h"
#include "talus/solve/islands.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::Random;
using test::random_rigid_problem;
using test::run_solver;

/// Two random problems side by side, sharing an immovable body with a prescribed motion.
ContactProblem two_piles(Random& random, int rows) {
  ContactProblem a =
      random_rigid_problem(random, {.bodies = 5, .contacts = 6, .rows = rows, .mu_high = 0.5});
  const ContactProblem b =
      random_rigid_problem(random, {.bodies = 4, .contacts = 5, .rows = rows, .mu_high = 0.5});
  RigidModel& left = std::get<RigidModel>(a.model);
  const RigidModel& right = std::get<RigidModel>(b.model);
  const Index shift = static_cast<Index>(left.inverse_mass.size());
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  const auto moved = [shift](BodyPair pair) {
    if (pair.a >= 0) pair.a += shift;
    if (pair.b >= 0) pair.b += shift;
    return pair;
  };
  append(left.inverse_mass, right.inverse_mass);
  append(left.free_velocity, right.free_velocity);
  for (BodyPair pair : right.contact_bodies) left.contact_bodies.push_back(moved(pair));
  for (BodyPair pair : right.row_bodies) left.row_bodies.push_back(moved(pair));
  append(left.contacts, right.contacts);
  append(left.rows, right.rows);
  append(left.w, right.w);
  append(left.b, right.b);
  append(a.mu, b.mu);
  // The ground of both: impulses cannot move it, so it joins nothing.
  const Index ground = static_cast<Index>(left.inverse_mass.size());
  left.inverse_mass.push_back({});
  for (int i = 0; i < 6; ++i) left.free_velocity.push_back(0.1 * i);
  for (BodyPair& pair : left.contact_bodies)
    if (pair.a < 0)
      pair.a = ground;
    else if (pair.b < 0)
      pair.b = ground;
  a.friction = parse_friction_set("cone");
  return a;
}

ContactProblem as_global(const ContactProblem& rigid) {
  ContactProblem problem = rigid;
  problem.model = to_global(rigid);
  return problem;
}

ContactProblem as_local(const ContactProblem& rigid) {
  const auto n = make_operator(rigid);
  const SparseMatrix w = n->matrix();
  ContactProblem problem = rigid;
  std::vector<Triplet> entries;
  for (Index i = 0; i < w.rows; ++i)
    for (Index k = w.row_start[i]; k < w.row_start[i + 1]; ++k)
      entries.push_back({i, w.column[k], w.value[k]});
  LocalModel model;
  model.W = from_triplets(w.rows, w.columns, std::move(entries));
  model.q.assign(n->free_velocity().begin(), n->free_velocity().end());
  problem.model = std::move(model);
  return problem;
}

void expect_whole(const ContactProblem& whole) {
  const Islands islands = find_islands(whole);
  ASSERT_GE(islands.count, 2);
  ASSERT_EQ(islands.of_block.size(),
            static_cast<std::size_t>(whole.contacts() + whole.equalities()));
  const auto n = make_operator(whole);
  const auto parts = split(whole, islands, std::vector<bool>(islands.count, true));
  ASSERT_EQ(static_cast<std::size_t>(islands.count), parts.size());
  Vector x(whole.size()), u(whole.size()), again(whole.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.1 * static_cast<double>(i % 7) - 0.2;
  n->apply(x, u);
  Index seen = 0;
  for (const Island& island : parts) {
    validate(island.problem);
    const auto part = make_operator(island.problem);
    Vector part_x(part->size()), part_u(part->size());
    gather(whole, island, x, part_x);
    part->apply(part_x, part_u);
    axpy(1.0, part->free_velocity(), part_u);
    scatter(whole, island, part_u, again);
    seen += part->size();
  }
  EXPECT_EQ(whole.size(), seen);
  axpy(1.0, n->free_velocity(), u);
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], again[i], 1e-10) << i;
}

TEST(Islands, AreTheWholeInEveryModel) {
  Random random(31);
  for (int trial = 0; trial < 5; ++trial) {
    const ContactProblem rigid = two_piles(random, trial % 2 == 0 ? 0 : 2);
    expect_whole(rigid);
    expect_whole(as_global(rigid));
    if (trial % 2 == 0) expect_whole(as_local(rigid));
  }
}

TEST(Islands, ImmovableBodiesConnectNothing) {
  Random random(32);
  ContactProblem problem = two_piles(random, 0);
  const Index before = find_islands(problem).count;
  RigidModel& model = std::get<RigidModel>(problem.model);
  model.inverse_mass.back().mass = 1; // the ground moves now
  const Index after = find_islands(problem).count;
  EXPECT_LT(after, before);
}

TEST(Islands, OnlyTheWantedAreSplit) {
  Random random(33);
  const ContactProblem problem = two_piles(random, 0);
  const Islands islands = find_islands(problem);
  std::vector<bool> wanted(islands.count, false);
  wanted[1] = true;
  const auto parts = split(problem, islands, wanted);
  ASSERT_EQ(1u, parts.size());
  for (Index c : parts[0].contacts) EXPECT_EQ(1, islands.of_block[c]);
}

TEST(Islands, AutoFindsTheAnswerOfTheWhole) {
  Random random(34);
  for (int trial = 0; trial < 10; ++trial) {
    const ContactProblem problem = two_piles(random, trial % 3);
    const SolveResult apart = run_solver("auto", problem);
    const SolveResult whole = run_solver("auto", problem, {}, {{"islands", "false"}});
    test::expect_same_velocities(problem, apart, whole);
  }
}

} // namespace
} // namespace talus
