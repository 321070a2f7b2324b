#include "talus/collide/convex/manifold.h"

#include "talus/collide/convex/segments.h"
#include "talus/collide/half_space_contacts.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// Edges closer to parallel than this meet along a line instead of in a point.
constexpr double parallel_sine = 1e-3;

void set_point(SupportFeature& f, const Vec3& p, Feature name) {
  f.points.assign(1, p);
  f.vertex.assign(1, name);
  f.edge.clear();
}

void set_segment(SupportFeature& f, const Vec3& p, Feature p_name, const Vec3& q, Feature q_name,
                 Feature edge) {
  f.points.assign({p, q});
  f.vertex.assign({p_name, q_name});
  f.edge.assign(1, edge);
}

void set_face(SupportFeature& f, const ConvexBody& body, Index face) {
  const auto& source = body.faces[face];
  f.points.clear();
  f.vertex.clear();
  f.edge.clear();
  for (Index k = source.first; k < source.first + source.count; ++k) {
    f.points.push_back(body.vertices[body.loop[k]]);
    f.vertex.push_back(body.vertex_feature(body.loop[k]));
    f.edge.push_back(body.edge_feature(body.loop_edge[k]));
  }
  f.normal = source.normal;
  f.offset = source.offset;
  f.face = body.face_feature(face);
}

/// The edge at the vertex that lies flattest across n, or the vertex alone.
void set_edge_or_vertex(SupportFeature& f, const ConvexBody& body, const Vec3& n) {
  Index top = 0;
  const Vec3 p = body.support(n, top);
  double flattest = sine_of_15_degrees;
  Index best = -1;
  for (std::size_t e = 0; e < body.edges.size(); ++e) {
    const auto& edge = body.edges[e];
    if (edge.vertex[0] != top && edge.vertex[1] != top) continue;
    const Vec3 d = body.vertices[edge.vertex[1]] - body.vertices[edge.vertex[0]];
    const double sine = std::abs(dot(d, n)) / norm(d);
    if (sine < flattest) {
      flattest = sine;
      best = static_cast<Index>(e);
    }
  }
  if (best < 0) {
    set_point(f, p, body.vertex_feature(top));
    return;
  }
  const auto& edge = body.edges[best];
  set_segment(f, body.vertices[edge.vertex[0]], body.vertex_feature(edge.vertex[0]),
              body.vertices[edge.vertex[1]], body.vertex_feature(edge.vertex[1]),
              body.edge_feature(best));
}

void set_cylinder(SupportFeature& f, const ConvexBody& body, const Vec3& n) {
  const Vec3 axis = body.axis();
  const double along = dot(axis, n);
  if (std::abs(along) >= cosine_of_15_degrees) {
    const int end = along > 0 ? 0 : 1;
    f.points.clear();
    f.vertex.clear();
    f.edge.clear();
    for (int k = 0; k < ring_points; ++k) {
      // Counter-clockwise from outside: backwards on the lower cap. Edges have the smaller number.
      const int here = end == 0 ? k : (ring_points - k) % ring_points;
      const int edge = end == 0 ? k : (2 * ring_points - k - 1) % ring_points;
      f.points.push_back(ring_point(body, end * ring_points + here));
      f.vertex.push_back(
          make_feature(FeatureKind::ring, static_cast<std::uint32_t>(end * ring_points + here)));
      f.edge.push_back(
          make_feature(FeatureKind::edge, static_cast<std::uint32_t>(end * ring_points + edge)));
    }
    f.normal = end == 0 ? axis : -axis;
    f.offset = dot(f.normal, body.frame.position) + body.half_length;
    f.face = make_feature(FeatureKind::face, static_cast<std::uint32_t>(end));
    return;
  }
  const Vec3 across = n - along * axis;
  const Vec3 side = body.frame.position + (body.cylinder_radius / norm(across)) * across;
  const Vec3 half = body.half_length * axis;
  if (std::abs(along) <= sine_of_15_degrees) {
    set_segment(f, side - half, make_feature(FeatureKind::rim, 1), side + half,
                make_feature(FeatureKind::rim, 0),
                make_feature(FeatureKind::edge, 2 * ring_points));
    return;
  }
  set_point(f, side + std::copysign(1.0, along) * half,
            make_feature(FeatureKind::rim, along > 0 ? 0 : 1));
}

/// One subject feature against one clip polygon; `flipped` tells that the subject is A's.
class Clipper {
public:
  Clipper(const SupportFeature& subject, const SupportFeature& clip, const Vec3& n, bool flipped,
          double tolerance, ManifoldScratch& scratch)
      : subject_(subject), clip_(clip), up_(flipped ? -n : n), flipped_(flipped),
        tolerance_(tolerance), scratch_(scratch) {}

  /// Leaves the overlap in scratch.polygon.
  void run() {
    auto& polygon = scratch_.polygon;
    polygon.clear();
    for (std::size_t k = 0; k < subject_.points.size(); ++k) {
      polygon.push_back(
          {subject_.points[k], pair(subject_.vertex[k], clip_.face), static_cast<Index>(k)});
    }
    const auto sides = static_cast<Index>(clip_.points.size());
    for (Index j = 0; j < sides && !polygon.empty(); ++j) cut(j);
  }

private:
  std::uint64_t pair(Feature subject, Feature clip) const {
    return flipped_ ? feature_pair(subject, clip) : feature_pair(clip, subject);
  }

  /// The name of the point where the subject's boundary piece meets side j of the clip polygon.
  std::uint64_t crossing(Index edge, Index j) const {
    if (edge >= 0) return pair(subject_.edge[edge], clip_.edge[j]);
    // Two sides of the clip polygon meet in one of its corners.
    const Index k = -1 - edge, sides = static_cast<Index>(clip_.points.size());
    return pair(subject_.face, clip_.vertex[(k + 1) % sides == j ? j : k]);
  }

  void cut(Index j) {
    const auto sides = static_cast<Index>(clip_.points.size());
    const Vec3 &from = clip_.points[j], &to = clip_.points[(j + 1) % sides];
    // The clip polygon runs counter-clockwise about `up`, so this points out of it.
    const Vec3 outward = cross(to - from, up_);
    const double length = norm(outward);
    if (length == 0) return;
    const Vec3 m = outward / length;
    const auto height = [&](const Vec3& p) { return dot(m, p - from); };
    auto& in = scratch_.polygon;
    auto& out = scratch_.clipped;
    out.clear();
    const std::size_t count = in.size();
    // Two points are a segment, walked once; one point has no boundary to walk.
    const bool segment = subject_.points.size() == 2;
    for (std::size_t i = 0; i < count; ++i) {
      const ClipVertex& here = in[i];
      const double h = height(here.point);
      const bool last = i + 1 == count;
      const bool inside = h <= tolerance_;
      if (inside) out.push_back(here);
      if (count == 1 || (segment && last)) continue;
      const ClipVertex& next = in[last ? 0 : i + 1];
      const double h_next = height(next.point);
      if (inside == (h_next <= tolerance_)) continue;
      const double t = std::clamp(h / (h - h_next), 0.0, 1.0);
      const ClipVertex cross_point{here.point + t * (next.point - here.point),
                                   crossing(here.edge, j), inside ? -1 - j : here.edge};
      const Vec3& kept = inside ? here.point : next.point;
      if (norm(cross_point.point - kept) > tolerance_) {
        out.push_back(cross_point);
      } else if (inside) {
        out.back().edge = -1 - j;
      }
    }
    std::swap(in, out);
  }

  const SupportFeature &subject_, &clip_;
  Vec3 up_;
  bool flipped_;
  double tolerance_;
  ManifoldScratch& scratch_;
};

/// Two nearly parallel edges: the ends of their common stretch.
void overlap_edges(const ConvexBody& a, const ConvexBody& b, const Vec3& n, double envelope,
                   const ManifoldScratch& scratch, PairContacts& out) {
  const SupportFeature &fa = scratch.a, &fb = scratch.b;
  const Vec3 u = fa.points[1] - fa.points[0], v = fb.points[1] - fb.points[0];
  const double u2 = dot(u, u);
  if (norm(cross(u, v)) > parallel_sine * norm(u) * norm(v)) return;
  const double start = dot(fb.points[0] - fa.points[0], u) / u2;
  const double slope = dot(v, u) / u2;
  double s_low = start, s_high = start + slope;
  Feature low = fb.vertex[0], high = fb.vertex[1];
  if (s_low > s_high) {
    std::swap(s_low, s_high);
    std::swap(low, high);
  }
  // Each end of the stretch is an end of A's edge (s = 0 or 1) or of B's.
  const double tolerance = 1e-9;
  const auto add = [&](double s, std::uint64_t features) {
    const Vec3 p = fa.points[0] + s * u;
    const Vec3 q = fb.points[0] + ((s - start) / slope) * v;
    const double gap = dot(n, q - p);
    if (gap - a.radius - b.radius > envelope) return;
    out.push_back(rounded_contact(a, b, features, n, p, q, gap));
  };
  const double first = std::max(0.0, s_low), second = std::min(1.0, s_high);
  if (second < first - tolerance) return;
  add(first, s_low > 0 ? feature_pair(fa.edge[0], low) : feature_pair(fa.vertex[0], fb.edge[0]));
  if (second > first + tolerance) {
    add(second,
        s_high < 1 ? feature_pair(fa.edge[0], high) : feature_pair(fa.vertex[1], fb.edge[0]));
  }
}

/// An edge and the axis of a capsule, or two such axes: points on both sides of the closest ones.
void add_beside(const ConvexBody& a, const ConvexBody& b, const Vec3& n, double envelope,
                const ManifoldScratch& scratch, PairContacts& out) {
  using enum SidePoints::Limit;
  const SupportFeature &fa = scratch.a, &fb = scratch.b;
  const Vec3 p[2] = {fa.points[0], fa.points[1]}, q[2] = {fb.points[0], fb.points[1]};
  const SegmentPoints closest = closest_on_segments(p[0], p[1], q[0], q[1]);
  const double nearest = 1e-9 * (a.size + b.size), radii = a.radius + b.radius;
  const auto are_apart = [&](const Vec3& e) { return dot(e, n) > 0 && norm(e) > nearest; };
  // Axes that cross tell no direction.
  if (!are_apart(closest.on_q - closest.on_p))
    return overlap_edges(a, b, n, envelope, scratch, out);
  const double distance = std::max(radii, norm(closest.on_q - closest.on_p));
  SidePoints side[2];
  if (!points_beside(p, q, closest, reach_beside(p[1] - p[0], q[1] - q[0], distance), side[0],
                     side[1]))
    return;
  for (std::uint32_t k = 0; k < 2; ++k) {
    const auto& [at, limit, end] = side[k];
    const Vec3 e = at.on_q - at.on_p;
    const double length = norm(e);
    if (!are_apart(e) || length - radii > envelope) continue;
    const std::uint64_t features =
        limit == end_of_p   ? feature_pair(fa.vertex[end], fb.edge[0])
        : limit == end_of_q ? feature_pair(fa.edge[0], fb.vertex[end])
                            : feature_pair(make_feature(FeatureKind::smooth, k), fb.edge[0]);
    out.push_back(rounded_contact(a, b, features, e / length, at.on_p, at.on_q, length));
  }
}

} // namespace

PairContact rounded_contact(const ConvexBody& a, const ConvexBody& b, std::uint64_t features,
                            const Vec3& n, const Vec3& core_a, const Vec3& core_b,
                            double gap_of_cores) {
  return {features, n, core_a + a.radius * n, core_b - b.radius * n,
          gap_of_cores - a.radius - b.radius};
}

void find_support_feature(const ConvexBody& body, const Vec3& n, double face_cosine,
                          SupportFeature& feature) {
  if (body.core == ConvexBody::Core::ellipsoid) {
    set_point(feature, body.support(n), make_feature(FeatureKind::smooth));
    return;
  }
  if (body.core == ConvexBody::Core::cylinder) {
    set_cylinder(feature, body, n);
    return;
  }
  Index best = -1;
  double best_cosine = face_cosine;
  for (std::size_t f = 0; f < body.faces.size(); ++f) {
    const double cosine = dot(body.faces[f].normal, n);
    if (cosine >= best_cosine) {
      best_cosine = cosine;
      best = static_cast<Index>(f);
    }
  }
  if (best >= 0) {
    set_face(feature, body, best);
  } else {
    set_edge_or_vertex(feature, body, n);
  }
}

void clip_features(const ConvexBody& a, const ConvexBody& b, const Vec3& n, double envelope,
                   ManifoldScratch& scratch, PairContacts& out) {
  const std::size_t count_a = scratch.a.points.size(), count_b = scratch.b.points.size();
  if (count_a == 2 && count_b == 2) {
    if (a.radius + b.radius > 0) return add_beside(a, b, n, envelope, scratch, out);
    return overlap_edges(a, b, n, envelope, scratch, out);
  }
  if (count_a < 3 && count_b < 3) return;
  // B's feature is cut by A's wherever A's has an area, so that names do not depend on which
  // body's face gave the normal.
  const bool flipped = count_a < 3;
  const SupportFeature& subject = flipped ? scratch.a : scratch.b;
  const SupportFeature& clip = flipped ? scratch.b : scratch.a;
  Clipper(subject, clip, n, flipped, 1e-9 * (a.size + b.size), scratch).run();
  const double cosine = dot(clip.normal, n);
  for (const ClipVertex& v : scratch.polygon) {
    const double t = (clip.offset - dot(clip.normal, v.point)) / cosine;
    const Vec3 on_clip = v.point + t * n;
    const double gap = flipped ? t : -t;
    if (gap - a.radius - b.radius > envelope) continue;
    out.push_back(flipped ? rounded_contact(a, b, v.features, n, v.point, on_clip, gap)
                          : rounded_contact(a, b, v.features, n, on_clip, v.point, gap));
  }
}

} // namespace talus
