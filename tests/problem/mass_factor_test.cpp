#include "talus/core/error.h"
#include "talus/core/vector_ops.h"
#include "talus/linalg/mass_factor.h"
#include "talus/linalg/sparse_lu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

std::vector<Triplet> diagonal(Index size, double value = 1) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < size; ++i) entries.push_back({i, i, value});
  return entries;
}

/// The identity with the given entries added to it.
SparseMatrix identity_and(Index size, const std::vector<Triplet>& more) {
  std::vector<Triplet> entries = diagonal(size);
  entries.insert(entries.end(), more.begin(), more.end());
  return from_triplets(size, size, entries);
}

std::string refusal_of(const SparseMatrix& m) {
  try {
    const MassFactor factor(m);
  } catch (const InvalidProblem& error) {
    return error.what();
  }
  return "";
}

void expect_refusal(const SparseMatrix& m, const std::string& where) {
  const std::string message = refusal_of(m);
  EXPECT_NE(message.find("singular"), std::string::npos) << message;
  EXPECT_NE(message.find(where), std::string::npos) << message;
}

TEST(MassFactor, NamesTheRowThatMakesAMatrixSingular) {
  for (const Index size : {10, 50, 1000}) { // Eigen alone would never end on the first of 50 rows
    expect_refusal(from_triplets(size, size, {{0, 0, 1}}), "row 1 ");
    expect_refusal(zero_matrix(size, size), "row 0 ");
    std::vector<Triplet> gap = diagonal(size);
    gap[5].value = 0;
    expect_refusal(from_triplets(size, size, gap), "row 5 ");
    gap.erase(gap.begin() + 5);
    expect_refusal(from_triplets(size, size, gap), "row 5 ");
    gap.push_back({5, 4, 1});
    expect_refusal(from_triplets(size, size, gap), "column 5 ");
  }
}

TEST(MassFactor, NoticesRowsThatDependOnOthers) {
  const std::string names[2] = {" 7 depends", " 8 depends"};
  const auto expect_one_of_both = [&](const SparseMatrix& m) {
    const std::string message = refusal_of(m);
    EXPECT_TRUE(message.find(names[0]) != std::string::npos ||
                message.find(names[1]) != std::string::npos)
        << message;
  };
  expect_one_of_both(identity_and(50, {{7, 8, 1}, {8, 7, 1}}));   // symmetric
  expect_one_of_both(identity_and(50, {{7, 8, 2}, {8, 7, 0.5}})); // not symmetric
  // What the first row leaves of the second is rounding.
  const double third = 1.0 / 3, a = 0.7;
  expect_one_of_both(
      identity_and(50, {{7, 8, a * third}, {8, 7, a * third}, {8, 8, a * third * a * third - 1}}));
}

TEST(MassFactor, SolvesWithWhateverIsRegular) {
  Vector x(50), y(50);
  for (Index i = 0; i < 50; ++i) x[i] = std::sin(i);
  const auto check = [&](const SparseMatrix& m) {
    MassFactor(m).solve(x, y);
    for (Index i = 0; i < m.rows; ++i) {
      double sum = 0;
      for (Index k = m.row_start[i]; k < m.row_start[i + 1]; ++k)
        sum += m.value[k] * y[m.column[k]];
      EXPECT_NEAR(sum, x[i], 1e-12);
    }
  };
  check(identity_and(50, {}));
  check(identity_and(50, {{7, 8, 0.5}, {8, 7, 0.5}}));
  check(identity_and(50, {{7, 8, 2}, {8, 7, 2}})); // indefinite
  check(identity_and(50, {{7, 8, 3}}));
  check(from_triplets(50, 50, diagonal(50, -2)));
  // Masses of very different sizes are no rounding.
  std::vector<Triplet> masses = diagonal(50);
  for (Index i = 0; i < 50; ++i) masses[i].value = std::pow(10.0, i - 25);
  EXPECT_EQ(refusal_of(from_triplets(50, 50, masses)), "");
}

TEST(SparseLu, RefusesWhatEigenWouldNotEndOn) {
  const auto refused = [](const SparseMatrix& m) {
    SparseLu lu(SparseLu::Pattern::any);
    lu.analyse(to_eigen(m));
    return !lu.factorise(to_eigen(m)) && lu.determinant_sign() == 0;
  };
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(refused(from_triplets(200, 200, {{3, 3, 1}})));
  EXPECT_TRUE(refused(zero_matrix(200, 200)));
  EXPECT_TRUE(refused(zero_matrix(0, 0)));
  EXPECT_TRUE(refused(identity_and(200, {{3, 4, inf}})));
  EXPECT_TRUE(refused(identity_and(200, {{3, 4, std::nan("")}})));
  EXPECT_FALSE(refused(identity_and(200, {{3, 4, 1}})));
}

} // namespace
} // namespace talus
