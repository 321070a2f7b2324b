#include "talus/collide/analytic_contacts.h"

#include "talus/collide/convex/segments.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr Feature ball = make_feature(FeatureKind::smooth);

void add_contact(Feature a, Feature b, const Vec3& n, const Vec3& core_a, double radius_a,
                 const Vec3& core_b, double radius_b, double distance, double envelope,
                 PairContacts& out) {
  const double gap = distance - radius_a - radius_b;
  if (!(gap <= envelope)) return;
  out.push_back({feature_pair(a, b), n, core_a + radius_a * n, core_b - radius_b * n, gap});
}

/// Names the closest feature of a box by which coordinates are clamped: digits 0 (inside), 1 (at
/// the upper bound), 2 (at the lower one) of a base-3 number.
Feature box_feature(const Vec3& local, const Vec3& h) {
  std::uint32_t number = 0;
  for (int i = 2; i >= 0; --i) {
    number = 3 * number + (local[i] >= h[i] ? 1 : local[i] <= -h[i] ? 2 : 0);
  }
  return make_feature(FeatureKind::face, number);
}

} // namespace

void sphere_box_contact(const Box& box, const Frame& frame, const Vec3& centre, double radius,
                        double envelope, PairContacts& out) {
  const Vec3& h = box.half_extents;
  const Vec3 c = frame.local_point(centre);
  const Vec3 q{std::clamp(c.x, -h.x, h.x), std::clamp(c.y, -h.y, h.y), std::clamp(c.z, -h.z, h.z)};
  const Vec3 d = c - q;
  const double distance = norm(d);
  if (distance > 0) {
    if (!(distance - radius <= envelope)) return;
    add_contact(box_feature(c, h), ball, frame.direction(d / distance), frame.point(q), 0, centre,
                radius, distance, envelope, out);
    return;
  }
  int face = 0;
  for (int i = 1; i < 3; ++i) {
    if (h[i] - std::abs(c[i]) < h[face] - std::abs(c[face])) face = i;
  }
  Vec3 n, on_face = c;
  n[face] = c[face] < 0 ? -1 : 1;
  on_face[face] = n[face] * h[face];
  Vec3 outside;
  outside[face] = on_face[face];
  add_contact(box_feature(outside, h), ball, frame.direction(n), frame.point(on_face), 0, centre,
              radius, std::abs(c[face]) - h[face], envelope, out);
}

void sphere_capsule_contact(const Vec3& p, const Vec3& q, double capsule_radius, const Vec3& centre,
                            double radius, double envelope, PairContacts& out) {
  const Vec3 u = q - p;
  const double s = std::clamp(dot(centre - p, u) / dot(u, u), 0.0, 1.0);
  const Vec3 on_axis = p + s * u;
  const Vec3 d = centre - on_axis;
  const double distance = norm(d);
  const Vec3 n = distance > 0 ? d / distance : orthogonal_unit(normalized(u));
  add_contact(make_feature(FeatureKind::smooth), ball, n, on_axis, capsule_radius, centre, radius,
              distance, envelope, out);
}

void capsule_contacts(const Vec3 (&p)[2], double radius_p, const Vec3 (&q)[2], double radius_q,
                      double envelope, PairContacts& out) {
  const Vec3 u = p[1] - p[0], v = q[1] - q[0];
  const SegmentPoints c = closest_on_segments(p[0], p[1], q[0], q[1]);
  const double distance = norm(c.on_q - c.on_p), radii = radius_p + radius_q;
  if (distance > envelope + radii) return;
  const double scale = norm(u) + norm(v);
  const Vec3 axes = cross(u, v);
  const Vec3 n = distance > 1e-14 * scale                ? (c.on_q - c.on_p) / distance
                 : norm(axes) > 1e-9 * norm(u) * norm(v) ? normalized(axes)
                                                         : orthogonal_unit(normalized(u));
  const std::size_t first = out.size();
  SidePoints side[2];
  const double reach = reach_beside(u, v, std::max(distance, radii));
  if (points_beside(p, q, c, reach, side[0], side[1]))
    for (int k = 0; k < 2; ++k) {
      const SegmentPoints& at = side[k].points;
      const Vec3 e = at.on_q - at.on_p;
      const double length = norm(e);
      add_contact(make_feature(FeatureKind::edge, static_cast<std::uint32_t>(k)), ball,
                  length > 1e-14 * scale ? e / length : n, at.on_p, radius_p, at.on_q, radius_q,
                  length, envelope, out);
    }
  // Where the closest points are at an end, that contact tells all; the axes of capsules that lie
  // side by side have no closest points of their own.
  for (std::size_t i = first; i < out.size(); ++i)
    if (out[i].gap <= distance - radii + 1e-12 * scale) return;
  add_contact(make_feature(FeatureKind::smooth), ball, n, c.on_p, radius_p, c.on_q, radius_q,
              distance, envelope, out);
}

} // namespace talus
