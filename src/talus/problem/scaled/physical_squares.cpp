#include "talus/problem/scaled/physical_squares.h"

#include "talus/contact/cone_batch.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace talus {

PhysicalSquares& PhysicalSquares::operator+=(const PhysicalSquares& other) {
  residual += other.residual;
  impulse += other.impulse;
  velocity += other.velocity;
  return *this;
}

void PhysicalSquares::add(const ContactSet& set, bool is_tilted, const double* r, const double* u) {
  const int d = set.dimension;
  double trial[max_dimension] = {};
  for (int i = 0; i < d; ++i) trial[i] = r[i] - u[i];
  if (is_tilted) trial[0] -= tilt(set, u);
  project(set, trial, trial);
  for (int i = 0; i < d; ++i) {
    residual += (r[i] - trial[i]) * (r[i] - trial[i]);
    impulse += r[i] * r[i];
    velocity += u[i] * u[i];
  }
}

void PhysicalSquares::add_round_cones(const double* mu, bool is_tilted, Index count,
                                      const double* r, const double* u) {
  assert(count <= most_at_once);
  double trial[3 * most_at_once];
  for (Index i = 0; i < 3 * count; ++i) trial[i] = r[i] - u[i];
  if (is_tilted) subtract_cone_tilts(mu, u, count, trial);
  project_on_cones(mu, count, trial);
  // Three running sums each, one per entry of a contact, which SIMD lanes can keep.
  double residuals[3] = {}, impulses[3] = {}, velocities[3] = {};
  for (Index c = 0; c < count; ++c)
    for (int i = 0; i < 3; ++i) {
      const Index k = 3 * c + i;
      residuals[i] += (r[k] - trial[k]) * (r[k] - trial[k]);
      impulses[i] += r[k] * r[k];
      velocities[i] += u[k] * u[k];
    }
  residual += (residuals[0] + residuals[1]) + residuals[2];
  impulse += (impulses[0] + impulses[1]) + impulses[2];
  velocity += (velocities[0] + velocities[1]) + velocities[2];
}

double PhysicalSquares::error(int dimension, bool is_local, double free_velocity) const {
  double size = dimension == 1 ? free_velocity : std::sqrt(std::max(impulse, velocity));
  if (is_local) size = std::max(size, free_velocity);
  return std::sqrt(residual) / (size > 0 ? size : 1.0);
}

} // namespace talus
