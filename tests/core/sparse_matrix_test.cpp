#include "talus/core/error.h"
#include "talus/core/small_matrix.h"
#include "talus/core/sparse_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace talus {
namespace {

TEST(SparseMatrix, SortsAndAddsTriplets) {
  const SparseMatrix a = from_triplets(2, 3, {{1, 2, 5}, {0, 1, 1}, {1, 0, 2}, {0, 1, 3}});
  EXPECT_EQ(3, a.nonzeros());
  EXPECT_EQ(4, entry(a, 0, 1));
  EXPECT_EQ(2, entry(a, 1, 0));
  EXPECT_EQ(5, entry(a, 1, 2));
  EXPECT_EQ(0, entry(a, 0, 0));
}

TEST(SparseMatrix, RejectsEntriesOutside) {
  EXPECT_THROW(from_triplets(2, 2, {{2, 0, 1}}), InvalidProblem);
  EXPECT_THROW(from_triplets(2, 2, {{0, -1, 1}}), InvalidProblem);
}

TEST(SparseMatrix, TransposesMultipliesAndJoins) {
  const SparseMatrix a = from_triplets(2, 3, {{0, 0, 1}, {0, 2, 2}, {1, 1, 3}});
  const SparseMatrix t = transpose(a);
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(entry(a, i, j), entry(t, j, i));
  Vector y(2);
  multiply(a, Vector{1, 10, 100}, y);
  EXPECT_EQ(Vector({201, 30}), y);
  const SparseMatrix joined = join_columns(a, from_triplets(2, 1, {{1, 0, 7}}));
  EXPECT_EQ(4, joined.columns);
  EXPECT_EQ(7, entry(joined, 1, 3));
}

TEST(SparseMatrix, MeasuresAsymmetry) {
  EXPECT_EQ(0, asymmetry(from_triplets(2, 2, {{0, 1, 2}, {1, 0, 2}, {0, 0, 4}})));
  EXPECT_EQ(0.5, asymmetry(from_triplets(2, 2, {{0, 1, 2}, {0, 0, 4}})));
}

TEST(SparseMatrix, ComparesEveryEntryWithItsMirrorImage) {
  std::mt19937_64 random(5);
  std::uniform_int_distribution<Index> place(0, 6);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Triplet> entries;
    for (int k = 0; k < trial % 20; ++k)
      entries.push_back({place(random), place(random), number(random)});
    const SparseMatrix a = from_triplets(7, 7, std::move(entries));
    double largest = 0, difference = 0;
    for (Index i = 0; i < 7; ++i)
      for (Index j = 0; j < 7; ++j) {
        largest = std::max(largest, std::abs(entry(a, i, j)));
        difference = std::max(difference, std::abs(entry(a, i, j) - entry(a, j, i)));
      }
    EXPECT_EQ(largest > 0 ? difference / largest : 0, asymmetry(a)) << trial;
  }
}

TEST(SmallMatrix, InvertsAndSeesSingularity) {
  const double a[9] = {0, 2, 1, 1, 0, 0, 3, 0, 1};
  double inverse[9];
  ASSERT_TRUE(invert_small(a, inverse, 3));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += a[3 * i + k] * inverse[3 * k + j];
      EXPECT_NEAR(i == j, sum, 1e-15);
    }
  const double singular[4] = {1, 2, 2, 4};
  EXPECT_FALSE(invert_small(singular, inverse, 2, 1e-14));
  const double rank_two[9] = {2, 1, 0, 1, 2, 1, 3, 3, 1};
  EXPECT_FALSE(invert_small(rank_two, inverse, 3, 1e-14));
}

TEST(SmallMatrix, InvertsWhatIsNearlySingular) {
  // R diag(1, ε, ε²) Rᵀ, whose cofactors cancel.
  const double r[9] = {2. / 3, -1. / 3, 2. / 3, 2. / 3, 2. / 3, -1. / 3, -1. / 3, 2. / 3, 2. / 3};
  for (const double epsilon : {1.0, 0.1, 1e-2, 1e-3}) {
    const double size[3] = {1, epsilon, epsilon * epsilon};
    double a[9] = {}, inverse[9];
    for (int i = 0; i < 9; ++i)
      for (int k = 0; k < 3; ++k) a[i] += r[3 * (i / 3) + k] * size[k] * r[3 * (i % 3) + k];
    ASSERT_TRUE(invert_small(a, inverse, 3));
    const double condition = 1 / (epsilon * epsilon);
    for (int i = 0; i < 9; ++i) {
      double expected = 0;
      for (int k = 0; k < 3; ++k) expected += r[3 * (i / 3) + k] / size[k] * r[3 * (i % 3) + k];
      EXPECT_NEAR(expected, inverse[i], 1e-15 * condition * condition) << epsilon;
    }
  }
}

} // namespace
} // namespace talus
