#include "talus/shape/ray_interval.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr RayInterval whole{-Bounds::inf, Bounds::inf};

RayInterval common(const RayInterval& a, const RayInterval& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// a s² + 2 b s + c ≤ 0 for a ≥ 0.
RayInterval below_zero(double a, double b, double c) {
  if (a == 0) return c <= 0 ? whole : RayInterval{};
  const double discriminant = b * b - a * c;
  if (!(discriminant > 0)) return {};
  const double root = std::sqrt(discriminant);
  return {(-b - root) / a, (-b + root) / a};
}

/// slope s ≤ room.
RayInterval half_line(double slope, double room) {
  if (slope == 0) return room >= 0 ? whole : RayInterval{};
  return slope > 0 ? RayInterval{-Bounds::inf, room / slope}
                   : RayInterval{room / slope, Bounds::inf};
}

RayInterval ball(const Vec3& o, const Vec3& d, double r) {
  return below_zero(dot(d, d), dot(o, d), dot(o, o) - r * r);
}

RayInterval tube(const Vec3& o, const Vec3& d, double r, double half) {
  const RayInterval round =
      below_zero(d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y - r * r);
  return common(round, common(half_line(d.z, half - o.z), half_line(-d.z, half + o.z)));
}

struct Visitor {
  Vec3 o, d; ///< In the frame of the shape.

  RayInterval operator()(const Sphere& s) const { return ball(o, d, s.radius); }
  RayInterval operator()(const Ellipsoid& s) const {
    const auto scaled = [&](const Vec3& v) {
      return Vec3{v.x / s.radii.x, v.y / s.radii.y, v.z / s.radii.z};
    };
    return ball(scaled(o), scaled(d), 1);
  }
  RayInterval operator()(const Cylinder& s) const { return tube(o, d, s.radius, s.half_length); }
  /// The hull of what the tube and the two balls give.
  RayInterval operator()(const Capsule& s) const {
    RayInterval sum;
    const Vec3 up{0, 0, s.half_length};
    for (const RayInterval& each : {tube(o, d, s.radius, s.half_length), ball(o - up, d, s.radius),
                                    ball(o + up, d, s.radius)}) {
      if (each.begin > each.end) continue;
      sum = {std::min(sum.begin, each.begin), std::max(sum.end, each.end)};
    }
    return sum;
  }
  RayInterval operator()(const Box& s) const { return of(s.surface); }
  RayInterval operator()(const ConvexHull& s) const { return of(s.surface); }
  template <class Other>
  RayInterval operator()(const Other&) const {
    return {};
  }

private:
  RayInterval of(const Polyhedron& p) const {
    RayInterval inside = whole;
    for (const auto& face : p.faces)
      inside = common(inside, half_line(dot(face.normal, d), face.offset - dot(face.normal, o)));
    return inside;
  }
};

} // namespace

RayInterval ray_interval(const Shape& shape, const Transform& pose, const Vec3& origin,
                         const Vec3& direction) {
  return std::visit(Visitor{rotate_back(pose.rotation, origin - pose.position),
                            rotate_back(pose.rotation, direction)},
                    shape.geometry);
}

} // namespace talus
