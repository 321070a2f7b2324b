// Factors in blocks: against the matrix itself, on patterns that make panels of rows and fill.

#include "support/random_models.h"
#include "talus/core/vector_ops.h"
#include "talus/linalg/block_lu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <thread>
#include <utility>

namespace talus {
namespace {

constexpr int d = 3;

/// Neighbours in a box of nx x ny x nz cells, in a given order.
BlockPattern box_pattern(Index nx, Index ny, Index nz, const std::vector<Index>& order = {}) {
  std::vector<Index> number(nx * ny * nz);
  std::iota(number.begin(), number.end(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<Index>(i);
  std::vector<std::vector<Index>> rows(number.size());
  const auto cell = [&](Index x, Index y, Index z) { return (z * ny + y) * nx + x; };
  const auto join = [&](Index a, Index b) {
    rows[number[a]].push_back(number[b]);
    if (a != b) rows[number[b]].push_back(number[a]);
  };
  for (Index z = 0; z < nz; ++z)
    for (Index y = 0; y < ny; ++y)
      for (Index x = 0; x < nx; ++x) {
        join(cell(x, y, z), cell(x, y, z));
        if (x + 1 < nx) join(cell(x, y, z), cell(x + 1, y, z));
        if (y + 1 < ny) join(cell(x, y, z), cell(x, y + 1, z));
        if (z + 1 < nz) join(cell(x, y, z), cell(x, y, z + 1));
      }
  BlockPattern pattern;
  for (std::vector<Index>& row : rows) {
    std::ranges::sort(row);
    pattern.column.insert(pattern.column.end(), row.begin(), row.end());
    pattern.row_start.push_back(static_cast<Index>(pattern.column.size()));
  }
  return pattern;
}

/// Random and unsymmetric, with diagonal blocks of about `diagonal`.
void fill_randomly(test::RandomProblems& random, double diagonal, BlockLu& lu) {
  const BlockPattern& pattern = lu.pattern();
  for (Index row = 0; row < pattern.size(); ++row)
    for (Index k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k)
      for (int i = 0; i < d; ++i) {
        const double shift = pattern.column[k] == row ? diagonal : 0;
        const auto entry = [&](int j) { return random.number(-1, 1) + (i == j ? shift : 0); };
        const double first = entry(0), second = entry(1), third = entry(2);
        lu.blocks()[k][i] = Lanes4{first, second, third, 0};
      }
}

Vector product(BlockLu& lu, const Vector& x) {
  const BlockPattern& pattern = lu.pattern();
  Vector result(x.size(), 0.0);
  for (Index row = 0; row < pattern.size(); ++row)
    for (Index k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k)
      for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j)
          result[d * row + i] += lu.blocks()[k][i][j] * x[d * pattern.column[k] + j];
  return result;
}

/// By elimination with pivots.
int sign_of_determinant(BlockLu& lu) {
  const std::size_t n = d * lu.size();
  std::vector<Vector> rows;
  for (std::size_t j = 0; j < n; ++j) {
    Vector unit(n, 0.0);
    unit[j] = 1;
    rows.push_back(product(lu, unit)); // columns: the transpose has the same determinant
  }
  int sign = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const auto pivot =
        std::max_element(rows.begin() + k, rows.end(), [&](const Vector& a, const Vector& b) {
          return std::abs(a[k]) < std::abs(b[k]);
        });
    if (pivot != rows.begin() + k) sign = -sign;
    std::swap(*pivot, rows[k]);
    if (rows[k][k] < 0) sign = -sign;
    for (std::size_t i = k + 1; i < n; ++i) axpy(-rows[i][k] / rows[k][k], rows[k], rows[i]);
  }
  return sign;
}

BlockLu random_matrix(test::RandomProblems& random, double diagonal, BlockPattern pattern) {
  BlockLu lu;
  lu.analyse(std::move(pattern));
  fill_randomly(random, diagonal, lu);
  return lu;
}

void expect_solves(test::RandomProblems& random, BlockLu& lu) {
  const Vector expected = random.vector(d * lu.size());
  Vector x = product(lu, expected);
  ASSERT_TRUE(lu.solve(x));
  EXPECT_LT(distance(x, expected), 1e-10 * norm(expected));
}

TEST(BlockLu, SolvesOnBoxesInAnyOrder) {
  test::RandomProblems random(5);
  for (const auto& [nx, ny, nz] :
       {std::array{1, 1, 1}, {9, 1, 1}, {5, 4, 1}, {4, 4, 4}, {6, 5, 3}}) {
    const BlockPattern natural = box_pattern(nx, ny, nz);
    for (const bool reordered : {false, true}) {
      BlockLu lu;
      lu.analyse(reordered ? box_pattern(nx, ny, nz, elimination_order(natural)) : natural);
      for (int repetition = 0; repetition < 3; ++repetition) {
        fill_randomly(random, 8, lu);
        ASSERT_TRUE(lu.factorise());
        expect_solves(random, lu);
        expect_solves(random, lu);
      }
    }
  }
}

TEST(BlockLu, SolvesOnALargeBoxInNestedOrder) {
  test::RandomProblems random(6);
  const BlockPattern natural = box_pattern(12, 11, 10);
  BlockLu lu = random_matrix(random, 8, box_pattern(12, 11, 10, elimination_order(natural)));
  ASSERT_TRUE(lu.factorise());
  expect_solves(random, lu);
}

TEST(BlockLu, KnowsTheSignOfTheDeterminant) {
  test::RandomProblems random(7);
  BlockLu lu;
  lu.analyse(box_pattern(3, 3, 2));
  int negative = 0;
  for (int trial = 0; trial < 30; ++trial) {
    fill_randomly(random, 2, lu);
    ASSERT_TRUE(lu.factorise());
    const int expected = sign_of_determinant(lu);
    EXPECT_EQ(lu.determinant_sign(), expected);
    negative += expected < 0;
  }
  EXPECT_GT(negative, 0);
  EXPECT_LT(negative, 30);
}

TEST(BlockLu, TakesBlocksThatAreZero) {
  test::RandomProblems random(8);
  BlockLu lu = random_matrix(random, 8, box_pattern(4, 4, 4));
  const BlockPattern& pattern = lu.pattern();
  for (Index row = 0; row < pattern.size(); ++row)
    for (Index k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k)
      if (pattern.column[k] != row && random.number(0, 1) < 0.7) lu.blocks()[k] = {};
  ASSERT_TRUE(lu.factorise());
  expect_solves(random, lu);
}

TEST(BlockLu, SaysWhenADiagonalBlockIsSingular) {
  test::RandomProblems random(9);
  BlockLu lu = random_matrix(random, 8, box_pattern(3, 3, 1));
  const BlockPattern& pattern = lu.pattern();
  for (Index k = pattern.row_start[8]; k < pattern.row_start[9]; ++k) lu.blocks()[k] = {};
  EXPECT_FALSE(lu.factorise());
  EXPECT_EQ(lu.determinant_sign(), 0);
}

/// Tiny pivots beside couplings of 1: the factors forget the rows behind them.
TEST(BlockLu, RefusesWhatItCannotSolveAccurately) {
  test::RandomProblems random(10);
  BlockLu lu;
  lu.analyse(box_pattern(3, 2, 1));
  int refused = 0;
  for (int trial = 0; trial < 100; ++trial) {
    fill_randomly(random, 0, lu);
    for (const Index row : {0, 1, 2})
      for (Lanes4& lanes : lu.blocks()[lu.pattern().row_start[row] + (row > 0 ? 1 : 0)])
        lanes *= std::pow(10, random.number(-20, -8));
    if (!lu.factorise()) continue;
    const Vector right = random.vector(d * lu.size());
    Vector x = right;
    if (!lu.solve(x)) {
      ++refused;
      continue;
    }
    EXPECT_LT(distance(product(lu, x), right), 1e-9 * (norm(x) + norm(right))) << trial;
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 100);
}

TEST(EliminationOrder, IsAPermutationAndSavesFill) {
  for (const auto& [nx, ny, nz] : {std::array{7, 6, 5}, {12, 11, 10}}) {
    const BlockPattern natural = box_pattern(nx, ny, nz);
    const std::vector<Index> order = elimination_order(natural);
    std::vector<Index> sorted = order;
    std::ranges::sort(sorted);
    for (Index i = 0; i < natural.size(); ++i) ASSERT_EQ(sorted[i], i);
    BlockLu lu, ordered;
    lu.analyse(natural);
    ordered.analyse(box_pattern(nx, ny, nz, order));
    EXPECT_LT(ordered.fill(), 0.9 * static_cast<double>(lu.fill()));
  }
}

TEST(EliminationOrder, IsTheSameWhoeverElseAsks) {
  const BlockPattern pattern = box_pattern(12, 11, 10);
  const std::vector<Index> expected = elimination_order(pattern);
  std::vector<std::vector<Index>> orders(16);
  {
    std::vector<std::jthread> threads;
    for (std::vector<Index>& order : orders)
      threads.emplace_back([&] { order = elimination_order(pattern); });
  }
  for (const std::vector<Index>& order : orders) EXPECT_EQ(order, expected);
}

} // namespace
} // namespace talus
