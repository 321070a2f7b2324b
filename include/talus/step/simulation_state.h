#pragma once
// Everything that decides the future of a simulation besides its world description and options, as
// plain data. Restoring it and stepping equals stepping on, bit for bit.

#include "talus/collide/contact_point.h"
#include "talus/world/body.h"

#include <vector>

namespace talus {

class World;

/// The impulse of a contact in the last step, in world axes, acting on the body of collider_b.
struct CachedImpulse {
  Index collider_a = 0, collider_b = 0;
  FeatureKey key;
  Vec3 impulse; ///< N s.

  bool operator==(const CachedImpulse&) const = default;
};

/// The multiplier of a joint row in the last step.
struct CachedMultiplier {
  Index joint = 0, row = 0;
  double value = 0; ///< N s or N m s.

  bool operator==(const CachedMultiplier&) const = default;
};

/// Two colliders between which cohesion acts or has acted (Cohesion, world/material.h).
struct Bond {
  Index collider_a = 0, collider_b = 0;
  bool broken = false; ///< True: for good. Those that heal are not listed while they are apart.
  double origin = 0;   ///< The gap at which it began to pull, m; its energy is counted from there.

  bool operator==(const Bond&) const = default;
};

/// The warm-start caches are sorted: contacts by (collider_a, collider_b, key), rows by (joint,
/// row). `step` is the h they belong to: impulses scale with it.
struct WarmStart {
  double step = 0;
  std::vector<CachedImpulse> contacts;
  std::vector<CachedMultiplier> rows;
  /// Normals of these contacts where a material yields, else none: their shear turns with them.
  std::vector<Vec3> normals;
  /// Moments of these contacts in world axes (N m s) where a material resists rolling, else none.
  std::vector<Vec3> moments;
  /// Compliance of these contacts along the surface (m/N) where a material has Young's modulus,
  /// else none: it changes with the load.
  std::vector<double> shear;

  bool operator==(const WarmStart&) const = default;
};

struct SimulationState {
  double time = 0;
  std::int64_t steps = 0;
  std::vector<BodyState> bodies;
  std::vector<double> joint_coordinates;
  std::vector<Index> removed; ///< Bodies that were removed, in increasing order.
  WarmStart warm_start;
  std::vector<Bond> bonds = {}; ///< Sorted by (collider_a, collider_b).

  bool operator==(const SimulationState&) const = default;
};

/// Throws InvalidArgument unless the state's sizes are those of the world and of each other and its
/// bodies' states are finite.
void require_fitting(const SimulationState& state, const World& world);

/// How much there is in a world.
struct WorldSizes {
  Index bodies = 0, joints = 0, colliders = 0;
};
/// The same for a world that is not at hand.
void require_fitting(const SimulationState& state, const WorldSizes& world);

} // namespace talus
