// Contacts with moments: the faces of N, the error in its own units, validation.

#include "support/plain_error.h"
#include "support/rolling_problems.h"
#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/delassus/explicit_operator.h"
#include "talus/problem/delassus/extended_product.h"
#include "talus/problem/delassus/sweep_rows.h"
#include "talus/problem/scaled/quality.h"
#include "talus/problem/scaled/scaled_problem.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::plain_error;
using test::Random;
using test::random_rolling_problem;
using test::uniform;

Vector random_vector(Random& random, Index size) {
  Vector x(size);
  for (double& v : x) v = uniform(random, -1, 1);
  return x;
}

void expect_close(ConstSpan expected, ConstSpan actual, const std::string& what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  EXPECT_LE(distance(expected, actual), 1e-12 * std::max(norm(expected), 1e-300)) << what;
}

/// The same problem in every model and dimension.
std::vector<ContactProblem> all_models(Random& random) {
  const ContactProblem rigid =
      random_rolling_problem(random, {.bodies = 4, .contacts = 6, .rows = 2});
  ContactProblem global = rigid, local = rigid;
  global.model = to_global(rigid);
  local.model = eliminate_velocities(to_global(rigid));
  ContactProblem five = test::without_spinning(rigid), five_local = five;
  five_local.model = eliminate_velocities(std::get<GlobalModel>(five.model));
  ContactProblem planar = test::planar_rolling_problem(random), planar_local = planar;
  planar_local.model = eliminate_velocities(std::get<GlobalModel>(planar.model));
  std::vector<ContactProblem> problems = {rigid,      global, local,       five,
                                          five_local, planar, planar_local};
  const std::size_t plain = problems.size();
  for (std::size_t i = 0; i < plain; ++i) {
    problems.push_back(problems[i]);
    problems.back().compliance.assign(problems[i].size(), 0.05);
  }
  return problems;
}

TEST(RollingOperator, FacesAgree) {
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    ContactProblem rigid = random_rolling_problem(random, {.bodies = 4, .contacts = 6, .rows = 2});
    if (trial % 2 == 1) rigid.compliance.assign(rigid.size(), 0.1);
    ContactProblem global = rigid;
    global.model = to_global(rigid);
    std::vector<std::unique_ptr<DelassusOperator>> faces;
    faces.push_back(make_operator(rigid));
    faces.push_back(make_operator(rigid, OperatorStorage::explicit_matrix));
    faces.push_back(make_operator(global, OperatorStorage::sparse));
    faces.push_back(make_operator(global, OperatorStorage::explicit_matrix));
    const Vector x = random_vector(random, rigid.size());
    Vector expected(rigid.size()), velocity(faces[0]->dofs());
    faces[0]->apply(x, expected);
    for (const auto& face : faces) {
      Vector y(rigid.size());
      face->apply(x, y);
      expect_close(expected, y, face->face());
      expect_close(faces[0]->free_velocity(), face->free_velocity(), face->face());
      expect_close(faces[0]->diagonal(), face->diagonal(), face->face());
      expect_close(faces[0]->lengths(), face->lengths(), face->face());
      expect_close(faces[0]->rho(), face->rho(), face->face());
      // The sparse matrix and the rows of a sweep are those of the same operator.
      Vector by_matrix(rigid.size());
      multiply(face->matrix(), x, by_matrix);
      expect_close(expected, by_matrix, face->face());
      SweepRows rows = face->rows();
      std::visit(
          [&](auto& concrete) {
            constexpr int d = std::decay_t<decltype(concrete)>::dimension;
            concrete.reset(x);
            double u[6];
            for (Index c = 0; c < rigid.contacts(); ++c) {
              concrete.velocity(c, u);
              for (int i = 0; i < d; ++i)
                EXPECT_NEAR(u[i], expected[d * c + i] + face->free_velocity()[d * c + i], 1e-12);
            }
          },
          rows);
    }
  }
}

// In physical units N is that of the formulas: moments divided by ℓ in, angular velocities divided
// by ℓ out.
TEST(RollingOperator, IsThePhysicalOneMeasuredInItsLengths) {
  Random random(12);
  for (const ContactProblem& problem : all_models(random)) {
    const auto n = make_operator(problem);
    const Vector x = random_vector(random, problem.size());
    Vector measured = x, y(problem.size()), expected(problem.size());
    n->measure_moments(measured);
    n->apply(measured, y);
    n->restore_rotations(y);
    extended_product(problem, x, expected);
    expect_close(expected, y, n->face());
    for (Index c = 0; c < problem.contacts(); ++c) {
      const int d = problem.dimension;
      const double* block = &n->diagonal()[static_cast<std::size_t>(d) * d * c];
      double impulses = 0, moments = 0;
      const int first = test::plain_impulses(problem);
      for (int i = 0; i < d; ++i) (i < first ? impulses : moments) += block[(d + 1) * i];
      EXPECT_NEAR(impulses / first, moments / (d - first), 1e-12 * impulses) << "equally large";
    }
  }
}

TEST(RollingError, IsThatOfTheDefinition) {
  Random random(13);
  for (ContactProblem& problem : all_models(random))
    for (const Law law : {Law::coulomb, Law::associated}) {
      problem.law = law;
      validate(problem);
      const auto n = make_operator(problem);
      for (const double size : {0.0, 0.01, 1.0, 100.0}) {
        Vector x = random_vector(random, problem.size());
        for (double& v : x) v *= size;
        const auto expected = plain_error(problem, x);
        ASSERT_TRUE(expected);
        EXPECT_NEAR(judge(problem, *n, x).error, *expected, 1e-11 * (1 + *expected))
            << n->face() << ", dimension " << problem.dimension;
      }
    }
}

/// The same problem with lengths in other units: `factor` new ones are a metre.
ContactProblem in_other_units(const ContactProblem& problem, double factor) {
  ContactProblem result = problem;
  auto& model = std::get<LocalModel>(result.model);
  const int d = problem.dimension;
  // r' = factor r, m' = factor² m; u' = factor u, ω' = ω.
  const int first = test::plain_impulses(problem);
  const auto impulse = [&](Index i) { return i % d < first ? factor : factor * factor; };
  const auto velocity = [&](Index i) { return i % d < first ? factor : 1.0; };
  for (Index i = 0; i < model.W.rows; ++i) {
    for (Index k = model.W.row_start[i]; k < model.W.row_start[i + 1]; ++k)
      model.W.value[k] *= velocity(i) / impulse(model.W.column[k]);
    model.q[i] *= velocity(i);
  }
  for (double& length : result.rolling) length *= factor;
  for (double& length : result.spinning) length *= factor;
  return result;
}

TEST(RollingError, DoesNotDependOnUnits) {
  Random random(14);
  for (int trial = 0; trial < 10; ++trial) {
    ContactProblem metres =
        trial % 2 == 0 ? random_rolling_problem(random) : test::planar_rolling_problem(random);
    metres.model = eliminate_velocities(to_global(metres));
    const int d = metres.dimension, first = test::plain_impulses(metres);
    const ContactProblem millimetres = in_other_units(metres, 1000);
    const Vector x = random_vector(random, metres.size());
    Vector scaled = x;
    for (std::size_t i = 0; i < x.size(); ++i)
      scaled[i] *= static_cast<int>(i) % d < first ? 1e3 : 1e6;
    const Quality a = judge(metres, *make_operator(metres), x);
    const Quality b = judge(millimetres, *make_operator(millimetres), scaled);
    EXPECT_NEAR(a.error, b.error, 1e-12 * a.error);
    EXPECT_NEAR(1000 * a.violation, b.violation, 1e-11 * b.violation);
    EXPECT_NEAR(a.dual, b.dual, 1e-12 * a.dual);
  }
}

TEST(RollingError, HasTheFclibMeasureInPhysicalUnits) {
  // One contact, W = I: e = |r - P(r - û)| / max(|q|, |r|, |u|).
  ContactProblem problem;
  problem.dimension = 5;
  problem.friction = {FrictionKind::rolling};
  problem.law = Law::associated;
  problem.mu = {0.5};
  problem.rolling = {0.25};
  LocalModel model;
  std::vector<Triplet> entries;
  const double diagonal[5] = {1, 1, 1, 4, 4}; // ℓ = 1/2
  for (Index i = 0; i < 5; ++i) entries.push_back({i, i, diagonal[i]});
  model.W = from_triplets(5, 5, std::move(entries));
  model.q = {-1, 0, 0, 0, 0};
  problem.model = model;
  const Vector x = {0.5, 0, 0, 0.1, 0};
  // u = (-0.5, 0, 0, 0.4, 0), trial = (1, 0, 0, -0.3, 0), its projection has the height
  // (1 + 0.25 * 0.3) / (1 + 0.25²) and the moment -0.25 times it.
  const double height = 1.075 / 1.0625;
  const double residual = std::hypot(0.5 - height, 0.1 + 0.25 * height);
  const Quality quality = judge(problem, *make_operator(problem), x);
  EXPECT_NEAR(quality.error_fclib, residual / 1.0, 1e-14);
}

TEST(RollingProblem, VelocitiesAreThoseOfTheModel) {
  Random random(15);
  const ContactProblem rigid = random_rolling_problem(random);
  ContactProblem global = rigid;
  global.model = to_global(rigid);
  const Vector x = random_vector(random, rigid.size());
  const auto by_bodies = make_operator(rigid);
  const auto by_factors = make_operator(global, OperatorStorage::sparse);
  Vector a(by_bodies->dofs()), b(by_factors->dofs());
  by_bodies->generalized_velocity(x, a);
  by_factors->generalized_velocity(x, b);
  expect_close(a, b, "v");
}

TEST(RollingProblem, ContradictionsAreNamed) {
  Random random(16);
  const ContactProblem good = random_rolling_problem(random);
  const auto message = [&](auto&& spoil) {
    ContactProblem problem = good;
    spoil(problem);
    try {
      validate(problem);
    } catch (const InvalidProblem& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NO_THROW(validate(good));
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "'";
  };
  contains(message([](auto& p) { p.friction = {FrictionKind::cone}; }),
           "set of contacts with moments is rolling");
  contains(message([](auto& p) { p.dimension = 2; }), "rolling does not exist in dimension 2");
  contains(message([](auto& p) { p.dimension = 3; }), "spinning has 10 entries");
  contains(message([](auto& p) {
             p.dimension = 3;
             p.spinning.clear();
             auto& model = std::get<RigidModel>(p.model);
             model.w.resize(3 * p.mu.size());
           }),
           "6 with rolling friction, not 3");
  contains(message([](auto& p) { p.dimension = 4; }), "the dimension is 4");
  contains(message([](auto& p) { p.rolling.pop_back(); }), "rolling has 9 entries");
  contains(message([](auto& p) { p.spinning.clear(); }), "spinning has 0 entries");
  contains(message([](auto& p) { p.rolling[3] = -1; }), "rolling[3] is -1");
}

} // namespace
} // namespace talus
