#include "talus/shape/immersion.h"

#include "talus/core/elementary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

constexpr double pi = std::numbers::pi;

/// normal · x ≤ offset in the frame of a shape.
struct Plane {
  Vec3 normal;
  double offset;
};

/// Sums volumes with their first moments about a reference point.
class Sum {
public:
  explicit Sum(const Vec3& reference) : reference_(reference) {}

  /// The tetrahedron from the reference point to a triangle of the surface.
  void add_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 p = a - reference_, q = b - reference_, r = c - reference_;
    const double volume = dot(p, cross(q, r)) / 6;
    volume_ += volume;
    first_ += (volume / 4) * (p + q + r);
  }
  void add(double volume, const Vec3& centre) {
    volume_ += volume;
    first_ += volume * (centre - reference_);
  }
  SolidPart part() const {
    if (!(volume_ > 0)) return {};
    return {volume_, reference_ + first_ / volume_};
  }

private:
  Vec3 reference_;
  double volume_ = 0;
  Vec3 first_;
};

/// The surface below the plane, seen from a point on the plane: the lid that closes it lies in the
/// plane and spans no volume with that point, so it need not be made.
class ClippedSurface {
public:
  ClippedSurface(const Plane& plane, const Vec3& near)
      : plane_(plane), sum_(near + (plane.offset - dot(plane.normal, near)) * plane.normal) {}

  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    const std::array<Vec3, 3> corners = {a, b, c};
    const std::array<double, 3> height = {over(a), over(b), over(c)};
    std::array<Vec3, 4> kept;
    std::size_t count = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      if (height[i] <= 0) kept[count++] = corners[i];
      if ((height[i] <= 0) != (height[j] <= 0)) {
        const double share = height[i] / (height[i] - height[j]);
        kept[count++] = corners[i] + share * (corners[j] - corners[i]);
      }
    }
    for (std::size_t k = 2; k < count; ++k) sum_.add_triangle(kept[0], kept[k - 1], kept[k]);
  }
  SolidPart part() const { return sum_.part(); }

private:
  double over(const Vec3& p) const { return dot(plane_.normal, p) - plane_.offset; }

  Plane plane_;
  Sum sum_;
};

/// The cap of the unit ball below z = d.
SolidPart unit_cap(double d) {
  if (d <= -1) return {};
  if (d >= 1) return {4 * pi / 3, {}};
  const double height = 1 + d;
  const double volume = pi * height * height * (3 - height) / 3;
  const double first = -pi / 4 * (1 - d * d) * (1 - d * d); // ∫ z (1 - z²) π dz
  return {volume, {0, 0, first / volume}};
}

/// A disc of radius r, cut by x ≤ δ: its area and ∫ x.
struct Segment {
  double area, first;
};
Segment segment_of(double r, double delta) {
  if (delta <= -r) return {0, 0};
  if (delta >= r) return {pi * r * r, 0};
  const double half = std::sqrt((r - delta) * (r + delta));
  return {r * r * (pi - angle_of(half, delta)) + delta * half, -2.0 / 3 * half * half * half};
}

/// Nodes on [0, 1] and weights of Gauss's rule with 16 points.
struct GaussPoint {
  double place, weight;
};
constexpr std::array<GaussPoint, 8> half_rule = {{{0.0950125098376374402, 0.1894506104550684963},
                                                  {0.2816035507792589132, 0.1826034150449235889},
                                                  {0.4580167776572273863, 0.1691565193950025382},
                                                  {0.6178762444026437484, 0.1495959888165767321},
                                                  {0.7554044083550030339, 0.1246289712555338720},
                                                  {0.8656312023878317439, 0.0951585116824927848},
                                                  {0.9445750230732325761, 0.0622535239386478929},
                                                  {0.9894009349916499326, 0.0271524594117540949}}};

/// Solids of revolution about z: discs of radius r(z) for |z| ≤ top, cut by the plane. Between the
/// places where a disc begins to be cut the integrand is smooth but for roots at the ends, which
/// z = middle - half cos θ takes away.
template <class Radius>
class Revolved {
public:
  Revolved(const Plane& plane, double top, Radius radius)
      : top_(top), radius_(radius), offset_(plane.offset), up_(plane.normal.z),
        side_(hypotenuse(plane.normal.x, plane.normal.y)) {
    across_ = side_ > 0 ? Vec3{plane.normal.x / side_, plane.normal.y / side_, 0} : Vec3{1, 0, 0};
  }

  /// `kinks` are where r(z) is not smooth, and where the plane leaves the surface.
  template <std::size_t count>
  SolidPart part(std::array<double, count> kinks) const {
    std::array<double, count + 2> ends;
    for (std::size_t i = 0; i < count; ++i)
      ends[i] = std::isfinite(kinks[i]) ? std::clamp(kinks[i], -top_, top_) : top_;
    ends[count] = -top_;
    ends[count + 1] = top_;
    std::ranges::sort(ends);
    double volume = 0, first_z = 0, first_across = 0;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const double middle = 0.5 * (ends[i] + ends[i + 1]), half = 0.5 * (ends[i + 1] - ends[i]);
      if (!(half > 0)) continue;
      for (const GaussPoint& point : half_rule)
        for (const double sign : {-1.0, 1.0}) {
          const SineCosine turn = sine_cosine(pi / 2 * (1 + sign * point.place));
          const double z = middle - half * turn.cosine;
          const double weight = pi / 2 * point.weight * half * turn.sine;
          const Segment disc = cut_at(z);
          volume += weight * disc.area;
          first_z += weight * disc.area * z;
          first_across += weight * disc.first;
        }
    }
    if (!(volume > 0)) return {};
    return {volume, (first_across / volume) * across_ + Vec3{0, 0, first_z / volume}};
  }

private:
  Segment cut_at(double z) const {
    const double r = radius_(z), room = offset_ - up_ * z;
    if (side_ <= 1e-14) return room >= 0 ? Segment{pi * r * r, 0} : Segment{0, 0};
    return segment_of(r, room / side_);
  }

  double top_;
  Radius radius_;
  double offset_, up_, side_;
  Vec3 across_;
};

struct Visitor {
  Plane plane;

  SolidPart operator()(const Sphere& s) const {
    return (*this)(Ellipsoid{{s.radius, s.radius, s.radius}});
  }
  /// Scaling turns it into the unit ball, and the plane into n'·y ≤ d with n' = (n_i r_i).
  SolidPart operator()(const Ellipsoid& s) const {
    const Vec3& r = s.radii;
    const Vec3 scaled{plane.normal.x * r.x, plane.normal.y * r.y, plane.normal.z * r.z};
    const double length = norm(scaled);
    const SolidPart cap = unit_cap(plane.offset / length);
    const Vec3 centre = (cap.centre.z / length) * scaled;
    return {cap.volume * r.x * r.y * r.z, {centre.x * r.x, centre.y * r.y, centre.z * r.z}};
  }
  SolidPart operator()(const Box& s) const { return of(s.surface); }
  SolidPart operator()(const ConvexHull& s) const { return of(s.surface); }
  SolidPart operator()(const TriangleMesh& s) const {
    if (!s.closed) return {};
    ClippedSurface surface(plane, s.tree.front().bounds.centre());
    for (const Triangle& t : s.triangles)
      surface.add(s.vertices[t[0]], s.vertices[t[1]], s.vertices[t[2]]);
    return surface.part();
  }
  SolidPart operator()(const Cylinder& s) const {
    const double side = hypotenuse(plane.normal.x, plane.normal.y), up = plane.normal.z;
    const Revolved revolved(plane, s.half_length, [r = s.radius](double) { return r; });
    return revolved.part(
        std::array{(plane.offset - side * s.radius) / up, (plane.offset + side * s.radius) / up});
  }
  SolidPart operator()(const Capsule& s) const {
    const double side = hypotenuse(plane.normal.x, plane.normal.y), up = plane.normal.z;
    const double r = s.radius, h = s.half_length;
    const Revolved revolved(plane, h + r, [r, h](double z) {
      const double beyond = std::max(std::abs(z) - h, 0.0);
      return std::sqrt(std::max(0.0, (r - beyond) * (r + beyond)));
    });
    // A plane leaves the ball about (0, 0, ±h) at z = ±h + d up ± side √(r² - d²).
    const auto on_ball = [&](double centre, double sign) {
      const double d = plane.offset - up * centre;
      return centre + d * up + sign * side * std::sqrt(std::max(0.0, (r - d) * (r + d)));
    };
    return revolved.part(std::array{-h, h, (plane.offset - side * r) / up,
                                    (plane.offset + side * r) / up, on_ball(h, -1), on_ball(h, 1),
                                    on_ball(-h, -1), on_ball(-h, 1)});
  }
  SolidPart operator()(const Compound& s) const {
    Sum sum({});
    for (const Compound::Child& child : s.children) {
      const SolidPart part = part_below(*child.shape, child.pose, plane.normal, plane.offset);
      sum.add(part.volume, part.centre);
    }
    SolidPart whole = sum.part();
    if (s.solid) whole.volume *= s.solid->volume / s.solid->sum_of_parts;
    return whole;
  }
  SolidPart operator()(const HalfSpace&) const { return {}; }
  SolidPart operator()(const HeightField&) const { return {}; }

private:
  SolidPart of(const Polyhedron& p) const {
    ClippedSurface surface(plane, p.vertices[0]);
    for (const auto& face : p.faces)
      for (Index k = 1; k + 1 < face.count; ++k)
        surface.add(p.vertices[p.loop[face.first]], p.vertices[p.loop[face.first + k]],
                    p.vertices[p.loop[face.first + k + 1]]);
    return surface.part();
  }
};

} // namespace

bool has_volume(const Shape& shape) {
  if (const auto* mesh = std::get_if<TriangleMesh>(&shape.geometry)) return mesh->closed;
  if (const auto* compound = std::get_if<Compound>(&shape.geometry))
    return std::ranges::all_of(compound->children,
                               [](const auto& child) { return has_volume(*child.shape); });
  const ShapeKind kind = kind_of(shape);
  return kind != ShapeKind::half_space && kind != ShapeKind::height_field;
}

SolidPart part_below(const Shape& shape, const Transform& pose, const Vec3& normal, double level) {
  const Vec3 up = rotate_back(pose.rotation, normal);
  // Of planes beyond the shape one beside it will do; sums over far ones would lose digits.
  const Bounds bounds = bounds_of(shape, {});
  const double beyond = 2 * (norm(bounds.lower) + norm(bounds.upper));
  if (!std::isfinite(beyond)) return {};
  const double offset = std::clamp(level - dot(normal, pose.position), -beyond, beyond);
  SolidPart part = std::visit(Visitor{{up, offset}}, shape.geometry);
  if (part.volume > 0) part.centre = pose(part.centre);
  return part;
}

} // namespace talus
