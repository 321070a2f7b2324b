#pragma once
// Powers of measured growth.

#include <utility>
#include <vector>

namespace talus::experiments {

/// p of y ~ xᵖ: the slope of log y over log x by least squares, of the points (x, y) where both are
/// finite and positive. NaN where fewer than two such points are left.
double fitted_power(const std::vector<std::pair<double, double>>& points);

} // namespace talus::experiments
