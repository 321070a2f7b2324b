// Sparse Cholesky factors: against the matrix itself, on patterns that make wide and narrow panels,
// trees with many branches, and enough fill for nested dissection.

#include "support/random_models.h"
#include "talus/core/vector_ops.h"
#include "talus/linalg/supernodal_cholesky.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace talus {
namespace {

/// The lower triangle of a symmetric matrix in compressed columns.
struct LowerTriangle {
  std::vector<Index> start = {0}, row;
  Vector value;
  Index size() const { return static_cast<Index>(start.size()) - 1; }
};

Vector multiply(const LowerTriangle& a, const Vector& x) {
  Vector y(x.size(), 0.0);
  for (Index j = 0; j < a.size(); ++j)
    for (Index k = a.start[j]; k < a.start[j + 1]; ++k) {
      y[a.row[k]] += a.value[k] * x[j];
      if (a.row[k] != j) y[j] += a.value[k] * x[a.row[k]];
    }
  return y;
}

/// Nodes of `width` unknowns each, joined as listed; entries random, diagonally dominant, unknowns
/// numbered at random.
LowerTriangle random_matrix(test::RandomProblems& random, Index nodes, int width,
                            const std::vector<std::pair<Index, Index>>& edges) {
  const Index n = nodes * width;
  std::vector<Index> number(n);
  std::iota(number.begin(), number.end(), 0);
  for (Index i = n - 1; i > 0; --i)
    std::swap(number[i], number[static_cast<Index>(random.number(0, i + 0.999))]);
  std::vector<std::map<Index, double>> columns(n);
  Vector sums(n, 0.0);
  const auto add = [&](Index a, Index b) {
    for (int s = 0; s < width; ++s)
      for (int t = 0; t < width; ++t) {
        const Index i = number[a * width + s], j = number[b * width + t];
        if (i == j || columns[std::min(i, j)].contains(std::max(i, j))) continue;
        const double value = random.number(-1, 1);
        columns[std::min(i, j)][std::max(i, j)] = value;
        sums[i] += std::abs(value);
        sums[j] += std::abs(value);
      }
  };
  for (Index a = 0; a < nodes; ++a) add(a, a);
  for (const auto& [a, b] : edges) add(a, b);
  LowerTriangle matrix;
  for (Index j = 0; j < n; ++j) {
    columns[j][j] = sums[j] + 0.1;
    for (const auto& [i, value] : columns[j]) {
      matrix.row.push_back(i);
      matrix.value.push_back(value);
    }
    matrix.start.push_back(static_cast<Index>(matrix.row.size()));
  }
  return matrix;
}

void expect_solves(const LowerTriangle& matrix, test::RandomProblems& random) {
  SupernodalCholesky factor;
  factor.analyse(matrix.start, matrix.row);
  ASSERT_TRUE(factor.factorise(matrix.value));
  EXPECT_GE(factor.fill(), matrix.row.size());
  Vector solution(matrix.size());
  for (double& entry : solution) entry = random.number(-1, 1);
  Vector x = multiply(matrix, solution);
  factor.solve(x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], solution[i], 1e-12) << i;
}

std::vector<std::pair<Index, Index>> box_edges(Index nx, Index ny, Index nz) {
  std::vector<std::pair<Index, Index>> edges;
  const auto cell = [&](Index x, Index y, Index z) { return (z * ny + y) * nx + x; };
  for (Index z = 0; z < nz; ++z)
    for (Index y = 0; y < ny; ++y)
      for (Index x = 0; x < nx; ++x) {
        if (x + 1 < nx) edges.emplace_back(cell(x, y, z), cell(x + 1, y, z));
        if (y + 1 < ny) edges.emplace_back(cell(x, y, z), cell(x, y + 1, z));
        if (z + 1 < nz) edges.emplace_back(cell(x, y, z), cell(x, y, z + 1));
      }
  return edges;
}

TEST(SupernodalCholesky, SolvesRandomGraphs) {
  test::RandomProblems random(5);
  for (int trial = 0; trial < 60; ++trial) {
    const Index nodes = 1 + static_cast<Index>(random.number(0, 40));
    const int width = 1 + static_cast<int>(random.number(0, 6.99));
    std::vector<std::pair<Index, Index>> edges;
    const int count = static_cast<int>(random.number(0, 3.0 * nodes));
    for (int e = 0; e < count; ++e)
      edges.emplace_back(static_cast<Index>(random.number(0, nodes - 0.001)),
                         static_cast<Index>(random.number(0, nodes - 0.001)));
    expect_solves(random_matrix(random, nodes, width, edges), random);
  }
}

TEST(SupernodalCholesky, SolvesPackings) {
  test::RandomProblems random(6);
  expect_solves(random_matrix(random, 60, 1, box_edges(60, 1, 1)), random);
  expect_solves(random_matrix(random, 6 * 7 * 5, 3, box_edges(6, 7, 5)), random);
  // Dissection is tried here: 1000 flops and more per entry of L.
  expect_solves(random_matrix(random, 11 * 11 * 11, 3, box_edges(11, 11, 11)), random);
}

TEST(SupernodalCholesky, TakesNewValuesAndNewPatterns) {
  test::RandomProblems random(7);
  LowerTriangle matrix = random_matrix(random, 20, 3, box_edges(5, 4, 1));
  SupernodalCholesky factor;
  factor.analyse(matrix.start, matrix.row);
  for (int trial = 0; trial < 3; ++trial) {
    for (Index j = 0; j < matrix.size(); ++j) matrix.value[matrix.start[j]] *= 1.5;
    ASSERT_TRUE(factor.factorise(matrix.value));
    Vector x = multiply(matrix, Vector(matrix.size(), 1.0));
    factor.solve(x);
    for (const double entry : x) EXPECT_NEAR(entry, 1, 1e-12);
  }
  const LowerTriangle other = random_matrix(random, 7, 2, {{0, 3}, {3, 6}});
  factor.analyse(other.start, other.row);
  ASSERT_TRUE(factor.factorise(other.value));
  Vector x = multiply(other, Vector(other.size(), 1.0));
  factor.solve(x);
  for (const double entry : x) EXPECT_NEAR(entry, 1, 1e-12);
}

TEST(SupernodalCholesky, RefusesMatricesThatAreNotPositiveDefinite) {
  test::RandomProblems random(8);
  const LowerTriangle good = random_matrix(random, 12, 3, box_edges(4, 3, 1));
  SupernodalCholesky factor;
  factor.analyse(good.start, good.row);
  for (Index j = 0; j < good.size(); j += 5)
    for (const double pivot : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
      LowerTriangle bad = good;
      bad.value[bad.start[j]] = pivot;
      EXPECT_FALSE(factor.factorise(bad.value)) << j << ", " << pivot;
    }
  EXPECT_TRUE(factor.factorise(good.value));
  EXPECT_FALSE(factor.factorise(good.value, [] { return true; }));
}

TEST(SupernodalCholesky, EmptyMatrix) {
  SupernodalCholesky factor;
  factor.analyse({0}, {});
  EXPECT_TRUE(factor.factorise({}));
  Vector nothing;
  factor.solve(nothing);
}

} // namespace
} // namespace talus
