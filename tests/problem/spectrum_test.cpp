#include "talus/inspect/spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace talus {
namespace {

ContactProblem local_problem(int dimension, const std::vector<std::vector<double>>& w) {
  const Index size = static_cast<Index>(w.size());
  std::vector<Triplet> entries;
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j) entries.push_back({i, j, w[i][j]});
  ContactProblem problem;
  problem.dimension = dimension;
  problem.mu.assign(size / dimension, 0.5);
  if (dimension == 1) problem.friction.kind = FrictionKind::none;
  LocalModel model;
  model.W = from_triplets(size, size, entries);
  model.q.assign(size, -1.0);
  problem.model = model;
  return problem;
}

TEST(Spectrum, RankOfProductsOfThinMatrices) {
  std::mt19937 generator(7);
  std::normal_distribution<double> normal;
  for (const Index rank : {3, 5, 8, 12}) {
    const Index size = 12;
    std::vector<std::vector<double>> b(size, std::vector<double>(rank)),
        w(size, std::vector<double>(size, 0));
    for (auto& row : b)
      for (double& value : row) value = normal(generator);
    for (Index i = 0; i < size; ++i)
      for (Index j = 0; j < size; ++j)
        for (Index k = 0; k < rank; ++k) w[i][j] += b[i][k] * b[j][k];
    const ContactProblem problem = local_problem(3, w);
    const Spectrum spectrum = dense_spectrum(*make_operator(problem));
    EXPECT_EQ(spectrum.rank, rank);
    EXPECT_EQ(spectrum.size, size);
    EXPECT_GE(spectrum.condition, 1);
  }
}

TEST(Spectrum, KnownValuesAfterScaling) {
  // Scaling to unit diagonal gives [1 c; c 1], c = 1 / sqrt(2 * 8), with eigenvalues 1 ± c.
  const ContactProblem problem = local_problem(1, {{2, 1}, {1, 8}});
  const Spectrum spectrum = dense_spectrum(*make_operator(problem));
  EXPECT_NEAR(spectrum.largest, 1.25, 1e-14);
  EXPECT_NEAR(spectrum.smallest, 0.75, 1e-14);
  EXPECT_NEAR(spectrum.condition, 1.25 / 0.75, 1e-13);
}

TEST(Spectrum, UnsymmetricOperatorsTakeSingularValues) {
  // [1 1; 0 1] has the golden ratio and its inverse as singular values, but only 1 as eigenvalue.
  const ContactProblem problem = local_problem(1, {{1, 1}, {0, 1}});
  const Spectrum spectrum = dense_spectrum(*make_operator(problem));
  const double golden = (1 + std::sqrt(5.0)) / 2;
  EXPECT_NEAR(spectrum.largest, golden, 1e-14);
  EXPECT_NEAR(spectrum.condition, golden * golden, 1e-13);
  EXPECT_DOUBLE_EQ(given_asymmetry(problem), 1);
}

} // namespace
} // namespace talus
