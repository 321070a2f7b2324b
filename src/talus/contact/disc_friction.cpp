#include "talus/contact/disc_friction.h"

#include "talus/core/elementary.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// g(α) = f'(α) / radius = e'(α)·(A x + b) on the circle, and its derivative.
struct TangentialVelocity {
  const double* A;
  const double* b;
  double radius;

  void evaluate(double ex, double ey, double& g, double& slope) const {
    const double Ae[2] = {A[0] * ex + A[1] * ey, A[2] * ex + A[3] * ey};
    const double Ap[2] = {-A[0] * ey + A[1] * ex, -A[2] * ey + A[3] * ex};
    g = radius * (-ey * Ae[0] + ex * Ae[1]) - ey * b[0] + ex * b[1];
    slope = radius * (-ey * Ap[0] + ex * Ap[1] - ex * Ae[0] - ey * Ae[1]) - ex * b[0] - ey * b[1];
  }
};

} // namespace

DiscSolution minimise_on_disc(const double* A, const double* b, double radius) {
  DiscSolution solution;
  const double trace = A[0] + A[3];
  if (!(radius > 0)) return solution;
  double matrix[4] = {A[0], A[1], A[2], A[3]};
  double determinant = matrix[0] * matrix[3] - matrix[1] * matrix[2];
  if (!(determinant > 1e-12 * trace * trace)) {
    matrix[0] += 1e-12 * trace;
    matrix[3] += 1e-12 * trace;
    determinant = matrix[0] * matrix[3] - matrix[1] * matrix[2];
  }
  // Cramer's rule, without the division: x_s = direction / determinant.
  const double direction[2] = {matrix[1] * b[1] - matrix[3] * b[0],
                               matrix[2] * b[0] - matrix[0] * b[1]};
  const double length = hypotenuse(direction[0], direction[1]);
  if (length <= radius * determinant) {
    if (length == 0) return solution;
    solution.x[0] = direction[0] / determinant;
    solution.x[1] = direction[1] / determinant;
    return solution;
  }
  const TangentialVelocity velocity{matrix, b, radius};
  const double rounding = 1e-15 * (radius * trace + std::abs(b[0]) + std::abs(b[1]));
  double ex = direction[0] / length, ey = direction[1] / length, g, slope;
  velocity.evaluate(ex, ey, g, slope);
  if (std::abs(g) > 4 * rounding) {
    // Angles are counted from x_s; the answer lies between 0 and the angle of -b.
    const double base_x = ex, base_y = ey;
    const double end = angle_of(base_y * b[0] - base_x * b[1], -base_x * b[0] - base_y * b[1]);
    double low = std::min(0.0, end), high = std::max(0.0, end), angle = 0;
    constexpr int enough = 60;
    while (solution.newton_iterations < enough) {
      ++solution.newton_iterations;
      // f' rises through its zero at a minimum.
      (g > 0 ? high : low) = angle;
      double next = angle - g / slope;
      if (!(slope > 0) || !(next > low && next < high)) next = 0.5 * (low + high);
      const double step = std::abs(next - angle);
      angle = next;
      const double c = cosine(angle), s = sine(angle);
      ex = base_x * c - base_y * s;
      ey = base_y * c + base_x * s;
      velocity.evaluate(ex, ey, g, slope);
      if (std::abs(g) <= rounding || step < 1e-15) break;
    }
  }
  solution.x[0] = radius * ex;
  solution.x[1] = radius * ey;
  return solution;
}

} // namespace talus
