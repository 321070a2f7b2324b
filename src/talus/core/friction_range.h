#pragma once
// Coefficients of friction that contact problems and materials may have.

namespace talus {

/// Under Coulomb's law an error e bounds the normal velocities of sliding contacts by √(1 + µ²) e
/// only (docs/theory/error.md). Beyond this coefficient, which no surface has, an answer that lets
/// bodies fall through each other could pass for a good one.
inline constexpr double largest_friction = 1e4;

} // namespace talus
