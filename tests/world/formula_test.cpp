#include "talus/core/error.h"
#include "talus/world/formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

double value_of(const std::string& text, double t = 0) {
  return Formula(text)(t);
}

TEST(Formulas, FollowTheUsualRules) {
  EXPECT_EQ(value_of("1 + 2*3"), 7);
  EXPECT_EQ(value_of("(1 + 2)*3"), 9);
  EXPECT_EQ(value_of("2 - 3 - 4"), -5);
  EXPECT_EQ(value_of("12/4/3"), 1);
  EXPECT_EQ(value_of("-2^2"), -4);
  EXPECT_EQ(value_of("2^3^2"), 512);
  EXPECT_EQ(value_of("2^-2"), 0.25);
  EXPECT_EQ(value_of("- -3"), 3);
  EXPECT_EQ(value_of("1.5e2 + .5"), 150.5);
  EXPECT_EQ(value_of("min(3, max(1, 2))"), 2);
  EXPECT_EQ(value_of("abs(-4) + sqrt(9)"), 7);
  EXPECT_EQ(value_of("t*t + t", 3), 12);
  EXPECT_EQ(value_of("0^2.5"), 0);
}

TEST(Formulas, KnowTheFunctions) {
  EXPECT_NEAR(value_of("sin(pi/6)"), 0.5, 1e-15);
  EXPECT_NEAR(value_of("cos(2*pi*t)", 0.5), -1, 1e-15);
  EXPECT_NEAR(value_of("exp(1)"), std::numbers::e, 1e-15);
  EXPECT_NEAR(value_of("log(exp(3))"), 3, 1e-14);
  EXPECT_NEAR(value_of("2^0.5"), std::numbers::sqrt2, 1e-15);
  EXPECT_NEAR(value_of("2^1.5"), std::pow(2, 1.5), 1e-14);
  EXPECT_TRUE(std::isnan(value_of("(-8)^0.3")));
}

TEST(Formulas, HaveTheVariablesTheyAreGiven) {
  const Formula shear("2*x - y/z + t", {"t", "x", "y", "z"});
  const double values[] = {10, 1, 6, 3};
  EXPECT_EQ(shear(values), 10);
  EXPECT_THROW(shear(1.0), InvalidArgument);
  const auto flow = vector_function({"x", "", "2"}, {"t", "x"});
  const double two[] = {0, 7};
  EXPECT_EQ(flow(two), (Vec3{7, 0, 2}));
}

/// The message must hold the words.
void expect_complaint(const std::string& text, const std::string& words) {
  try {
    Formula formula(text);
    ADD_FAILURE() << text << " was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Formulas, SayWhereTheyAreWrong) {
  expect_complaint("", "column 1: the formula ends");
  expect_complaint("1 +", "column 4: the formula ends");
  expect_complaint("2*foo", "column 3: unknown name 'foo'");
  expect_complaint("x", "column 1: unknown name 'x'; known are t, pi");
  expect_complaint("sin 3", "column 5: '(' was expected");
  expect_complaint("min(1)", "column 6: ',' was expected");
  expect_complaint("(1 + 2", "column 7: ')' was expected");
  expect_complaint("1 2", "column 3: an operator was expected");
  expect_complaint("3 $ 4", "column 3: an operator was expected, not '$'");
  expect_complaint("*3", "column 1: a value was expected");
  expect_complaint("1e999", "column 1: this is no finite number");
}

TEST(Formulas, BoundLengthAndNesting) {
  expect_complaint(std::string(1001, '1'), "at most 1000 characters");
  expect_complaint(std::string(400, '(') + "1" + std::string(400, ')'), "levels of nesting");
  std::string powers = "2";
  for (int i = 0; i < 300; ++i) powers += "^1";
  expect_complaint(powers, "levels of nesting");
  // As deep as is allowed, with as many waiting values as possible.
  std::string deep = "t";
  for (int i = 0; i < 16; ++i) deep = "1 + 2*3^(" + deep + ")";
  EXPECT_NO_THROW(value_of(deep));
  std::string signs(900, '-');
  EXPECT_EQ(value_of(signs + "1"), 1);
  std::string sum = "1";
  for (int i = 0; i < 400; ++i) sum += "+1";
  EXPECT_EQ(value_of(sum), 401);
}

} // namespace
} // namespace talus
