#include "talus/step/simulation_state.h"

#include "talus/core/error.h"
#include "talus/world/world.h"

#include <fmt/format.h>

#include <cmath>

namespace talus {

namespace {

/// `name` says which body it is by its number.
template <class Name>
void require_fitting(const SimulationState& state, const WorldSizes& world, Name&& name) {
  if (state.bodies.size() != static_cast<std::size_t>(world.bodies) ||
      state.joint_coordinates.size() != static_cast<std::size_t>(world.joints)) {
    throw InvalidArgument(fmt::format("the state has {} bodies and {} joints, the world {} and {}",
                                      state.bodies.size(), state.joint_coordinates.size(),
                                      world.bodies, world.joints));
  }
  for (std::size_t i = 0; i < state.removed.size(); ++i)
    if (state.removed[i] < 0 || state.removed[i] >= world.bodies ||
        (i > 0 && state.removed[i] <= state.removed[i - 1]))
      throw InvalidArgument("the state's removed bodies are not numbers of bodies, increasing");
  const WarmStart& cache = state.warm_start;
  if (!cache.normals.empty() && cache.normals.size() != cache.contacts.size())
    throw InvalidArgument(fmt::format("the state has {} normals of {} contacts",
                                      cache.normals.size(), cache.contacts.size()));
  if (!cache.moments.empty() && cache.moments.size() != cache.contacts.size())
    throw InvalidArgument(fmt::format("the state has {} moments of {} contacts",
                                      cache.moments.size(), cache.contacts.size()));
  if (!cache.shear.empty() && cache.shear.size() != cache.contacts.size())
    throw InvalidArgument(fmt::format("the state has the shear of {} of {} contacts",
                                      cache.shear.size(), cache.contacts.size()));
  for (const Bond& bond : state.bonds)
    if (bond.collider_a < 0 || bond.collider_b < 0 || bond.collider_a >= world.colliders ||
        bond.collider_b >= world.colliders || !std::isfinite(bond.origin))
      throw InvalidArgument("the state has a bond between shapes that the world does not have");
  for (Index i = 0; i < world.bodies; ++i) {
    const BodyState& body = state.bodies[i];
    if (!is_finite(body.pose) || !is_finite(body.velocity) || !is_finite(body.angular_velocity)) {
      throw InvalidArgument(fmt::format("the state of body {} is not finite", name(i)));
    }
  }
}

} // namespace

void require_fitting(const SimulationState& state, const World& world) {
  WorldSizes sizes{world.size(), static_cast<Index>(world.joints().size()), 0};
  for (const Body& body : world.bodies()) sizes.colliders += static_cast<Index>(body.shapes.size());
  require_fitting(state, sizes, [&](Index i) { return "'" + world.bodies()[i].name + "'"; });
}

void require_fitting(const SimulationState& state, const WorldSizes& world) {
  require_fitting(state, world, [](Index i) { return std::to_string(i); });
}

} // namespace talus
