#include "talus/contact/second_order_cone.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::lorentz {
namespace {

double dot(const double* x, const double* y, int size) {
  double sum = 0;
  for (int i = 0; i < size; ++i) sum += x[i] * y[i];
  return sum;
}

/// x·J y.
double lorentz_product(const double* x, const double* y, int size) {
  return 2 * x[0] * y[0] - dot(x, y, size);
}

/// y = factor (2 v vᵀ - J) x.
void reflect(const double* v, double factor, const double* x, int size, double* y) {
  const double twice = 2 * dot(v, x, size);
  for (int i = 0; i < size; ++i) y[i] = factor * (twice * v[i] - (i == 0 ? x[i] : -x[i]));
}

/// √det of a point inside; rounding may leave det at zero or below.
double magnitude(const double* x, int size) {
  return std::sqrt(std::max(determinant(x, size), std::numeric_limits<double>::min()));
}

} // namespace

double determinant(const double* x, int size) {
  const double length = std::sqrt(dot(x + 1, x + 1, size - 1));
  return (x[0] - length) * (x[0] + length);
}

double largest_step(const double* x, const double* dx, int size) {
  // det(x + α dx) = a α² + 2 b α + c vanishes first at the boundary.
  double step = dx[0] < 0 ? -x[0] / dx[0] : std::numeric_limits<double>::infinity();
  if (size == 1) return step;
  const double a = lorentz_product(dx, dx, size), b = lorentz_product(x, dx, size),
               c = std::max(0.0, determinant(x, size)), discriminant = b * b - a * c;
  if (discriminant < 0) return step;
  const double q = b >= 0 ? -(b + std::sqrt(discriminant)) : std::sqrt(discriminant) - b;
  if (a != 0 && q / a > 0) step = std::min(step, q / a);
  if (q != 0 && c / q >= 0) step = std::min(step, c / q);
  return step;
}

void divide(const double* x, const double* r, int size, double* q) {
  const double along = dot(x + 1, r + 1, size - 1);
  q[0] = (x[0] * r[0] - along) / std::max(determinant(x, size), std::numeric_limits<double>::min());
  for (int i = 1; i < size; ++i) q[i] = (r[i] - q[0] * x[i]) / x[0];
}

void multiply(const double* x, const double* y, int size, double* p) {
  p[0] = dot(x, y, size);
  for (int i = 1; i < size; ++i) p[i] = x[0] * y[i] + y[0] * x[i];
}

void Scaling::apply(const double* x, double* y) const {
  reflect(root.data(), factor, x, size, y);
}

void Scaling::apply_inverse(const double* x, double* y) const {
  Point mirrored = root;
  for (int i = 1; i < size; ++i) mirrored[i] = -root[i];
  reflect(mirrored.data(), 1 / factor, x, size, y);
}

void Scaling::square(double* h) const {
  // (2 v vᵀ - J)² = 2 w wᵀ - J with w = v ∘ v.
  Point w;
  multiply(root.data(), root.data(), size, w.data());
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      h[size * i + j] = factor * factor * (2 * w[i] * w[j] - (i != j ? 0.0 : i == 0 ? 1.0 : -1.0));
}

Scaling nesterov_todd(const double* x, const double* y, int size) {
  const double size_x = magnitude(x, size), size_y = magnitude(y, size);
  const double gamma = std::sqrt(0.5 * (1 + dot(x, y, size) / (size_x * size_y)));
  Scaling scaling;
  scaling.size = size;
  scaling.factor = std::sqrt(size_y / size_x);
  Point w;
  for (int i = 0; i < size; ++i)
    w[i] = (y[i] / size_y + (i == 0 ? x[i] : -x[i]) / size_x) / (2 * gamma);
  for (int i = 0; i < size; ++i)
    scaling.root[i] = (w[i] + (i == 0 ? 1.0 : 0.0)) / std::sqrt(2 * (w[0] + 1));
  return scaling;
}

} // namespace talus::lorentz
