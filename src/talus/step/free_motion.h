#pragma once
// Motion of one body under forces alone.

#include "talus/world/body.h"

namespace talus {

/// Angular velocity after the time h of a body with principal moments I and the constant world
/// torque τ: the implicit midpoint rule on Euler's equations in the body frame,
///
///     I (ω₁ - ω₀) / h + ω̄ × I ω̄ = Rᵀ τ,    ω̄ = (ω₀ + ω₁) / 2,
///
/// solved by Newton's method. Without torque it keeps the kinetic energy and |I ω| exactly, up to
/// rounding. World axes in and out.
Vec3 free_angular_velocity(const Vec3& moments, const Quaternion& rotation, const Vec3& omega,
                           const Vec3& torque, double h);

} // namespace talus
