#include "support/random_problems.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/delassus/sweep_rows.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::Random;
using test::random_planar_problem;
using test::random_rigid_problem;
using test::uniform;

Vector random_vector(Random& random, Index size) {
  Vector x(size);
  for (double& v : x) v = uniform(random, -1, 1);
  return x;
}

Vector product_with(const DelassusOperator& n, const Vector& x, ConstSpan scale = {}) {
  Vector y(n.size());
  n.apply(x, y, scale);
  return y;
}

void expect_close(ConstSpan expected, ConstSpan actual, const std::string& what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  const double size = std::max(norm(expected), 1e-300);
  EXPECT_LE(distance(expected, actual), 1e-12 * size) << what;
}

/// Every face of one problem.
std::vector<std::unique_ptr<DelassusOperator>> all_faces(const ContactProblem& problem,
                                                         ContactProblem& global) {
  global = problem;
  if (std::holds_alternative<RigidModel>(problem.model)) global.model = to_global(problem);
  std::vector<std::unique_ptr<DelassusOperator>> faces;
  faces.push_back(make_operator(problem));
  faces.push_back(make_operator(global, OperatorStorage::bodies));
  faces.push_back(make_operator(global, OperatorStorage::sparse));
  faces.push_back(make_operator(global, OperatorStorage::explicit_matrix));
  return faces;
}

void expect_faces_agree(const ContactProblem& problem, Random& random) {
  ContactProblem global;
  const auto faces = all_faces(problem, global);
  const Vector x = random_vector(random, problem.size());
  Vector scale(faces[0]->blocks());
  for (double& s : scale) s = uniform(random, 0.1, 3);
  const Vector y = product_with(*faces[0], x), scaled = product_with(*faces[0], x, scale);
  for (const auto& face : faces) {
    expect_close(y, product_with(*face, x), face->face());
    expect_close(scaled, product_with(*face, x, scale), face->face());
    expect_close(faces[0]->free_velocity(), face->free_velocity(), face->face());
    expect_close(faces[0]->diagonal(), face->diagonal(), face->face());
    expect_close(faces[0]->rho(), face->rho(), face->face());
  }
}

TEST(Delassus, FacesAgreeOnRigidBodies) {
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) expect_faces_agree(random_rigid_problem(random), random);
}

TEST(Delassus, FacesAgreeWithJointsAndCompliance) {
  Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    ContactProblem problem = random_rigid_problem(random, {.bodies = 5, .contacts = 7, .rows = 6});
    problem.compliance.resize(problem.size());
    for (double& e : problem.compliance) e = uniform(random, 0, 0.5);
    expect_faces_agree(problem, random);
  }
}

TEST(Delassus, MakesTheBlocksOfItsDiagonalOneByOne) {
  Random random(9);
  ContactProblem problem = random_rigid_problem(random, {.bodies = 5, .contacts = 7, .rows = 6});
  problem.compliance = random_vector(random, problem.size());
  for (double& e : problem.compliance) e = std::abs(e);
  ContactProblem global;
  for (const auto& face : all_faces(problem, global)) {
    Vector blocks(9 * problem.contacts() + problem.equalities());
    for (Index c = 0; c < problem.contacts(); ++c) face->diagonal_block(c, &blocks[9 * c]);
    for (Index j = 0; j < problem.equalities(); ++j)
      face->diagonal_block(problem.contacts() + j, &blocks[9 * problem.contacts() + j]);
    expect_close(face->diagonal(), blocks, face->face());
  }
}

TEST(Delassus, FacesAgreeInThePlane) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial)
    expect_faces_agree(random_planar_problem(random), random);
}

TEST(Delassus, IsSymmetricAndPositiveSemidefinite) {
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const ContactProblem problem = random_rigid_problem(random, {.rows = 4});
    const auto n = make_operator(problem);
    const Vector x = random_vector(random, n->size()), y = random_vector(random, n->size());
    EXPECT_NEAR(dot(x, product_with(*n, y)), dot(y, product_with(*n, x)),
                1e-12 * norm(product_with(*n, x)) * norm(y));
    EXPECT_GE(dot(x, product_with(*n, x)), 0);
  }
}

TEST(Delassus, KnowsASphereOnTheGround) {
  // Mass 2, radius 0.5, solid sphere: I = 2/5 m r². At the contact W = diag(1/m, 1/m + r²/I, 1/m +
  // r²/I).
  RigidModel model;
  model.inverse_mass = {{0.5, {5.0, 0, 0, 5.0, 0, 5.0}}};
  model.free_velocity = {1, 0, -3, 0, 2, 0};
  model.contact_bodies = {{-1, 0}};
  model.contacts = {{{0, 0, 1}, {1, 0, 0}, {}, {0, 0, -0.5}}};
  model.w = {0.25, 0, 0};
  ContactProblem problem;
  problem.mu = {0.3};
  problem.model = model;
  const auto n = make_operator(problem);
  expect_close(Vector{0.5, 0, 0, 0, 1.75, 0, 0, 0, 1.75}, n->diagonal(), "diagonal");
  // u_t = v_x + (ω x arm)_x = 1 + 2 * (-0.5).
  expect_close(Vector{-2.75, 0, 0}, n->free_velocity(), "free velocity");
  EXPECT_DOUBLE_EQ(3 / 4.0, n->rho()[0]);
}

/// The state of the rows is that of x, however it came about.
template <class Rows>
void expect_rows_at(const Rows& rows, const DelassusOperator& n, const Vector& x) {
  constexpr int d = Rows::dimension;
  Vector expected = product_with(n, x), actual(n.size());
  axpy(1.0, n.free_velocity(), expected);
  for (Index c = 0; c < n.contacts(); ++c) rows.velocity(c, &actual[d * c]);
  for (Index j = 0; j < n.equalities(); ++j) actual[d * n.contacts() + j] = rows.row_velocity(j);
  expect_close(expected, actual, n.face());
}

TEST(Delassus, RowsFollowTheOperator) {
  Random random(5);
  for (int trial = 0; trial < 30; ++trial) {
    ContactProblem problem = random_rigid_problem(random, {.bodies = 4, .contacts = 6, .rows = 3});
    problem.compliance.assign(problem.size(), 0.1);
    ContactProblem global;
    for (const auto& n : all_faces(problem, global)) {
      Vector x = random_vector(random, n->size());
      SweepRows rows = n->rows();
      std::visit(
          [&](auto& r) {
            constexpr int d = std::decay_t<decltype(r)>::dimension;
            r.reset(x);
            const double step[6] = {0.3, -0.2, 0.7};
            r.add(2, step);
            r.row_add(1, -0.4);
            for (int i = 0; i < d; ++i) x[d * 2 + i] += step[i];
            x[d * 6 + 1] -= 0.4;
            expect_rows_at(r, *n, x);
          },
          rows);
    }
  }
}

TEST(Delassus, RowsExtrapolateWithoutAProduct) {
  Random random(8);
  for (int trial = 0; trial < 10; ++trial) {
    ContactProblem problem = random_rigid_problem(random, {.bodies = 4, .contacts = 6, .rows = 3});
    problem.compliance.assign(problem.size(), 0.1);
    ContactProblem global;
    for (const auto& n : all_faces(problem, global)) {
      Vector x = random_vector(random, n->size()), direction(n->size(), 0.0);
      std::optional<SweepRows> kept;
      for (int solve = 0; solve < 2; ++solve)
        std::visit(
            [&](auto& rows) {
              rows.reset(x);
              for (const double beta : {0.0, 0.4, 0.9, 0.0, 0.2}) {
                const Vector marked = x;
                rows.mark();
                const Vector step = random_vector(random, 3);
                rows.add(4, step.data());
                rows.row_add(2, step[0]);
                axpy(1.0, step, Span(x).subspan(3 * 4, 3));
                x[3 * 6 + 2] += step[0];
                for (Index i = 0; i < n->size(); ++i)
                  direction[i] = x[i] - marked[i] + beta * direction[i];
                for (Index i = 0; i < n->size(); ++i) x[i] = marked[i] + direction[i];
                rows.extrapolate(beta, x);
                expect_rows_at(rows, *n, x);
              }
            },
            renew(kept, n->rows()));
    }
  }
}

TEST(Delassus, DerivesTheGeneralizedVelocity) {
  Random random(6);
  const ContactProblem problem = random_rigid_problem(random, {.rows = 3});
  ContactProblem global;
  const auto faces = all_faces(problem, global);
  const Vector x = random_vector(random, problem.size());
  Vector v(faces[0]->dofs()), w(faces[0]->dofs());
  faces[0]->generalized_velocity(x, v);
  for (int face : {1, 2}) {
    faces[face]->generalized_velocity(x, w);
    expect_close(v, w, faces[face]->face());
  }
  EXPECT_EQ(0, faces[3]->dofs());
}

TEST(Delassus, BitsDoNotDependOnThreads) {
  Random random(7);
  const ContactProblem problem = random_rigid_problem(random, {.bodies = 3000, .contacts = 12000});
  const auto n = make_operator(problem);
  const Vector x = random_vector(random, n->size());
  Vector one(n->size()), two(n->size());
  with_threads(1, [&] { n->apply(x, one); });
  with_threads(2, [&] { n->apply(x, two); });
  EXPECT_EQ(one, two);
}

TEST(Delassus, TakesPrescribedMotionFromBodiesWithoutInverseMass) {
  Random random(8);
  ContactProblem problem = random_rigid_problem(random, {.bodies = 4, .contacts = 8});
  std::get<RigidModel>(problem.model).inverse_mass[1] = {};
  // Contacts between two immovable bodies are no contacts; there must be none left for the
  // operator.
  for (BodyPair& pair : std::get<RigidModel>(problem.model).contact_bodies)
    if (pair.b == 1 && pair.a < 0) pair.a = 0;
  expect_faces_agree(problem, random);
}

TEST(Delassus, RefusesContactsThatMoveNothing) {
  RigidModel model;
  model.inverse_mass = {{}};
  model.free_velocity.assign(6, 0.0);
  model.contact_bodies = {{-1, 0}};
  model.contacts = {{{0, 0, 1}, {1, 0, 0}, {}, {}}};
  model.w = {0, 0, 0};
  ContactProblem problem;
  problem.mu = {0.3};
  problem.model = model;
  EXPECT_THROW(make_operator(problem), InvalidProblem);
}

TEST(Delassus, RefusesASingularMassMatrix) {
  ContactProblem problem;
  problem.mu = {0.3};
  GlobalModel model;
  model.M = from_triplets(3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 0}});
  model.H = from_triplets(3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}});
  model.f = model.w = {0, 0, 0};
  problem.model = model;
  EXPECT_THROW(make_operator(problem), InvalidProblem);
}

TEST(Delassus, RefusesFacesThatDoNotExist) {
  ContactProblem problem;
  problem.mu = {0.1};
  LocalModel model;
  model.W = from_triplets(3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}});
  model.q = {-1, 0, 0};
  problem.model = model;
  EXPECT_THROW(make_operator(problem, OperatorStorage::bodies), InvalidProblem);
  EXPECT_THROW(make_operator(problem, OperatorStorage::sparse), InvalidProblem);
}

} // namespace
} // namespace talus
