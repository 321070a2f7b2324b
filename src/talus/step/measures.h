#pragma once
// Energies and momenta of a world, summed over its dynamic bodies.

#include "talus/world/world.h"

namespace talus {

/// ½ m |v|² + ½ ω·I ω of one body.
double kinetic_energy(const Body& body, const BodyState& state);
double kinetic_energy(const World& world);
/// -m g·x: in gravity, zero at the origin.
double potential_energy(const World& world);
Vec3 momentum(const World& world);
/// About the origin.
Vec3 angular_momentum(const World& world);

} // namespace talus
