#include "talus/shape/mass_properties.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

constexpr double pi = std::numbers::pi;

Mat3 outer(const Vec3& a, const Vec3& b) {
  return Mat3::columns(b.x * a, b.y * a, b.z * a);
}

/// m (|r|² 1 - r rᵀ): what a point mass m at r adds to the inertia about the origin.
Mat3 point_inertia(double m, const Vec3& r) {
  return m * (dot(r, r) * Mat3::identity() + -1.0 * outer(r, r));
}

MassProperties centred(double mass, const Vec3& moments) {
  return {mass, {}, Mat3::diagonal(moments)};
}

/// Sums over the tetrahedra (reference point, triangle) of a closed surface: volume, first and
/// second moments ∫ 1, ∫ r, ∫ r rᵀ, with r relative to the reference point for accuracy.
class VolumeIntegral {
public:
  explicit VolumeIntegral(const Vec3& reference) : reference_(reference) {}

  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 p = a - reference_, q = b - reference_, r = c - reference_;
    const double six_volume = dot(p, cross(q, r));
    const Vec3 sum = p + q + r;
    volume_ += six_volume / 6;
    first_ += (six_volume / 24) * sum;
    second_ =
        second_ + (six_volume / 120) * (outer(p, p) + outer(q, q) + outer(r, r) + outer(sum, sum));
  }

  MassProperties properties(double density) const {
    const double mass = density * volume_;
    const Vec3 centre = first_ / volume_;
    const Mat3 s = second_ + -volume_ * outer(centre, centre);
    const double trace = s(0, 0) + s(1, 1) + s(2, 2);
    return {mass, reference_ + centre, density * (trace * Mat3::identity() + -1.0 * s)};
  }

private:
  Vec3 reference_;
  double volume_ = 0;
  Vec3 first_;
  Mat3 second_;
};

[[noreturn]] void no_volume(std::string_view what) {
  throw InvalidArgument(
      fmt::format("mass_properties: {} has no finite volume; give the body's mass "
                  "and inertia directly or use a closed shape",
                  what));
}

struct Visitor {
  double density;

  MassProperties operator()(const Sphere& s) const {
    const double m = density * 4 / 3 * pi * s.radius * s.radius * s.radius;
    const double i = 0.4 * m * s.radius * s.radius;
    return centred(m, {i, i, i});
  }
  MassProperties operator()(const Box& s) const {
    const Vec3& h = s.half_extents;
    const double m = density * 8 * h.x * h.y * h.z;
    const double xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
    return centred(m, (m / 3) * Vec3{yy + zz, xx + zz, xx + yy});
  }
  MassProperties operator()(const Cylinder& s) const {
    const double rr = s.radius * s.radius;
    const double m = density * 2 * pi * rr * s.half_length;
    const double across = m * (rr / 4 + s.half_length * s.half_length / 3);
    return centred(m, {across, across, m * rr / 2});
  }
  /// The cylinder plus two half balls, whose centres of mass lie 3/8 r beyond its ends.
  MassProperties operator()(const Capsule& s) const {
    const MassProperties tube = (*this)(Cylinder{s.radius, s.half_length});
    const MassProperties ball = (*this)(Sphere{s.radius});
    const double r = s.radius, h = s.half_length;
    const double shift = h * h + 2 * h * 3 * r / 8;
    const double across = tube.inertia(0, 0) + ball.inertia(0, 0) + ball.mass * shift;
    return centred(tube.mass + ball.mass,
                   {across, across, tube.inertia(2, 2) + ball.inertia(2, 2)});
  }
  MassProperties operator()(const Ellipsoid& s) const {
    const Vec3& r = s.radii;
    const double m = density * 4 / 3 * pi * r.x * r.y * r.z;
    const double xx = r.x * r.x, yy = r.y * r.y, zz = r.z * r.z;
    return centred(m, (m / 5) * Vec3{yy + zz, xx + zz, xx + yy});
  }
  MassProperties operator()(const ConvexHull& s) const {
    const Polyhedron& p = s.surface;
    VolumeIntegral integral(p.vertices[0]);
    for (const auto& face : p.faces) {
      for (Index k = 1; k + 1 < face.count; ++k) {
        integral.add(p.vertices[p.loop[face.first]], p.vertices[p.loop[face.first + k]],
                     p.vertices[p.loop[face.first + k + 1]]);
      }
    }
    return integral.properties(density);
  }
  MassProperties operator()(const TriangleMesh& s) const {
    if (!s.closed) no_volume("an open or inward-facing triangle_mesh");
    VolumeIntegral integral(s.tree.front().bounds.centre());
    for (const Triangle& t : s.triangles) {
      integral.add(s.vertices[t[0]], s.vertices[t[1]], s.vertices[t[2]]);
    }
    return integral.properties(density);
  }
  MassProperties operator()(const Compound& s) const {
    if (s.solid) return {density * s.solid->volume, s.solid->centre, density * s.solid->inertia};
    MassProperties total;
    for (const auto& child : s.children) {
      total = combined(total, transformed(std::visit(*this, child.shape->geometry), child.pose));
    }
    return total;
  }
  MassProperties operator()(const HalfSpace&) const { no_volume("a half_space"); }
  MassProperties operator()(const HeightField&) const { no_volume("a height_field"); }
};

/// One Jacobi rotation that zeroes a(p, q), applied to A and accumulated in R.
void jacobi_rotate(Mat3& a, Mat3& r, int p, int q) {
  if (a(p, q) == 0) return;
  const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
  const double t = std::copysign(1.0, theta) / (std::abs(theta) + hypotenuse(theta, 1.0));
  const double c = 1 / std::sqrt(1 + t * t), s = t * c;
  Mat3 g = Mat3::identity();
  g(p, p) = g(q, q) = c;
  g(p, q) = s;
  g(q, p) = -s;
  a = transpose(g) * (a * g);
  a(p, q) = a(q, p) = 0;
  r = r * g;
}

} // namespace

MassProperties mass_properties(const Shape& shape, double density) {
  if (!(density > 0) || !std::isfinite(density)) {
    throw InvalidArgument(
        fmt::format("mass_properties: the density must be positive and finite, not {}", density));
  }
  return std::visit(Visitor{density}, shape.geometry);
}

MassProperties with_mass(MassProperties properties, double mass) {
  if (!(mass > 0) || !std::isfinite(mass)) {
    throw InvalidArgument(fmt::format("the mass must be positive and finite, not {}", mass));
  }
  properties.inertia = (mass / properties.mass) * properties.inertia;
  properties.mass = mass;
  return properties;
}

MassProperties transformed(const MassProperties& p, const Transform& pose) {
  const Mat3 r = rotation_matrix(pose.rotation);
  return {p.mass, pose(p.centre), r * p.inertia * transpose(r)};
}

MassProperties combined(const MassProperties& a, const MassProperties& b) {
  MassProperties sum;
  sum.mass = a.mass + b.mass;
  if (sum.mass == 0) return sum;
  sum.centre = (a.mass / sum.mass) * a.centre + (b.mass / sum.mass) * b.centre;
  sum.inertia = a.inertia + b.inertia + point_inertia(a.mass, a.centre - sum.centre) +
                point_inertia(b.mass, b.centre - sum.centre);
  return sum;
}

SymmetricEigen symmetric_eigen(const Mat3& matrix) {
  Mat3 a = matrix, r = Mat3::identity();
  for (double& v : a.m) {
    if (!std::isfinite(v)) throw InvalidArgument("symmetric_eigen: the matrix must be finite");
  }
  // Cyclic Jacobi converges quadratically; a handful of sweeps reach rounding for any 3x3 matrix.
  for (int sweep = 0; sweep < 32; ++sweep) {
    const double off = std::abs(a(0, 1)) + std::abs(a(0, 2)) + std::abs(a(1, 2));
    const double on = std::abs(a(0, 0)) + std::abs(a(1, 1)) + std::abs(a(2, 2));
    if (off <= 1e-17 * on) break;
    jacobi_rotate(a, r, 0, 1);
    jacobi_rotate(a, r, 0, 2);
    jacobi_rotate(a, r, 1, 2);
  }
  return {{a(0, 0), a(1, 1), a(2, 2)}, quaternion_from_matrix(r)};
}

PrincipalFrame principal_frame(const MassProperties& properties) {
  const SymmetricEigen eigen = symmetric_eigen(properties.inertia);
  const Transform body_in_shape{properties.centre, eigen.axes};
  return {eigen.values, body_in_shape, inverse(body_in_shape)};
}

} // namespace talus
