#include "talus/step/envelope.h"

#include "talus/step/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

double surface_speed(ConstSpan velocities, Index body, double radius) {
  const double* v = velocities.data() + 6 * static_cast<std::size_t>(body);
  return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
         radius * std::sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
}

double foreseen_speed(const World& world, ConstSpan free_velocities, Index body, double radius) {
  const BodyState& state = world.states()[body];
  const double now = norm(state.velocity) + radius * norm(state.angular_velocity);
  return std::max(now, surface_speed(free_velocities, body, radius));
}

namespace {

double corner_distance(const Bounds& bounds) {
  const Vec3 far{std::max(std::abs(bounds.lower.x), std::abs(bounds.upper.x)),
                 std::max(std::abs(bounds.lower.y), std::abs(bounds.upper.y)),
                 std::max(std::abs(bounds.lower.z), std::abs(bounds.upper.z))};
  return norm(far);
}

/// Says which body is so fast that lengths overflow.
[[noreturn]] void refuse_fastest(const World& world, ConstSpan free_velocities,
                                 std::span<const double> radii) {
  std::size_t fastest = 0;
  double top = 0;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const double speed = foreseen_speed(world, free_velocities, static_cast<Index>(i), radii[i]);
    if (speed > top) {
      top = speed;
      fastest = i;
    }
  }
  throw NonFiniteState(fmt::format("body '{}' is too fast: how far it goes in a step is not finite",
                                   world.bodies()[fastest].name));
}

} // namespace

void TopSpeeds::include(double speed) {
  if (speed > first) {
    second = first;
    first = speed;
  } else {
    second = std::max(second, speed);
  }
}

double smallest_radius(const World& world, std::span<const double> radii) {
  double smallest = Bounds::inf;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    if (world.bodies()[i].kind == BodyKind::dynamic && radii[i] > 0) {
      smallest = std::min(smallest, radii[i]);
    }
  }
  return std::isfinite(smallest) ? smallest : 0.0;
}

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
    top.include(surface_speed(velocities, static_cast<Index>(i), radii[i]));
  }
  return top;
}

double envelope_of(const TopSpeeds& top, double radius, double h) {
  return std::max(h * (top.first + top.second), 0.01 * radius);
}

double automatic_envelope(const World& world, ConstSpan free_velocities,
                          std::span<const double> radii, double h) {
  TopSpeeds top;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    top.include(foreseen_speed(world, free_velocities, static_cast<Index>(i), radii[i]));
  }
  if (!std::isfinite(h * (top.first + top.second))) refuse_fastest(world, free_velocities, radii);
  return envelope_of(top, smallest_radius(world, radii), h);
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
    if (2 * h * surface_speed(velocities, static_cast<Index>(i), radii[i]) > reach) ++count;
  }
  return count;
}

} // namespace talus
