#pragma once
// Rigid motions: x ↦ R(rotation) x + position, from a local frame to its parent (usually the
// world).

#include "talus/core/quaternion.h"
#include "talus/core/vec3.h"

namespace talus {

struct Transform {
  Vec3 position;
  Quaternion rotation;

  static constexpr Transform identity() { return {}; }
  /// Image of the local point x.
  constexpr Vec3 operator()(const Vec3& x) const { return rotate(rotation, x) + position; }
  constexpr bool operator==(const Transform&) const = default;
};

/// First b, then a.
constexpr Transform operator*(const Transform& a, const Transform& b) {
  return {a(b.position), a.rotation * b.rotation};
}
constexpr Transform inverse(const Transform& a) {
  const Quaternion r = conjugate(a.rotation);
  return {-rotate(r, a.position), r};
}
/// Local coordinates of the parent-frame point x.
constexpr Vec3 to_local(const Transform& a, const Vec3& x) {
  return rotate_back(a.rotation, x - a.position);
}
inline bool is_finite(const Transform& a) {
  return is_finite(a.position) && is_finite(a.rotation);
}

} // namespace talus
