#include "power_law.h"

#include <cmath>

namespace talus::experiments {

double fitted_power(const std::vector<std::pair<double, double>>& points) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    if (!(x > 0 && y > 0) || !std::isfinite(x) || !std::isfinite(y)) continue;
    const double a = std::log(x), b = std::log(y);
    n += 1, sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  if (n < 2) return std::nan("");
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

} // namespace talus::experiments
