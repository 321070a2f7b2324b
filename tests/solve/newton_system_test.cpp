// The linear systems of Newton and interior-point methods, in every space.

#include "solve/feasible_problems.h"
#include "solve/system_residual.h"
#include "talus/core/error.h"
#include "talus/core/small_matrix.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/natural_map.h"
#include "talus/solve/newton/newton_system.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace talus {
namespace {

using test::FeasibleProblems;
using test::ProblemTraits;
using test::relative_residual;

/// C = I - J + ε K, K = J T with random symmetric 0 <= J <= 1, some of them 0, and a random tilt.
void random_blocks(test::RandomProblems& random, const ScaledProblem& problem, bool tilted,
                   Vector& c, Vector& k) {
  const double epsilon = 0.01;
  const int d = problem.dimension();
  c.assign(block_diagonal_size(problem), 0.0);
  k = c;
  for (Index contact = 0; contact < problem.contacts(); ++contact) {
    if (random.number(0, 1) < 0.3) {
      for (int i = 0; i < d; ++i) c[d * d * contact + (d + 1) * i] = 1;
      continue;
    }
    const Vector e = random.vector(d);
    const double length = norm(e), size = random.number(0, 1);
    const Vector g = random.vector(d);
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) {
        const double outer = size * e[i] * e[j] / (length * length);
        const double first = size * e[i] * e[0] / (length * length);
        const double kij = outer + (tilted && j > 0 ? first * g[j] : 0.0);
        k[d * d * contact + d * i + j] = kij;
        c[d * d * contact + d * i + j] = (i == j) - outer + epsilon * kij;
      }
  }
  for (Index j = 0; j < problem.equalities(); ++j) {
    const bool inside = random.number(0, 1) < 0.7;
    k[d * d * problem.contacts() + j] = inside ? 1 : 0;
    c[d * d * problem.contacts() + j] = inside ? epsilon : 1;
  }
}

TEST(NewtonSystem, SolvesTheSameSystemInEverySpace) {
  FeasibleProblems problems(3);
  test::RandomProblems random(4);
  for (int trial = 0; trial < 60; ++trial) {
    ProblemTraits traits;
    traits.dimension = 1 + trial % 3;
    traits.body_structure = traits.dimension == 3 && trial % 2 == 0;
    traits.contacts = 10;
    traits.equalities = trial % 4 == 0 ? 3 : 0;
    ContactProblem problem = problems.make(traits);
    if (trial % 5 == 0) problem.compliance = random.vector(problem.size(), 0, 1);
    const auto n = make_operator(problem);
    const ScaledProblem scaled(problem, *n);
    for (const NewtonSpace space : {NewtonSpace::dense, NewtonSpace::contact, NewtonSpace::body}) {
      NewtonSystem system(scaled, space);
      // Repeated, so that an analysis is used again for other active blocks.
      for (int repetition = 0; repetition < 6; ++repetition) {
        Vector c, k, dz(scaled.size());
        random_blocks(random, scaled, trial % 2 == 1, c, k);
        const Vector rhs = random.vector(scaled.size());
        ASSERT_TRUE(system.solve({c, k}, rhs, dz)) << to_string(space);
        EXPECT_LT(relative_residual(scaled, c, k, rhs, dz), 1e-9)
            << to_string(space) << " trial " << trial;
      }
    }
  }
}

/// C⁻¹ block by block, C made positive definite before.
Vector make_definite(const ScaledProblem& problem, Vector& c) {
  const int d = problem.dimension();
  Vector inverse(c.size());
  const auto treat = [&](std::size_t entry, int n) {
    double a[9], square[9] = {};
    std::copy_n(&c[entry], n * n, a);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        for (int l = 0; l < n; ++l) square[n * i + j] += a[n * i + l] * a[n * j + l];
        square[n * i + j] += i == j ? 0.1 : 0.0;
      }
    std::copy_n(square, n * n, &c[entry]);
    ASSERT_TRUE(invert_small(square, &inverse[entry], n));
  };
  for (Index contact = 0; contact < problem.contacts(); ++contact)
    treat(static_cast<std::size_t>(d) * d * contact, d);
  for (Index j = 0; j < problem.equalities(); ++j)
    treat(static_cast<std::size_t>(d) * d * problem.contacts() + j, 1);
  return inverse;
}

TEST(NewtonSystem, TakesTheInverseOfCAndKnowsTheSignOfTheDeterminant) {
  FeasibleProblems problems(13);
  test::RandomProblems random(14);
  int negative = 0;
  for (int trial = 0; trial < 60; ++trial) {
    ContactProblem problem =
        problems.make({.contacts = 6, .equalities = trial % 3, .body_structure = true});
    if (trial % 4 == 0) problem.compliance = random.vector(problem.size(), 0, 1);
    const auto n = make_operator(problem);
    const ScaledProblem scaled(problem, *n);
    Vector c, k, dz(scaled.size());
    random_blocks(random, scaled, trial % 2 == 1, c, k);
    const Vector inverse = make_definite(scaled, c), rhs = random.vector(scaled.size());
    for (double& entry : k) entry *= random.number(-5, 5); // far from definite
    int expected = 0;
    for (const NewtonSpace space : {NewtonSpace::dense, NewtonSpace::contact, NewtonSpace::body}) {
      NewtonSystem system(scaled, space);
      ASSERT_TRUE(system.solve({c, k, inverse}, rhs, dz)) << to_string(space);
      EXPECT_LT(relative_residual(scaled, c, k, rhs, dz), 1e-8) << to_string(space);
      if (space == NewtonSpace::dense) expected = system.determinant_sign();
      EXPECT_EQ(expected, system.determinant_sign()) << to_string(space) << " trial " << trial;
    }
    negative += expected < 0;
  }
  EXPECT_GT(negative, 5);
  EXPECT_LT(negative, 55);
}

TEST(NewtonSystem, LooksForPivotsWhereDiagonalBlocksAreNone) {
  test::RandomProblems random(15);
  const ContactProblem problem = random.local(3, 6, 0);
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  // K = 1 and C = -N_cc but for a little: the diagonal blocks of C + K N nearly vanish.
  for (const double left : {0.0, 1e-18, 1e-9}) {
    Vector c(block_diagonal_size(scaled)), k(c.size(), 0.0);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double rho = n->rho()[i / 9];
      k[i] = i % 9 % 4 == 0 ? 1 : 0;
      c[i] = -rho * n->diagonal()[i] + left * k[i];
    }
    for (const NewtonSpace space : {NewtonSpace::automatic, NewtonSpace::contact}) {
      NewtonSystem system(scaled, space);
      for (int repetition = 0; repetition < 2; ++repetition) {
        const Vector rhs = random.vector(scaled.size());
        Vector dz(scaled.size());
        ASSERT_TRUE(repetition == 0 ? system.solve({c, k}, rhs, dz)
                                    : system.solve_again({c, k}, rhs, dz));
        EXPECT_LT(relative_residual(scaled, c, k, rhs, dz), 1e-7) << left;
      }
      NewtonSystem dense(scaled, NewtonSpace::dense);
      Vector dz(scaled.size());
      ASSERT_TRUE(dense.solve({c, k}, random.vector(scaled.size()), dz));
      EXPECT_EQ(dense.determinant_sign(), system.determinant_sign());
    }
  }
}

/// A body that is pushed off its centre. With Θ_nn = -m or nearly so, nothing is left of its mass
/// in the direction of the push, and only its spin makes the matrix regular.
TEST(NewtonSystem, LooksForPivotsInTheBodySpace) {
  ContactProblem problem;
  problem.mu = {0.5};
  RigidModel model;
  const double mass = 2;
  model.inverse_mass = {{1 / mass, {1, 0, 0, 2, 0, 3}}};
  model.free_velocity.assign(6, 0.0);
  model.contact_bodies = {{-1, 0}};
  model.contacts = {{{1, 0, 0}, {0, 1, 0}, {}, {0, 0.5, 0.25}}};
  model.w.assign(3, 0.0);
  problem.model = model;
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  const double s = scaled.scale()[0];
  test::RandomProblems random(16);
  for (const double left : {0.0, 1e-16, 1e-12, 1e-4}) {
    const double c_n = -s * s / mass * (1 + left);
    const Vector c{c_n, 0, 0, 0, 1, 0, 0, 0, 1}, k{1, 0, 0, 0, 0, 0, 0, 0, 0};
    NewtonSystem body(scaled, NewtonSpace::body), dense(scaled, NewtonSpace::dense);
    for (int repetition = 0; repetition < 2; ++repetition) {
      const Vector rhs = random.vector(3);
      Vector dz(3);
      ASSERT_TRUE(repetition == 0 ? body.solve({c, k}, rhs, dz)
                                  : body.solve_again({c, k}, rhs, dz));
      EXPECT_LT(relative_residual(scaled, c, k, rhs, dz), 1e-9) << left;
      ASSERT_TRUE(dense.solve({c, k}, rhs, dz));
    }
    // det(C + K N) = det C det(M̃ + D̃ Θ D̃ᵀ) / det M̃, and det C < 0 here.
    EXPECT_EQ(dense.determinant_sign(), -body.determinant_sign()) << left;
  }
}

TEST(NewtonSystem, TakesMassesThatAreNotSymmetric) {
  test::RandomProblems random(17);
  for (int trial = 0; trial < 20; ++trial) {
    ContactProblem problem = random.global(3, 6, 17, 0);
    SparseMatrix& mass = std::get<GlobalModel>(problem.model).M;
    // A triangle, now the lower, now the upper one.
    std::vector<Triplet> triangle;
    for (Index i = 0; i < mass.rows; ++i)
      for (Index k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k)
        if (trial % 2 == 0 ? mass.column[k] <= i : mass.column[k] >= i)
          triangle.push_back({i, mass.column[k], mass.value[k]});
    mass = from_triplets(mass.rows, mass.columns, triangle);
    const auto n = make_operator(problem);
    const ScaledProblem scaled(problem, *n);
    Vector c, k, dz(scaled.size());
    random_blocks(random, scaled, true, c, k);
    const Vector rhs = random.vector(scaled.size());
    NewtonSystem system(scaled, NewtonSpace::body), dense(scaled, NewtonSpace::dense);
    ASSERT_TRUE(system.solve({c, k}, rhs, dz));
    EXPECT_LT(relative_residual(scaled, c, k, rhs, dz), 1e-9) << trial;
    ASSERT_TRUE(dense.solve({c, k}, rhs, dz));
    EXPECT_EQ(system.determinant_sign(), dense.determinant_sign()) << trial;
  }
}

TEST(NewtonSystem, NeedsNothingWhereNoContactIsActive) {
  test::RandomProblems random(18);
  const ContactProblem problem = random.rigid(4, 5, 0);
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  Vector c(block_diagonal_size(scaled), 0.0), dz(scaled.size());
  const Vector k(c.size(), 0.0), rhs = random.vector(scaled.size());
  for (std::size_t i = 0; i < c.size(); ++i)
    if (i % 9 % 4 == 0) c[i] = 2;
  NewtonSystem system(scaled, NewtonSpace::body);
  ASSERT_TRUE(system.solve({c, k}, rhs, dz));
  for (std::size_t i = 0; i < rhs.size(); ++i) EXPECT_EQ(dz[i], rhs[i] / 2);
  EXPECT_EQ(system.determinant_sign(), 1);
}

TEST(NewtonSystem, RefusesABodySpaceThatDoesNotExist) {
  test::RandomProblems random(5);
  const ContactProblem problem = random.local(3, 4, 0);
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  EXPECT_THROW(NewtonSystem(scaled, NewtonSpace::body), InvalidArgument);
}

} // namespace
} // namespace talus
