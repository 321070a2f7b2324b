// N x in extended precision against the operators in double.

#include "support/random_models.h"
#include "support/random_problems.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/delassus/delassus.h"
#include "talus/problem/delassus/extended_product.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

void expect_same_product(const ContactProblem& problem, const Vector& x) {
  const auto n = make_operator(problem);
  Vector plain(problem.size()), extended(problem.size());
  n->apply(x, plain);
  extended_product(problem, x, extended);
  EXPECT_LE(distance(plain, extended), 1e-13 * (1 + norm(plain)));
}

TEST(ExtendedProduct, IsTheProductOfTheOperator) {
  test::RandomProblems models(1);
  test::Random random(2);
  for (int k = 0; k < 20; ++k) {
    ContactProblem rigid = test::random_rigid_problem(random, {.rows = k % 3});
    if (k % 2 == 0) rigid.compliance.assign(rigid.size(), 0.1);
    const ContactProblem global = [&] {
      ContactProblem converted = rigid;
      converted.model = to_global(rigid);
      return converted;
    }();
    const ContactProblem local = models.local(1 + k % 3, 5, k % 2);
    expect_same_product(rigid, models.vector(rigid.size()));
    expect_same_product(global, models.vector(global.size()));
    expect_same_product(local, models.vector(local.size()));
  }
}

TEST(ExtendedProduct, SeesWhatIsLeftOfLargeImpulses) {
  // Two contacts press a ball from both sides, one harder by one part in 2^50.
  ContactProblem problem;
  RigidModel model;
  model.inverse_mass.resize(1);
  model.inverse_mass[0].mass = 1.0 / 3;
  model.free_velocity.assign(6, 0.0);
  const Vec3 up{0, 0, 1}, along{1, 0, 0};
  model.contact_bodies = {{-1, 0}, {0, -1}};
  model.contacts = {{up, along, {}, {}}, {up, along, {}, {}}};
  model.w.assign(6, 0.0);
  problem.mu = {0, 0};
  problem.model = model;
  const double large = 0x1p50;
  Vector y(6);
  extended_product(problem, Vector{large + 1, 0, 0, large, 0, 0}, y);
  EXPECT_DOUBLE_EQ(1.0 / 3, y[0]);
  EXPECT_DOUBLE_EQ(-1.0 / 3, y[3]);
}

} // namespace
} // namespace talus
