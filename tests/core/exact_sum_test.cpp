#include "talus/core/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace talus {
namespace {

__extension__ typedef __float128 Wide; // 113 bits

double exact_sum_of(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double x : numbers) sum.add(x);
  return sum.value();
}

/// Random numbers whose exponents differ by at most `range`.
std::vector<double> random_numbers(std::mt19937_64& random, int count, int lowest, int range) {
  std::vector<double> numbers;
  for (int k = 0; k < count; ++k) {
    const double mantissa = static_cast<double>(random() >> 11) * 0x1p-53;
    const double sign = random() % 2 ? 1 : -1;
    numbers.push_back(sign *
                      std::ldexp(mantissa, lowest + static_cast<int>(random() % (range + 1))));
  }
  return numbers;
}

TEST(ExactSum, EqualsWideSums) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    // 53 bits, 48 of range and 8 of carries are less than 113.
    const auto numbers = random_numbers(random, 1 + trial % 200, -600 + trial % 1100, 48);
    Wide wide = 0;
    for (const double x : numbers) wide += x;
    EXPECT_EQ(exact_sum_of(numbers), static_cast<double>(wide)) << trial;
  }
}

TEST(ExactSum, DoesNotDependOnTheOrderOrTheGrouping) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 50; ++trial) {
    auto numbers = random_numbers(random, 300, -1000, 1900);
    const double sum = exact_sum_of(numbers);
    std::ranges::shuffle(numbers, random);
    EXPECT_EQ(exact_sum_of(numbers), sum);
    ExactSum parts[3], total;
    for (std::size_t k = 0; k < numbers.size(); ++k) parts[random() % 3].add(numbers[k]);
    for (ExactSum& part : parts) {
      part.carry();
      for (int word = 0; word < ExactSum::words; ++word) total.data()[word] += part.data()[word];
    }
    EXPECT_EQ(total.value(), sum);
  }
}

TEST(ExactSum, GivesBackSingleNumbers) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 20000; ++trial) {
    const auto x = std::bit_cast<double>(random());
    if (!std::isfinite(x)) continue;
    EXPECT_EQ(exact_sum_of({x}), x);
    EXPECT_EQ(exact_sum_of({x, x, -x}), x);
    EXPECT_EQ(exact_sum_of({x, -x}), 0.0);
  }
  using Limits = std::numeric_limits<double>;
  for (const double x : {Limits::denorm_min(), Limits::min(), Limits::max(), Limits::lowest()})
    EXPECT_EQ(exact_sum_of({x}), x);
}

TEST(ExactSum, RoundsToNearestTiesToEven) {
  EXPECT_EQ(exact_sum_of({1.0, 0x1p-53}), 1.0);
  EXPECT_EQ(exact_sum_of({1.0, 0x1p-53, 0x1p-1074}), 1 + 0x1p-52);
  EXPECT_EQ(exact_sum_of({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
  EXPECT_EQ(exact_sum_of({1.0, -0x1p-54}), 1.0);
  EXPECT_EQ(exact_sum_of({1.0, -0x1p-54, -0x1p-1074}), 1 - 0x1p-53);
  EXPECT_EQ(exact_sum_of({1e300, 1.0, -1e300}), 1.0);
  EXPECT_EQ(exact_sum_of({-0x1p-1074, 0x1p-1022}), 0x1p-1022 - 0x1p-1074);
}

TEST(ExactSum, OverflowsOnlyIfTheSumDoes) {
  const double huge = std::numeric_limits<double>::max();
  EXPECT_EQ(exact_sum_of({huge, huge, -huge}), huge);
  EXPECT_EQ(exact_sum_of({huge, huge}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(exact_sum_of({-huge, -huge}), -std::numeric_limits<double>::infinity());
}

TEST(ExactSum, KnowsInfinityAndNaN) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exact_sum_of({1, infinity}), infinity);
  EXPECT_EQ(exact_sum_of({-infinity, 1e308}), -infinity);
  EXPECT_TRUE(std::isnan(exact_sum_of({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(exact_sum_of({std::nan(""), 1})));
  EXPECT_EQ(exact_sum_of({}), 0.0);
}

} // namespace
} // namespace talus
