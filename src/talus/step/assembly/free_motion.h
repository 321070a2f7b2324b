#pragma once
// Motion of bodies under forces alone: what the step would do without contacts and joints.

#include "talus/problem/contact_problem.h"
#include "talus/step/assembly/drag.h"
#include "talus/world/world.h"

namespace talus {

/// Angular velocity after the time h of a body with principal moments I and the constant world
/// torque τ: the implicit midpoint rule on Euler's equations in the body frame,
///
///     I (ω₁ - ω₀) / h + ω̄ × I ω̄ = Rᵀ τ,    ω̄ = (ω₀ + ω₁) / 2,
///
/// solved by Newton's method. Without torque it keeps the kinetic energy and |I ω| up to rounding.
/// World axes in and out.
Vec3 free_angular_velocity(const Vec3& moments, const Quaternion& rotation, const Vec3& omega,
                           const Vec3& torque, double h);

/// The load of every body, gravity, efforts on joints and the world's force functions at `time`.
/// Throws NonFiniteState that names the body.
void collect_wrenches(const World& world, double time, std::vector<Wrench>& wrenches);

/// Velocities at time + h without contacts and joints, six per body: those of dynamic bodies from
/// the wrenches (confined to the plane in a planar world), those of kinematic bodies as prescribed,
/// zero for fixed ones. Throws NonFiniteState.
void free_velocities(const World& world, double time, double h, std::span<const Wrench> wrenches,
                     Span velocities);

/// Inverse inertia in world axes: R diag(1/I) Rᵀ, or for motion in a plane n nᵀ / (n·I n).
RigidInverseMass inverse_mass_of(const Body& body, const Quaternion& rotation,
                                 const std::optional<Vec3>& plane_normal,
                                 const AddedMass& added = {});

/// The state of a body at the end of a step in which it moves with `velocity` (six entries), which
/// is confined to the plane in a planar world.
BodyState state_after(const World& world, Index body, const double* velocity, double h);

} // namespace talus
