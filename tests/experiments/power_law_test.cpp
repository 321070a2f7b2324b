// Fitted powers of measured growth.

#include "experiments/frame/power_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus::experiments {
namespace {

TEST(PowerLaw, FindsThePowerOfAnExactLaw) {
  for (const double power : {-1.5, 0.0, 0.33, 2.0}) {
    std::vector<std::pair<double, double>> points;
    for (const double x : {0.01, 0.5, 3.0, 700.0}) points.emplace_back(x, 5 * std::pow(x, power));
    EXPECT_NEAR(power, fitted_power(points), 1e-12);
  }
}

TEST(PowerLaw, LeavesOutPointsThatHaveNoLogarithm) {
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_NEAR(2, fitted_power({{1, 1}, {2, 4}, {3, never}, {4, 0}, {5, std::nan("")}, {-1, 7}}),
              1e-12);
}

TEST(PowerLaw, SaysNothingAboutASinglePoint) {
  EXPECT_TRUE(std::isnan(fitted_power({{1, 1}, {2, 0}})));
  EXPECT_TRUE(std::isnan(fitted_power({})));
}

} // namespace
} // namespace talus::experiments
