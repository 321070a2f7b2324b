#include "talus/step/envelope.h"

#include "talus/step/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

double corner_distance(const Bounds& bounds) {
  const Vec3 far{std::max(std::abs(bounds.lower.x), std::abs(bounds.upper.x)),
                 std::max(std::abs(bounds.lower.y), std::abs(bounds.upper.y)),
                 std::max(std::abs(bounds.lower.z), std::abs(bounds.upper.z))};
  return norm(far);
}

double surface_speed(ConstSpan velocities, std::size_t body, double radius) {
  const double* v = velocities.data() + 6 * body;
  return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
         radius * std::sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
}

/// At the start of the step or at its end without contacts, whichever is larger.
double surface_speed(const World& world, ConstSpan free_velocities, std::size_t body,
                     double radius) {
  const BodyState& state = world.states()[body];
  const double now = norm(state.velocity) + radius * norm(state.angular_velocity);
  return std::max(now, surface_speed(free_velocities, body, radius));
}

/// Says which body is so fast that lengths overflow.
[[noreturn]] void refuse_fastest(const World& world, ConstSpan free_velocities,
                                 std::span<const double> radii) {
  std::size_t fastest = 0;
  double top = 0;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const double speed = surface_speed(world, free_velocities, i, radii[i]);
    if (speed > top) {
      top = speed;
      fastest = i;
    }
  }
  throw NonFiniteState(fmt::format("body '{}' is too fast: how far it goes in a step is not finite",
                                   world.bodies()[fastest].name));
}

void include(TopSpeeds& top, double speed) {
  if (speed > top.first) {
    top.second = top.first;
    top.first = speed;
  } else {
    top.second = std::max(top.second, speed);
  }
}

/// Of the dynamic bodies that have shapes; 0 without any.
double smallest_radius(const World& world, std::span<const double> radii) {
  double smallest = Bounds::inf;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    if (world.bodies()[i].kind == BodyKind::dynamic && radii[i] > 0) {
      smallest = std::min(smallest, radii[i]);
    }
  }
  return std::isfinite(smallest) ? smallest : 0.0;
}

} // namespace

std::vector<double> bounding_radii(const World& world) {
  std::vector<double> radii;
  for (const Body& body : world.bodies()) {
    double radius = 0;
    for (const BodyShape& shape : body.shapes) {
      const double far = corner_distance(bounds_of(*shape.shape, shape.pose));
      if (std::isfinite(far)) radius = std::max(radius, far);
    }
    radii.push_back(radius);
  }
  return radii;
}

TopSpeeds top_speeds(ConstSpan velocities, std::span<const double> radii) {
  TopSpeeds top;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    include(top, surface_speed(velocities, i, radii[i]));
  }
  return top;
}

double automatic_envelope(const World& world, ConstSpan free_velocities,
                          std::span<const double> radii, double h) {
  TopSpeeds top;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    include(top, surface_speed(world, free_velocities, i, radii[i]));
  }
  if (!std::isfinite(h * (top.first + top.second))) refuse_fastest(world, free_velocities, radii);
  return std::max(h * (top.first + top.second), 0.01 * smallest_radius(world, radii));
}

double automatic_penetration(const World& world, std::span<const double> radii) {
  return 1e-5 * smallest_radius(world, radii);
}

double smaller_radius(double a, double b) {
  return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
}

double automatic_recovery_speed(double gravity, double radius) {
  constexpr double seconds_per_radius = 2;
  return std::max(std::sqrt(gravity * radius), radius / seconds_per_radius);
}

Index count_outrunning(ConstSpan velocities, std::span<const double> radii, double h,
                       double envelope) {
  // A hair of rounding is no reason to warn.
  const double reach = envelope * (1 + 1e-9);
  const TopSpeeds top = top_speeds(velocities, radii);
  if (h * (top.first + top.second) <= reach) return 0;
  Index count = 0;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    if (2 * h * surface_speed(velocities, i, radii[i]) > reach) ++count;
  }
  return count;
}

} // namespace talus
