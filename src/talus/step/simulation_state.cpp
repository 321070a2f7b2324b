#include "talus/step/simulation_state.h"

#include "talus/core/error.h"
#include "talus/world/world.h"

#include <fmt/format.h>

#include <cmath>

namespace talus {

void require_fitting(const SimulationState& state, const World& world) {
  if (state.bodies.size() != world.states().size() ||
      state.joint_coordinates.size() != world.joint_coordinates().size()) {
    throw InvalidArgument(fmt::format("the state has {} bodies and {} joints, the world {} and {}",
                                      state.bodies.size(), state.joint_coordinates.size(),
                                      world.states().size(), world.joint_coordinates().size()));
  }
  for (std::size_t i = 0; i < state.removed.size(); ++i)
    if (state.removed[i] < 0 || state.removed[i] >= world.size() ||
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
  const auto colliders = [&] {
    std::size_t count = 0;
    for (const Body& body : world.bodies()) count += body.shapes.size();
    return static_cast<Index>(count);
  };
  for (const Bond& bond : state.bonds)
    if (bond.collider_a < 0 || bond.collider_b < 0 || bond.collider_a >= colliders() ||
        bond.collider_b >= colliders() || !std::isfinite(bond.origin))
      throw InvalidArgument("the state has a bond between shapes that the world does not have");
  for (Index i = 0; i < world.size(); ++i) {
    const BodyState& body = state.bodies[i];
    if (!is_finite(body.pose) || !is_finite(body.velocity) || !is_finite(body.angular_velocity)) {
      throw InvalidArgument(
          fmt::format("the state of body '{}' is not finite", world.bodies()[i].name));
    }
  }
}

} // namespace talus
