#pragma once
// Energies and momenta of a world, summed over its dynamic bodies.

#include "talus/world/world.h"

namespace talus {

/// ½ m |v|² + ½ ω·I ω of one body.
double kinetic_energy(const Body& body, const BodyState& state);
/// What one body contributes to the sums below; zero unless it is dynamic.
struct BodyMeasures {
  double kinetic_energy = 0, potential_energy = 0;
  Vec3 momentum, angular_momentum;
};
BodyMeasures measures_of(const World& world, Index body, const BodyState& state);

double kinetic_energy(const World& world);
/// -m g·x: in gravity, zero at the origin.
double potential_energy(const World& world);
Vec3 momentum(const World& world);
/// About the origin.
Vec3 angular_momentum(const World& world);

/// The sum of the sizes of all these that `body` has in `state`; 0 unless it is dynamic. Not finite
/// where one of them is not: finite masses and velocities can be too large to be multiplied.
double size_of_measures(const World& world, Index body, const BodyState& state);
/// Throws NonFiniteState, which names a body, if an energy or a momentum of the world overflows.
void require_finite_measures(const World& world);

} // namespace talus
