#pragma once
// Unit quaternions as rotations. q = (w, v) rotates x to q x q*; the product p q rotates by q
// first, then by p. Angles in radians, angular velocities and rotation vectors in world axes.

#include "talus/core/elementary.h"
#include "talus/core/vec3.h"

#include <cmath>

namespace talus {

struct Quaternion {
  double w = 1, x = 0, y = 0, z = 0;

  static constexpr Quaternion identity() { return {}; }
  constexpr Vec3 vector() const { return {x, y, z}; }
  constexpr bool operator==(const Quaternion&) const = default;
};

/// Hamilton product: first q, then p.
constexpr Quaternion operator*(const Quaternion& p, const Quaternion& q) {
  return {
      p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
      p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}
constexpr Quaternion conjugate(const Quaternion& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
inline double norm(const Quaternion& q) {
  return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}
/// q / |q|; q must not be zero.
inline Quaternion normalized(const Quaternion& q) {
  const double s = 1 / norm(q);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}
inline bool is_finite(const Quaternion& q) {
  return std::isfinite(q.w) && is_finite(q.vector());
}

/// R(q) a for a unit quaternion.
constexpr Vec3 rotate(const Quaternion& q, const Vec3& a) {
  const Vec3 t = 2 * cross(q.vector(), a);
  return a + q.w * t + cross(q.vector(), t);
}
/// R(q)ᵀ a.
constexpr Vec3 rotate_back(const Quaternion& q, const Vec3& a) {
  return rotate(conjugate(q), a);
}

/// R(q), the matrix with columns R e_x, R e_y, R e_z.
constexpr Mat3 rotation_matrix(const Quaternion& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz),
           2 * (yz - wx), 2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
}

/// The unit quaternion, with w ≥ 0, of a rotation matrix; divides by the largest component only
/// (Shepperd 1978).
inline Quaternion quaternion_from_matrix(const Mat3& r) {
  const double t0 = r(0, 0), t1 = r(1, 1), t2 = r(2, 2);
  const double four[4] = {1 + t0 + t1 + t2, 1 + t0 - t1 - t2, 1 - t0 + t1 - t2, 1 - t0 - t1 + t2};
  int k = 0;
  for (int i = 1; i < 4; ++i) {
    if (four[i] > four[k]) k = i;
  }
  const double wx = r(2, 1) - r(1, 2), wy = r(0, 2) - r(2, 0), wz = r(1, 0) - r(0, 1);
  const double xy = r(1, 0) + r(0, 1), xz = r(0, 2) + r(2, 0), yz = r(2, 1) + r(1, 2);
  Quaternion q;
  if (k == 0) {
    q = {four[0], wx, wy, wz};
  } else if (k == 1) {
    q = {wx, four[1], xy, xz};
  } else if (k == 2) {
    q = {wy, xy, four[2], yz};
  } else {
    q = {wz, xz, yz, four[3]};
  }
  q = normalized(q);
  return q.w < 0 ? Quaternion{-q.w, -q.x, -q.y, -q.z} : q;
}

/// exp(θ/2): the rotation by |θ| about θ/|θ|, accurate also for tiny and zero θ.
inline Quaternion exponential_map(const Vec3& theta) {
  const double angle = norm(theta);
  const double half = angle / 2;
  // sin(a/2)/a; below 1e-4 the next Taylor term, a⁴/3840, is under one unit in the last place.
  const auto [sine, cosine] = sine_cosine(half);
  const double s = angle > 1e-4 ? sine / angle : 0.5 - angle * angle / 48;
  return {cosine, s * theta.x, s * theta.y, s * theta.z};
}

/// The rotation vector θ with exponential_map(θ) = ±q and |θ| ≤ π.
inline Vec3 logarithmic_map(const Quaternion& q) {
  const Vec3 v = q.w < 0 ? -q.vector() : q.vector();
  const double sine = norm(v), cosine = std::abs(q.w);
  return (sine > 0 ? 2 * angle_of(sine, cosine) / sine : 2.0) * v;
}

/// Rotation by `angle` about `axis`, which need not be of unit length but must not be zero.
inline Quaternion axis_angle(const Vec3& axis, double angle) {
  return exponential_map(angle * normalized(axis));
}

/// The shortest rotation that takes the unit vector a to the unit vector b.
inline Quaternion rotation_between(const Vec3& a, const Vec3& b) {
  const double c = dot(a, b);
  if (c < -1 + 1e-14) {
    const Vec3 u = orthogonal_unit(a);
    return {0, u.x, u.y, u.z};
  }
  const Vec3 v = cross(a, b);
  return normalized(Quaternion{1 + c, v.x, v.y, v.z});
}

/// Orientation after turning with the world angular velocity ω for the time h: exp(h ω / 2) q,
/// brought back to unit length.
inline Quaternion advance(const Quaternion& q, const Vec3& angular_velocity, double h) {
  return normalized(exponential_map(h * angular_velocity) * q);
}

} // namespace talus
