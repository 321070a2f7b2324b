#pragma once
// Buoyancy and drag of a step (world/fluid.h).
//
// Drag is implicit. With the velocity v of a body, w_k that of medium k and the coefficients c_k at
// the step's end,
//
//     m v⁺ = m v + h f + Σ_k h c_k (w_k - v⁺) + Dγ + Gλ
//
// The step is then solved with the mass m + h Σ c_k and the free velocity
//
//     (m v̂ + h Σ c_k w_k) / (m + h Σ c_k),        v̂ = v + h f / m,
//
// and rotations likewise with the inertia I + h c. So a body at rest feels no drag, whatever the
// step. c_k = linear + quadratic |v⁺ - w_k| takes the speed that the body would have without
// contacts and joints, the root of a quadratic equation; it is exact for free bodies.

#include "talus/world/world.h"

#include <span>
#include <vector>

namespace talus {

/// h times the coefficients of the drag on a body: what counts as its mass and inertia.
struct AddedMass {
  double linear = 0;  ///< kg.
  double angular = 0; ///< kg m².
};

/// What buoyancy and drag need to know of a body; follows the world's revision.
struct FluidBody {
  double volume = 0; ///< Of its shapes, m³; 0: fluids do not act on it.
  double radius = 0; ///< Of the ball with this volume.
};

class Surroundings {
public:
  /// Measures the bodies if there are fluids. Throws nothing; bodies without a volume are passed
  /// by.
  void follow(const World& world);

  /// Adds buoyancy at the start of a step to the wrenches, and notes the immersed shares.
  void add_buoyancy(const World& world, double time, std::span<Wrench> wrenches);

  /// Takes drag into the free velocities (six per body) at time + h. Throws NonFiniteState that
  /// names the body where a flow is not finite.
  void add_drag(const World& world, double time, double h, Span velocities);

  /// Of each body after add_drag(), or empty if no body feels drag.
  std::span<const AddedMass> added_mass() const { return added_; }

private:
  std::vector<FluidBody> bodies_;
  std::vector<double> shares_; ///< Immersed ones: of fluid f and body i at f bodies + i.
  std::vector<AddedMass> added_;
};

} // namespace talus
