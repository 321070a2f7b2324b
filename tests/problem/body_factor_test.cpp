#include "support/random_problems.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/delassus/body_factor.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::Random;
using test::random_direction;
using test::random_planar_problem;
using test::random_rigid_problem;
using test::uniform;

void expect_square_root(const ContactProblem& problem, Random& random) {
  const auto n = make_operator(problem);
  const auto factor = body_factor(*n);
  ASSERT_TRUE(factor);
  const SparseMatrix Bt = transpose(factor->B);
  Vector x(n->size()), half(factor->B.rows), y(n->size()), expected(n->size());
  for (double& value : x) value = uniform(random, -1, 1);
  multiply(factor->B, x, half);
  multiply(Bt, half, y);
  n->apply(x, expected);
  EXPECT_LT(distance(y, expected), 1e-12 * norm(expected));
}

TEST(BodyFactor, SquaresToTheDelassusOperator) {
  Random random(71);
  for (int trial = 0; trial < 6; ++trial)
    expect_square_root(trial % 2 == 0
                           ? random_rigid_problem(random, {.bodies = 5, .contacts = 9, .rows = 3})
                           : random_planar_problem(random),
                       random);
}

TEST(BodyFactor, KeepsTheTranslationsOfTinyBodies) {
  Random random(74);
  constexpr double size = 1e-9; // m; inverse inertias are 1e18 times those of a body of 1 m
  ContactProblem problem = random_rigid_problem(random, {.bodies = 5, .contacts = 9});
  auto& model = std::get<RigidModel>(problem.model);
  for (RigidInverseMass& m : model.inverse_mass)
    for (double& entry : m.inertia) entry /= size * size;
  for (RigidContact& contact : model.contacts) {
    contact.arm_a *= size;
    contact.arm_b *= size;
  }
  expect_square_root(problem, random);
}

TEST(BodyFactor, IsMissingWithoutBodies) {
  Random random(72);
  const ContactProblem problem = random_rigid_problem(random);
  EXPECT_FALSE(body_factor(*make_operator(problem, OperatorStorage::explicit_matrix)));
}

/// Convex bodies in contact: a chain of spheres of random radius, closed to a loop by none.
ContactProblem sphere_chain(Random& random, Index bodies) {
  ContactProblem problem;
  RigidModel model;
  for (Index body = 0; body < bodies; ++body) {
    model.inverse_mass.push_back({1, {1, 0.1, 0, 1, 0.2, 1}});
    model.free_velocity.insert(model.free_velocity.end(), 6, 0.0);
    if (body == 0) continue;
    const Vec3 normal = random_direction(random);
    model.contact_bodies.push_back({body - 1, body});
    model.contacts.push_back({normal, orthogonal_unit(normal), uniform(random, 0.5, 2) * normal,
                              -uniform(random, 0.5, 2) * normal});
    model.w.insert(model.w.end(), {0, 0, 0});
    problem.mu.push_back(0.5);
  }
  problem.model = model;
  return problem;
}

TEST(BodyFactor, RigidModesLeaveContactsAtRest) {
  Random random(73);
  for (const OperatorStorage face : {OperatorStorage::automatic, OperatorStorage::bodies}) {
    const ContactProblem rigid = sphere_chain(random, 12);
    ContactProblem global = rigid;
    global.model = to_global(rigid);
    for (const ContactProblem* problem :
         std::initializer_list<const ContactProblem*>{&rigid, &global}) {
      const auto n = make_operator(*problem, face);
      const auto factor = body_factor(*n);
      ASSERT_TRUE(factor);
      const auto modes = rigid_modes(*factor);
      ASSERT_EQ(6u, modes.size());
      for (const Vector& mode : modes) {
        ASSERT_GT(norm(mode), 1);
        for (std::size_t c = 0; c < factor->pairs.size(); ++c)
          for (int j = 0; j < 3; ++j) {
            double u = 0;
            for (int side = 0; side < 2; ++side) {
              const Index body = side == 0 ? factor->pairs[c].a : factor->pairs[c].b;
              for (int i = 0; i < 6; ++i)
                u += factor->jacobian[(2 * c + side) * 18 + 3 * i + j] * mode[6 * body + i];
            }
            EXPECT_NEAR(0, u, 1e-12);
          }
      }
    }
  }
}

TEST(BodyFactor, RigidModesKnowBodyFixedAxes) {
  // The same chain with angular velocities in axes fixed to each body, as some systems write them.
  Random random(74);
  const ContactProblem rigid = sphere_chain(random, 8);
  GlobalModel model = to_global(rigid);
  std::vector<Triplet> entries;
  const SparseMatrix& H = model.H;
  std::vector<Vec3> axes; // rows of the rotation into each body's frame
  for (Index body = 0; body < 8; ++body) {
    const Vec3 a = random_direction(random), b = orthogonal_unit(a);
    axes.insert(axes.end(), {a, b, cross(a, b)});
  }
  for (Index row = 0; row < H.rows; ++row)
    for (Index k = H.row_start[row]; k < H.row_start[row + 1]; ++k) {
      const Index body = row / 6;
      if (row % 6 < 3) {
        entries.push_back({row, H.column[k], H.value[k]});
        continue;
      }
      for (int i = 0; i < 3; ++i)
        entries.push_back(
            {6 * body + 3 + i, H.column[k], axes[3 * body + i][row % 6 - 3] * H.value[k]});
    }
  model.H = from_triplets(H.rows, H.columns, entries);
  ContactProblem turned = rigid;
  turned.model = model;
  const auto factor = body_factor(*make_operator(turned));
  ASSERT_TRUE(factor);
  const auto modes = rigid_modes(*factor);
  Vector u(model.H.columns);
  const SparseMatrix Ht = transpose(model.H);
  for (const Vector& mode : modes) {
    multiply(Ht, mode, u);
    EXPECT_LT(norm(u), 1e-11);
  }
}

} // namespace
} // namespace talus
