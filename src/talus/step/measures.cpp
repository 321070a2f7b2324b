#include "talus/step/measures.h"

#include "talus/core/parallel.h"
#include "talus/step/error.h"

#include <fmt/format.h>

#include <cmath>

namespace talus {

namespace {

Vec3 spin_momentum(const Body& body, const BodyState& state) {
  const Vec3 omega = rotate_back(state.pose.rotation, state.angular_velocity);
  return rotate(state.pose.rotation,
                {body.moments.x * omega.x, body.moments.y * omega.y, body.moments.z * omega.z});
}

double potential_energy(const World& world, const Body& body, const BodyState& state) {
  return body.floats ? 0.0 : -body.mass * dot(world.gravity, state.pose.position);
}

Vec3 angular_momentum(const Body& body, const BodyState& state) {
  return spin_momentum(body, state) + body.mass * cross(state.pose.position, state.velocity);
}

/// The sum of sizes of components: finite if they are, even where their squares overflow.
double size_of(const Vec3& v) {
  return std::abs(v.x) + std::abs(v.y) + std::abs(v.z);
}

/// Sum of quantity(body, state) over the dynamic bodies, in an order that threads do not change.
template <class Value, class Quantity>
Value sum_over_dynamic(const World& world, Quantity&& quantity) {
  return parallel_sum<Value>(world.size(), [&](Index begin, Index end) {
    Value sum{};
    for (Index i = begin; i < end; ++i) {
      const Body& body = world.bodies()[i];
      if (body.kind == BodyKind::dynamic) sum += quantity(body, world.states()[i]);
    }
    return sum;
  });
}

} // namespace

double kinetic_energy(const Body& body, const BodyState& state) {
  return 0.5 * body.mass * dot(state.velocity, state.velocity) +
         0.5 * dot(state.angular_velocity, spin_momentum(body, state));
}

BodyMeasures measures_of(const World& world, Index index, const BodyState& state) {
  const Body& body = world.bodies()[index];
  if (body.kind != BodyKind::dynamic) return {};
  return {kinetic_energy(body, state), potential_energy(world, body, state),
          body.mass * state.velocity, angular_momentum(body, state)};
}

double kinetic_energy(const World& world) {
  return sum_over_dynamic<double>(
      world, [](const Body& body, const BodyState& state) { return kinetic_energy(body, state); });
}

double potential_energy(const World& world) {
  return sum_over_dynamic<double>(world, [&](const Body& body, const BodyState& state) {
    return potential_energy(world, body, state);
  });
}

Vec3 momentum(const World& world) {
  return sum_over_dynamic<Vec3>(
      world, [](const Body& body, const BodyState& state) { return body.mass * state.velocity; });
}

Vec3 angular_momentum(const World& world) {
  return sum_over_dynamic<Vec3>(world, [](const Body& body, const BodyState& state) {
    return angular_momentum(body, state);
  });
}

double size_of_measures(const World& world, Index index, const BodyState& state) {
  const Body& body = world.bodies()[index];
  if (body.kind != BodyKind::dynamic) return 0;
  return kinetic_energy(body, state) + std::abs(potential_energy(world, body, state)) +
         size_of(body.mass * state.velocity) + size_of(angular_momentum(body, state));
}

void require_finite_measures(const World& world) {
  double sum = 0;
  for (Index i = 0; i < world.size(); ++i) {
    sum += size_of_measures(world, i, world.states()[i]);
    if (!std::isfinite(sum))
      throw NonFiniteState(fmt::format("body '{}' is too heavy, too fast or too far away: the "
                                       "energies or momenta of the bodies are not finite",
                                       world.bodies()[i].name));
  }
}

} // namespace talus
