#include "talus/contact/rolling_set.h"

#include "talus/contact/projection_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

/// A group of components bounded by `radius` times the normal one.
struct Disc {
  int first, size;
  double radius, length;
};

struct Discs {
  Disc disc[3];
  int count;
  const Disc* begin() const { return disc; }
  const Disc* end() const { return disc + count; }
};

Discs discs_of(const ContactSet& k, const double* x) {
  if (k.dimension == 3)
    return {{{1, 1, k.mu, std::abs(x[1])}, {2, 1, k.rolling, std::abs(x[2])}, {}}, 2};
  Discs discs{{{1, 2, k.mu, planar_length(x[1], x[2])},
               {3, 2, k.rolling, planar_length(x[3], x[4])},
               {5, 1, k.spinning, 0}},
              k.dimension == 6 ? 3 : 2};
  if (k.dimension == 6) discs.disc[2].length = std::abs(x[5]);
  return discs;
}

/// The normal component of the projection, 1 + Σ_A a_i², and which discs are beyond their bounds.
struct Height {
  double height, divisor = 1;
  bool active[3] = {};
};

Height find_height(double n, const Discs& discs) {
  double sum = n;
  Height result{0};
  for (int i = 0; i < discs.count; ++i) {
    sum += discs.disc[i].radius * discs.disc[i].length;
    result.divisor += discs.disc[i].radius * discs.disc[i].radius;
    result.active[i] = true;
  }
  if (!(sum > 0)) { // the apex, or NaN
    result.height = sum <= 0 ? 0 : sum;
    return result;
  }
  for (;;) {
    // Sums are made anew for each candidate: nothing cancels.
    double top = n, divisor = 1;
    for (int i = 0; i < discs.count; ++i)
      if (result.active[i]) {
        top += discs.disc[i].radius * discs.disc[i].length;
        divisor += discs.disc[i].radius * discs.disc[i].radius;
      }
    result.height = top / divisor;
    result.divisor = divisor;
    // Discs inside their bounds leave, all at once: h only grows when one does.
    bool leaves = false;
    for (int i = 0; i < discs.count; ++i) {
      const Disc& disc = discs.disc[i];
      if (!result.active[i] || !(disc.length < disc.radius * result.height)) continue;
      result.active[i] = false;
      leaves = true;
    }
    if (!leaves) return result;
  }
}

} // namespace

void project_on_rolling_cone(const ContactSet& k, const double* x, double* y) {
  const Discs discs = discs_of(k, x);
  const Height found = find_height(x[0], discs);
  if (std::isnan(found.height)) {
    std::fill_n(y, k.dimension, found.height);
    return;
  }
  for (int i = 0; i < discs.count; ++i) {
    const Disc& disc = discs.disc[i];
    const double bound = disc.radius * found.height;
    // A disc on its bound to the last bit stays there.
    const double shrink = found.active[i] && disc.length > bound ? bound / disc.length : 1.0;
    for (int j = disc.first; j < disc.first + disc.size; ++j) y[j] = shrink * x[j];
  }
  y[0] = found.height;
}

void add_rolling_jacobian(const ContactSet& k, const double* x, double* jacobian) {
  const int d = k.dimension;
  const Discs discs = discs_of(k, x);
  const Height found = find_height(x[0], discs);
  if (!(found.height > 0)) return;
  double ray[max_dimension] = {1};
  for (int i = 0; i < discs.count; ++i) {
    const Disc& disc = discs.disc[i];
    const int end = disc.first + disc.size;
    if (!found.active[i]) {
      for (int j = disc.first; j < end; ++j) jacobian[(d + 1) * j] += 1;
      continue;
    }
    if (!(disc.length > 0)) continue; // a disc without radius, at its centre
    const double turn = std::min(disc.radius * found.height / disc.length, 1.0);
    for (int j = disc.first; j < end; ++j) {
      ray[j] = disc.radius * (x[j] / disc.length);
      jacobian[(d + 1) * j] += turn;
      for (int l = disc.first; l < end; ++l)
        jacobian[d * j + l] -= turn * ((x[j] / disc.length) * (x[l] / disc.length));
    }
  }
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) jacobian[d * i + j] += ray[i] * ray[j] / found.divisor;
}

double rolling_tilt(const ContactSet& k, const double* u) {
  double sum = 0;
  for (const Disc& disc : discs_of(k, u)) sum += disc.radius * disc.length;
  return sum;
}

void rolling_tilt_gradient(const ContactSet& k, const double* u, double* gradient) {
  for (const Disc& disc : discs_of(k, u))
    for (int j = disc.first; j < disc.first + disc.size; ++j)
      gradient[j - 1] = disc.length > 0 ? disc.radius * (u[j] / disc.length) : disc.length;
}

double rolling_gauge(const ContactSet& k, const double* x) {
  double largest = 0;
  for (const Disc& disc : discs_of(k, x)) {
    if (disc.length == 0) continue;
    const double reach =
        disc.radius > 0 ? disc.length / disc.radius : std::numeric_limits<double>::infinity();
    largest = std::isnan(reach) ? reach : std::max(largest, reach);
  }
  return largest;
}

} // namespace talus
