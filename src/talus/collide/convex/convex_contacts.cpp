#include "talus/collide/convex/convex_contacts.h"

#include "talus/collide/convex/gjk.h"
#include "talus/collide/convex/segments.h"
#include "talus/collide/convex/separating_axis.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double any_tilt = 0.05;

double tolerance_of(const ConvexBody& a, const ConvexBody& b) {
  return 1e-11 * (a.size + b.size);
}

double smallest_gap(const PairContacts& contacts, std::size_t first) {
  double gap = std::numeric_limits<double>::infinity();
  for (std::size_t i = first; i < contacts.size(); ++i) gap = std::min(gap, contacts[i].gap);
  return gap;
}

bool is_curved(const ConvexBody& body) {
  return body.core != ConvexBody::Core::polyhedron;
}

/// Appends the overlap of the features that face each other. Where a curved body has but a point to
/// show, nothing: that is the closest point, and it has one name whatever it touches.
void add_manifold(const ConvexBody& a, const ConvexBody& b, const Vec3& n, double cosine_a,
                  double cosine_b, double envelope, ConvexScratch& scratch, PairContacts& out) {
  find_support_feature(a, n, cosine_a, scratch.manifold.a);
  find_support_feature(b, -n, cosine_b, scratch.manifold.b);
  const bool point = scratch.manifold.a.points.size() == 1 || scratch.manifold.b.points.size() == 1;
  if (point && (is_curved(a) || is_curved(b))) return;
  clip_features(a, b, n, envelope, scratch.manifold, out);
}

/// Names the part of a polyhedron that some of its vertices span.
Feature spanned_feature(const ConvexBody& body, const Index* vertices, int count, const Vec3& n) {
  Index distinct[4];
  int number = 0;
  for (int i = 0; i < count; ++i) {
    if (std::find(distinct, distinct + number, vertices[i]) == distinct + number) {
      distinct[number++] = vertices[i];
    }
  }
  if (number == 1) return body.vertex_feature(distinct[0]);
  if (number == 2) {
    for (std::size_t e = 0; e < body.edges.size(); ++e) {
      const auto& v = body.edges[e].vertex;
      if ((v[0] == distinct[0] && v[1] == distinct[1]) ||
          (v[0] == distinct[1] && v[1] == distinct[0])) {
        return body.edge_feature(static_cast<Index>(e));
      }
    }
  }
  Index best = 0;
  for (std::size_t f = 1; f < body.faces.size(); ++f) {
    if (dot(body.faces[f].normal, n) > dot(body.faces[best].normal, n))
      best = static_cast<Index>(f);
  }
  return body.face_feature(best);
}

/// The closest points, with the manifold of features that face each other within 15°.
void add_from_closest_points(const ConvexBody& a, const ConvexBody& b, const ClosestPoints& c,
                             double envelope, ConvexScratch& scratch, PairContacts& out) {
  const std::size_t first = out.size();
  add_manifold(a, b, c.normal, cosine_of_15_degrees, cosine_of_15_degrees, envelope, scratch, out);
  const double gap = c.distance - a.radius - b.radius;
  if (smallest_gap(out, first) <= gap + tolerance_of(a, b)) return;
  // Next to a curved body the simplex says nothing about features: one closest point, one name.
  const auto features =
      is_curved(a) || is_curved(b)
          ? feature_pair(make_feature(FeatureKind::smooth), make_feature(FeatureKind::smooth))
          : feature_pair(spanned_feature(a, c.vertex_a, c.count, c.normal),
                         spanned_feature(b, c.vertex_b, c.count, -c.normal));
  out.push_back(rounded_contact(a, b, features, c.normal, c.point_a, c.point_b, c.distance));
}

void add_edge_contact(const ConvexBody& a, const ConvexBody& b, const SeparatingAxis& axis,
                      double envelope, ConvexScratch& scratch, PairContacts& out) {
  const auto &ea = a.edges[axis.a], &eb = b.edges[axis.b];
  const SegmentPoints p = closest_on_segments(a.vertices[ea.vertex[0]], a.vertices[ea.vertex[1]],
                                              b.vertices[eb.vertex[0]], b.vertices[eb.vertex[1]]);
  const double gap = dot(axis.normal, p.on_q - p.on_p);
  // Edges that pass each other beyond their ends are not the closest features.
  if (norm(p.on_q - p.on_p - gap * axis.normal) > tolerance_of(a, b)) return;
  const auto features = feature_pair(a.edge_feature(axis.a), b.edge_feature(axis.b));
  const std::size_t first = out.size();
  out.push_back(rounded_contact(a, b, features, axis.normal, p.on_p, p.on_q, gap));
  add_manifold(a, b, axis.normal, cosine_of_15_degrees, cosine_of_15_degrees, envelope, scratch,
               out);
  const auto again = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first) + 1, out.end(),
                                  [&](const PairContact& c) { return c.features == features; });
  if (again != out.end()) out.erase(again);
}

/// The deepest vertex of one body under a face of the other.
void add_deepest_vertex(const ConvexBody& a, const ConvexBody& b, const SeparatingAxis& axis,
                        PairContacts& out) {
  Index v = 0;
  if (axis.kind == SeparatingAxis::Kind::face_of_a) {
    const Vec3 p = b.support(-axis.normal, v);
    out.push_back(rounded_contact(a, b, feature_pair(a.face_feature(axis.a), b.vertex_feature(v)),
                                  axis.normal, p - axis.separation * axis.normal, p,
                                  axis.separation));
  } else {
    const Vec3 p = a.support(axis.normal, v);
    out.push_back(rounded_contact(a, b, feature_pair(a.vertex_feature(v), b.face_feature(axis.b)),
                                  axis.normal, p, p + axis.separation * axis.normal,
                                  axis.separation));
  }
}

void polyhedral_contacts(const ConvexBody& a, const ConvexBody& b, double envelope,
                         ConvexScratch& scratch, PairContacts& out) {
  using Kind = SeparatingAxis::Kind;
  const double radii = a.radius + b.radius;
  const double limit = envelope + radii;
  const std::size_t first = out.size();
  SeparatingAxis axis;
  if (!find_separating_axis(a, b, limit, axis)) return;
  if (axis.kind == Kind::edges) {
    add_edge_contact(a, b, axis, envelope, scratch, out);
  } else if (axis.kind != Kind::none) {
    const bool of_a = axis.kind == Kind::face_of_a;
    add_manifold(a, b, axis.normal, of_a ? cosine_of_15_degrees : any_tilt,
                 of_a ? any_tilt : cosine_of_15_degrees, envelope, scratch, out);
  }
  // A contact that attains the separation proves that no pair of points is closer.
  if (smallest_gap(out, first) <= axis.separation - radii + tolerance_of(a, b)) return;
  const ClosestPoints c = closest_points(a, b, limit);
  if (c.distance > limit) {
    out.resize(first);
    return;
  }
  if (c.distance > 0 && axis.separation > -tolerance_of(a, b)) {
    out.resize(first);
    add_from_closest_points(a, b, c, envelope, scratch, out);
  } else if (axis.kind == Kind::face_of_a || axis.kind == Kind::face_of_b) {
    add_deepest_vertex(a, b, axis, out);
  } else if (axis.kind == Kind::edges && out.size() == first) {
    const Vec3 p = a.support(axis.normal), q = b.support(-axis.normal);
    out.push_back(rounded_contact(
        a, b, feature_pair(a.edge_feature(axis.a), b.edge_feature(axis.b)), axis.normal, p,
        p + dot(axis.normal, q - p) * axis.normal, axis.separation));
  }
}

/// A flat face's normal as a candidate for the contact normal.
struct FlatCandidate {
  Vec3 normal; ///< From A to B.
  double separation = -std::numeric_limits<double>::infinity();
  bool of_a = true;
};

template <class Visit>
void for_each_flat_normal(const ConvexBody& body, Visit&& visit) {
  for (const auto& face : body.faces) visit(face.normal);
  if (body.core == ConvexBody::Core::cylinder) {
    visit(body.axis());
    visit(-body.axis());
  }
}

FlatCandidate best_flat_normal(const ConvexBody& a, const ConvexBody& b) {
  FlatCandidate best;
  const auto consider = [&](const Vec3& n, bool of_a) {
    const double s = dot(n, b.support(-n)) - dot(n, a.support(n));
    if (s > best.separation) best = {n, s, of_a};
  };
  for_each_flat_normal(a, [&](const Vec3& n) { consider(n, true); });
  for_each_flat_normal(b, [&](const Vec3& n) { consider(-n, false); });
  return best;
}

void add_flat_contact(const ConvexBody& a, const ConvexBody& b, const FlatCandidate& flat,
                      double envelope, ConvexScratch& scratch, PairContacts& out) {
  const std::size_t first = out.size();
  add_manifold(a, b, flat.normal, flat.of_a ? cosine_of_15_degrees : any_tilt,
               flat.of_a ? any_tilt : cosine_of_15_degrees, envelope, scratch, out);
  const double gap = flat.separation - a.radius - b.radius;
  // A rim's lowest point lies between the points of the manifold, lower than all of them.
  if (smallest_gap(out, first) <= gap + 1e-3 * tolerance_of(a, b)) return;
  const Vec3 step = flat.separation * flat.normal;
  const Vec3 p = flat.of_a ? b.support(-flat.normal) - step : a.support(flat.normal);
  out.push_back(rounded_contact(
      a, b, feature_pair(make_feature(FeatureKind::smooth), make_feature(FeatureKind::smooth)),
      flat.normal, p, p + step, flat.separation));
}

/// Is the closest pair of points under the flat face, so that its normal is exact?
bool attains(const FlatCandidate& flat, double separation, double tolerance) {
  return flat.separation >= separation - tolerance;
}

void curved_contacts(const ConvexBody& a, const ConvexBody& b, double envelope,
                     ConvexScratch& scratch, PairContacts& out) {
  const double limit = envelope + a.radius + b.radius;
  const double tolerance = 1e-11 * (a.size + b.size);
  ClosestPoints c = closest_points(a, b, limit);
  if (c.distance > limit) return;
  const FlatCandidate flat = best_flat_normal(a, b);
  if (c.distance == 0) {
    const Penetration p = penetration_depth(a, b, scratch.polytope);
    c.normal = p.normal;
    c.distance = p.separation;
    c.point_a = p.point_a;
    c.point_b = p.point_b;
    // An ellipsoid has one point for each normal, known more exactly than the polytope's.
    if (a.core == ConvexBody::Core::ellipsoid) {
      c.point_a = a.support(p.normal);
      c.point_b = c.point_a + p.separation * p.normal;
    } else if (b.core == ConvexBody::Core::ellipsoid) {
      c.point_b = b.support(-p.normal);
      c.point_a = c.point_b - p.separation * p.normal;
    }
  }
  if (attains(flat, c.distance, tolerance)) {
    add_flat_contact(a, b, flat, envelope, scratch, out);
    return;
  }
  if (c.distance - a.radius - b.radius > envelope) return;
  add_from_closest_points(a, b, c, envelope, scratch, out);
}

} // namespace

void contacts_along(const ConvexBody& a, const ConvexBody& b, const Vec3& normal, double envelope,
                    ConvexScratch& scratch, PairContacts& out) {
  find_support_feature(a, normal, cosine_of_15_degrees, scratch.manifold.a);
  find_support_feature(b, -normal, any_tilt, scratch.manifold.b);
  clip_features(a, b, normal, envelope, scratch.manifold, out);
}

void convex_contacts(const ConvexBody& a, const ConvexBody& b, double envelope,
                     ConvexScratch& scratch, PairContacts& out) {
  if (a.is_polyhedral() && b.is_polyhedral()) {
    polyhedral_contacts(a, b, envelope, scratch, out);
  } else {
    curved_contacts(a, b, envelope, scratch, out);
  }
}

} // namespace talus
