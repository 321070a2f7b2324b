#pragma once
// Gears between joints of bodies that all move.
//
// A gear row, q̇₁ + r q̇₂ = 0, must push two bodies only. Where the joints share a body S, the
// others, X₁ and X₂, move relative to it by screws: V_i = V_S + S_i q̇_i, fixed in S. Any wrench w
// with
//
//     w · S₁ = 1,   w · S₂ = -r     then gives     w · (V₁ - V₂) = q̇₁ + r q̇₂,
//
// without V_S: it is the force between the teeth where they meet. The one of least norm is taken.
// There is none where S₁ and S₂ are parallel (the axes coincide, or both bodies slide the same way)
// unless the ratio is that of bodies that move as one.

#include "talus/world/world.h"

#include <optional>

namespace talus {

/// What the two bodies feel of the gear: q̇₁ + r q̇₂ = linear_a · v_a + angular_a · ω_a + ...
struct GearMesh {
  Index body_a = ground, body_b = ground; ///< b is no ground.
  Vec3 linear_a, angular_a, linear_b, angular_b;
};

/// True if each joint has one side that is the ground or a fixed body: its coordinate is then a
/// motion of one body.
bool is_grounded_gear(const World& world, const Joint& first, const Joint& second);

/// Of revolute and prismatic joints that share a body; nothing if no two bodies can be pushed.
std::optional<GearMesh> gear_mesh(const World& world, const Joint& first, const Joint& second,
                                  double ratio);

} // namespace talus
