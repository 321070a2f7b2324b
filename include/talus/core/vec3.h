#pragma once
// Vectors and matrices of three dimensions, as plain values.

#include <cmath>

namespace talus {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  constexpr double& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  constexpr Vec3& operator+=(const Vec3& b) { return x += b.x, y += b.y, z += b.z, *this; }
  constexpr Vec3& operator-=(const Vec3& b) { return x -= b.x, y -= b.y, z -= b.z, *this; }
  constexpr Vec3& operator*=(double s) { return x *= s, y *= s, z *= s, *this; }
  constexpr bool operator==(const Vec3&) const = default;
};

constexpr Vec3 operator+(Vec3 a, const Vec3& b) {
  return a += b;
}
constexpr Vec3 operator-(Vec3 a, const Vec3& b) {
  return a -= b;
}
constexpr Vec3 operator-(const Vec3& a) {
  return {-a.x, -a.y, -a.z};
}
constexpr Vec3 operator*(Vec3 a, double s) {
  return a *= s;
}
constexpr Vec3 operator*(double s, Vec3 a) {
  return a *= s;
}
constexpr Vec3 operator/(const Vec3& a, double s) {
  return {a.x / s, a.y / s, a.z / s};
}

constexpr double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Vec3& a) {
  return std::sqrt(dot(a, a));
}
/// a / |a|; a must not be zero.
inline Vec3 normalized(const Vec3& a) {
  return a / norm(a);
}
inline bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// Row-major 3x3 matrix.
struct Mat3 {
  double m[9] = {};

  static constexpr Mat3 identity() { return {{1, 0, 0, 0, 1, 0, 0, 0, 1}}; }
  static constexpr Mat3 diagonal(const Vec3& d) { return {{d.x, 0, 0, 0, d.y, 0, 0, 0, d.z}}; }
  static constexpr Mat3 columns(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
  }
  /// [a]x, with skew(a) b = a x b.
  static constexpr Mat3 skew(const Vec3& a) { return {{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}}; }

  constexpr double& operator()(int i, int j) { return m[3 * i + j]; }
  constexpr double operator()(int i, int j) const { return m[3 * i + j]; }
  constexpr Vec3 row(int i) const { return {m[3 * i], m[3 * i + 1], m[3 * i + 2]}; }
  constexpr Vec3 column(int j) const { return {m[j], m[3 + j], m[6 + j]}; }
  constexpr bool operator==(const Mat3&) const = default;
};

constexpr Vec3 operator*(const Mat3& a, const Vec3& b) {
  return {dot(a.row(0), b), dot(a.row(1), b), dot(a.row(2), b)};
}
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  return Mat3::columns(a * b.column(0), a * b.column(1), a * b.column(2));
}
constexpr Mat3 operator+(Mat3 a, const Mat3& b) {
  for (int i = 0; i < 9; ++i) a.m[i] += b.m[i];
  return a;
}
constexpr Mat3 operator*(double s, Mat3 a) {
  for (double& v : a.m) v *= s;
  return a;
}
constexpr Mat3 transpose(const Mat3& a) {
  return Mat3::columns(a.row(0), a.row(1), a.row(2));
}
/// aᵀ b without forming the transpose.
constexpr Vec3 transpose_times(const Mat3& a, const Vec3& b) {
  return {dot(a.column(0), b), dot(a.column(1), b), dot(a.column(2), b)};
}
constexpr double determinant(const Mat3& a) {
  return dot(a.row(0), cross(a.row(1), a.row(2)));
}
/// Inverse by cofactors; the determinant must not be zero.
constexpr Mat3 inverse(const Mat3& a) {
  const Vec3 r0 = a.row(0), r1 = a.row(1), r2 = a.row(2);
  const double s = 1 / determinant(a);
  return s * Mat3::columns(cross(r1, r2), cross(r2, r0), cross(r0, r1));
}

/// A unit vector orthogonal to the unit vector n (Duff et al., "Building an Orthonormal Basis,
/// Revisited", 2017). It varies continuously over each of the halves n.z >= 0 and n.z < 0 and jumps
/// between them: -0.0 and 0.0 give different vectors.
inline Vec3 orthogonal_unit(const Vec3& n) {
  const double sign = std::copysign(1.0, n.z);
  const double a = -1.0 / (sign + n.z);
  return {1.0 + sign * n.x * n.x * a, sign * n.x * n.y * a, -sign * n.x};
}

} // namespace talus
