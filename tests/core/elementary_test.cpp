#include "talus/core/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace talus {
namespace {

constexpr double not_finite[] = {std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};

/// |value - exact| in units in the last place of `exact`.
double ulps(double value, long double exact) {
  int exponent = 0;
  std::frexp(static_cast<double>(exact), &exponent);
  return static_cast<double>(std::abs(value - exact) / std::ldexp(1.0L, exponent - 53));
}

TEST(Elementary, SineAndCosine) {
  std::mt19937 random(1);
  for (const double range : {1e-8, 0.1, 1.0, 4.0, 100.0, 1.6e6}) {
    std::uniform_real_distribution<double> angles(-range, range);
    for (int k = 0; k < 20000; ++k) {
      const double angle = angles(random);
      const auto [s, c] = sine_cosine(angle);
      const long double exact_s = std::sin(static_cast<long double>(angle));
      const long double exact_c = std::cos(static_cast<long double>(angle));
      ASSERT_TRUE(ulps(s, exact_s) < 1 || std::abs(s - exact_s) < 1e-18L) << angle;
      ASSERT_TRUE(ulps(c, exact_c) < 1 || std::abs(c - exact_c) < 1e-18L) << angle;
    }
  }
  EXPECT_EQ(sine(0.0), 0);
  EXPECT_EQ(cosine(0.0), 1);
  EXPECT_EQ(sine(std::numbers::pi / 2), 1);
  EXPECT_NEAR(sine(1e9), std::sin(1e9), 4e-17 * 1e9 + 1e-15);
  for (const double x : not_finite) EXPECT_TRUE(std::isnan(sine(x)) && std::isnan(cosine(x)));
}

TEST(Elementary, Angles) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 100000; ++k) {
    const double x = normal(random) * std::pow(10.0, k % 9 - 4), y = normal(random);
    ASSERT_LT(ulps(angle_of(y, x), std::atan2(static_cast<long double>(y), x)), 3) << y << ' ' << x;
  }
  const double inf = std::numeric_limits<double>::infinity();
  for (const double y : {0.0, -0.0, 1.0, -1.0, inf, -inf})
    for (const double x : {0.0, -0.0, 1.0, -1.0, inf, -inf}) {
      EXPECT_NEAR(angle_of(y, x), std::atan2(y, x), 1e-15) << y << ' ' << x;
      EXPECT_EQ(std::signbit(angle_of(y, x)), std::signbit(std::atan2(y, x))) << y << ' ' << x;
    }
  EXPECT_TRUE(std::isnan(angle_of(std::nan(""), 1)) && std::isnan(angle_of(1, std::nan(""))));
}

TEST(Elementary, ExponentialAndLogarithm) {
  std::mt19937 random(3);
  for (const double range : {1e-8, 0.1, 1.0, 30.0, 700.0}) {
    std::uniform_real_distribution<double> numbers(-range, range);
    for (int k = 0; k < 20000; ++k) {
      const double x = numbers(random);
      ASSERT_LT(ulps(exponential(x), std::exp(static_cast<long double>(x))), 1) << x;
      const double positive = exponential(x);
      ASSERT_LT(ulps(logarithm(positive), std::log(static_cast<long double>(positive))), 1)
          << positive;
    }
  }
  EXPECT_EQ(exponential(0.0), 1);
  EXPECT_EQ(exponential(-1000.0), 0);
  EXPECT_EQ(exponential(1000.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(exponential(-745.0), std::exp(-745.0));
  EXPECT_EQ(logarithm(1.0), 0);
  EXPECT_EQ(logarithm(0.0), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(logarithm(-1.0)) && std::isnan(logarithm(std::nan(""))));
  EXPECT_TRUE(std::isnan(exponential(std::nan(""))));
}

TEST(Elementary, Hypotenuse) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (const double size : {1e-320, 1e-300, 1e-160, 1.0, 1e150, 1e307})
    for (int k = 0; k < 10000; ++k) {
      const double x = size * normal(random), y = size * normal(random);
      const long double exact = std::hypot(static_cast<long double>(x), y);
      if (exact > std::numeric_limits<double>::max()) continue;
      ASSERT_TRUE(ulps(hypotenuse(x, y), exact) <= 1.5 ||
                  std::abs(hypotenuse(x, y) - exact) <= 0x1p-1074L)
          << x << ' ' << y;
    }
  EXPECT_EQ(hypotenuse(3, 4), 5);
  EXPECT_EQ(hypotenuse(0, 0), 0);
  EXPECT_EQ(hypotenuse(std::nan(""), not_finite[0]), not_finite[0]);
  EXPECT_TRUE(std::isnan(hypotenuse(std::nan(""), 1)));
}

TEST(Elementary, Powers) {
  EXPECT_EQ(power(3, 0), 1);
  EXPECT_EQ(power(3, 4), 81);
  EXPECT_EQ(ceil_log2(1), 0);
  EXPECT_EQ(ceil_log2(8), 3);
  EXPECT_EQ(ceil_log2(9), 4);
  EXPECT_EQ(ceil_log2(0.3), -1);
}

} // namespace
} // namespace talus
