#include "talus/step/laws/contact_radius.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Curvatures in the shape's own frame; n is the unit normal there.
struct LocalCurvature {
  Vec3 point, n;

  static Mat3 outer(const Vec3& a) {
    return {{a.x * a.x, a.x * a.y, a.x * a.z, a.y * a.x, a.y * a.y, a.y * a.z, a.z * a.x, a.z * a.y,
             a.z * a.z}};
  }
  Mat3 sphere(double radius) const {
    return (1 / radius) * (Mat3::diagonal({1, 1, 1}) + -1.0 * outer(n));
  }
  /// Curved about z alone.
  Mat3 side(double radius) const {
    const double length = hypotenuse_of_xy();
    if (!(length > 0)) return {};
    return (1 / radius) * outer(Vec3{-n.y / length, n.x / length, 0});
  }
  double hypotenuse_of_xy() const { return std::sqrt(n.x * n.x + n.y * n.y); }

  Mat3 operator()(const Sphere& s) const { return sphere(s.radius); }
  Mat3 operator()(const Capsule& s) const {
    return std::abs(point.z) < s.half_length ? side(s.radius) : sphere(s.radius);
  }
  /// Its ends are flat. At the rim, what the normal is nearer to.
  Mat3 operator()(const Cylinder& s) const { return n.z * n.z < 0.5 ? side(s.radius) : Mat3{}; }
  /// Of Σ (x_i / a_i)² = 1 at the point with normal n: K = P diag(1/a²) P / |x_i / a_i²|.
  Mat3 operator()(const Ellipsoid& s) const {
    const Vec3 a = s.radii;
    const Vec3 scaled{a.x * n.x, a.y * n.y, a.z * n.z};
    const double gradient = 1 / norm(scaled);
    const Mat3 tangent = Mat3::diagonal({1, 1, 1}) + -1.0 * outer(n);
    const Mat3 second = Mat3::diagonal({1 / (a.x * a.x), 1 / (a.y * a.y), 1 / (a.z * a.z)});
    return (1 / gradient) * (tangent * second * tangent);
  }
  template <class Flat>
  Mat3 operator()(const Flat&) const {
    return {};
  }
};

} // namespace

Mat3 surface_curvature(const Shape& shape, const Transform& pose, Index child, const Vec3& point,
                       const Vec3& normal) {
  if (const auto* compound = std::get_if<Compound>(&shape.geometry)) {
    const Compound::Child& part = compound->children[child];
    return surface_curvature(*part.shape, pose * part.pose, 0, point, normal);
  }
  const LocalCurvature local{rotate_back(pose.rotation, point - pose.position),
                             rotate_back(pose.rotation, normal)};
  const Mat3 r = rotation_matrix(pose.rotation);
  return r * std::visit(local, shape.geometry) * transpose(r);
}

double contact_radius(const Mat3& curvature, const Vec3& normal, double bounding_radius) {
  const Vec3 t = orthogonal_unit(normal), o = cross(normal, t);
  const double a = dot(t, curvature * t), b = dot(t, curvature * o), d = dot(o, curvature * o);
  const double mean = 0.5 * (a + d), half = 0.5 * (a - d);
  const double spread = std::sqrt(half * half + b * b);
  const double least = bounding_radius > 0 ? 0.25 / bounding_radius : 1e-9;
  return 1 / std::sqrt(std::max(mean + spread, least) * std::max(mean - spread, least));
}

double contact_radius(const World& world, const ContactPoint& contact, Index shape_a, Index shape_b,
                      double bounding_radius) {
  const auto curvature = [&](Index body, Index number, std::uint64_t child, const Vec3& normal) {
    const BodyShape& shape = world.bodies()[body].shapes[number];
    return surface_curvature(*shape.shape, world.states()[body].pose * shape.pose,
                             static_cast<Index>(child), contact.point, normal);
  };
  const std::uint64_t children = contact.key.children;
  return contact_radius(
      curvature(contact.body_a, shape_a, children >> 32, contact.normal) +
          curvature(contact.body_b, shape_b, children & 0xffffffffu, -1.0 * contact.normal),
      contact.normal, bounding_radius);
}

} // namespace talus
