#include "support/random_problems.h"
#include "talus/core/vector_ops.h"
#include "talus/problem/scaled/fused_product.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::Random;
using test::uniform;

/// A problem of more contacts than a chunk holds, with equality rows.
ContactProblem large_problem(Random& random, bool compliant) {
  test::RandomOptions options;
  options.bodies = 300;
  options.contacts = 1200;
  options.rows = 10;
  ContactProblem problem = test::random_rigid_problem(random, options);
  if (compliant) problem.compliance.assign(problem.size(), 0.01);
  return problem;
}

/// The fused product and a sum over its contacts, against a plain product.
void expect_fusion_agrees(const ContactProblem& problem, OperatorStorage face, Random& random) {
  const auto n = make_operator(problem, face);
  const ScaledProblem scaled(problem, *n);
  Vector z(n->size()), expected(n->size()), y(n->size());
  for (double& v : z) v = uniform(random, -1, 1);
  scaled.product(z, expected);
  const long before = scaled.products();
  const double sum = product_and_sum<double>(scaled, z, y, [&](Index begin, Index end) {
    double partial = 0;
    for (Index i = 3 * begin; i < 3 * end; ++i) partial += y[i];
    return partial;
  });
  EXPECT_EQ(scaled.products(), before + 1);
  EXPECT_EQ(y, expected) << n->face();
  double total = 0, size = 0;
  for (Index i = 0; i < 3 * scaled.contacts(); ++i) {
    total += expected[i];
    size += std::abs(expected[i]);
  }
  EXPECT_NEAR(sum, total, 1e-13 * size) << n->face();
}

TEST(FusedProduct, EqualsTheProductAndSumsEveryContactOnce) {
  Random random(3);
  for (const bool compliant : {false, true}) {
    const ContactProblem rigid = large_problem(random, compliant);
    expect_fusion_agrees(rigid, OperatorStorage::bodies, random);
    ContactProblem global = rigid;
    global.model = to_global(rigid);
    expect_fusion_agrees(global, OperatorStorage::bodies, random);
    expect_fusion_agrees(global, OperatorStorage::sparse, random);
    expect_fusion_agrees(global, OperatorStorage::explicit_matrix, random);
  }
}

TEST(FusedProduct, SumsAreTheSameForEveryThreadCount) {
  Random random(4);
  const ContactProblem problem = large_problem(random, false);
  const auto n = make_operator(problem);
  const ScaledProblem scaled(problem, *n);
  Vector z(n->size());
  for (double& v : z) v = uniform(random, -1, 1);
  const auto sum_with = [&](int threads) {
    return with_threads(threads, [&] {
      Vector y(n->size());
      return product_and_sum<double>(scaled, z, y, [&](Index begin, Index end) {
        return scaled.squared_residual(begin, end, z, y, true);
      });
    });
  };
  EXPECT_EQ(sum_with(1), sum_with(2));
  EXPECT_EQ(sum_with(1), sum_with(3));
}

} // namespace
} // namespace talus
