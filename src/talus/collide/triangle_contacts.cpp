#include "talus/collide/triangle_contacts.h"

#include "talus/collide/convex/surface.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// Rounding allowed when a neighbour is asked whether it lies nearer, relative to its distance.
constexpr double flat_tolerance = 1e-7;

bool not_nearer(const Vec3& n, const Vec3& neighbour, const Vec3& point) {
  const Vec3 d = neighbour - point;
  return dot(n, d) <= flat_tolerance * norm(d);
}

bool valid_at_edge(const SurfaceTriangle& t, int k, const Vec3& n, const Vec3& point) {
  return !t.has_beyond[k] || not_nearer(n, t.beyond[k], point);
}

template <class Surface>
bool valid_at_vertex(const Surface& surface, const SurfaceTriangle& t, int k, const Vec3& n) {
  bool valid = true;
  surface.around_vertex(t.vertex[k],
                        [&](const Vec3& v) { valid = valid && not_nearer(n, v, t.corner[k]); });
  return valid;
}

/// Whether a contact's normal points out of the surface around the part of the triangle it touches.
/// The point tells that part better than the contact's name: edges may meet at their ends.
template <class Surface>
bool valid_normal(const Surface& surface, const SurfaceTriangle& t, const PairContact& c) {
  const double near = 1e-6 * norm(t.corner[1] - t.corner[0]);
  for (int k = 0; k < 3; ++k) {
    if (norm(c.point_a - t.corner[k]) <= near) return valid_at_vertex(surface, t, k, c.normal);
  }
  for (int k = 0; k < 3; ++k) {
    const Vec3 along = normalized(t.corner[(k + 1) % 3] - t.corner[k]);
    if (norm(cross(along, c.point_a - t.corner[k])) <= near) {
      return valid_at_edge(t, k, c.normal, c.point_a);
    }
  }
  return false;
}

/// A sphere (point with rounding) against one triangle seen from outside.
template <class Surface>
void sphere_triangle(const Surface& surface, const SurfaceTriangle& t, const ConvexBody& ball,
                     double envelope, PairContacts& out) {
  const Vec3& centre = ball.vertices[0];
  const TrianglePoint q = closest_on_triangle(t.corner, centre);
  const Vec3 d = centre - q.point;
  const double distance = norm(d);
  const double gap = distance - ball.radius;
  if (!(gap <= envelope)) return;
  Vec3 n = distance > 0 ? d / distance : t.normal;
  Feature feature = make_feature(FeatureKind::face, static_cast<std::uint32_t>(t.face));
  switch (q.part) {
  case TrianglePoint::Part::inside:
    if (dot(t.normal, d) < 0) return;
    n = t.normal;
    break;
  case TrianglePoint::Part::edge:
    if (!valid_at_edge(t, q.number, n, q.point)) return;
    feature = make_feature(FeatureKind::edge, static_cast<std::uint32_t>(t.edge[q.number]));
    break;
  case TrianglePoint::Part::corner:
    if (!valid_at_vertex(surface, t, q.number, n)) return;
    feature = make_feature(FeatureKind::vertex, static_cast<std::uint32_t>(t.vertex[q.number]));
  }
  out.push_back({feature_pair(feature, make_feature(FeatureKind::smooth)), n, q.point,
                 centre - ball.radius * n, gap});
}

template <class Surface>
void body_triangle(const Surface& surface, const SurfaceTriangle& t, const ConvexBody& body,
                   double envelope, TriangleScratch& scratch, ConvexScratch& convex,
                   PairContacts& out) {
  const double offset = dot(t.normal, t.corner[0]);
  const double highest = dot(t.normal, body.support(t.normal)) + body.radius - offset;
  const double lowest = dot(t.normal, body.support(-t.normal)) - body.radius - offset;
  if (highest <= 0 || lowest > envelope) return;
  scratch.triangle.place_triangle(t.corner, t.normal, t.vertex, t.edge, &t.face);
  // The back of a triangle has the front's name.
  const Index names[2] = {t.face, t.face};
  scratch.triangle.face_name = names;
  scratch.found.clear();
  convex_contacts(scratch.triangle, body, envelope, convex, scratch.found);
  if (scratch.found.empty()) return;
  const auto closest =
      std::min_element(scratch.found.begin(), scratch.found.end(),
                       [](const PairContact& p, const PairContact& q) { return p.gap < q.gap; });
  const bool along_face = dot(closest->normal, t.normal) > 1 - 1e-12;
  if (!along_face && !valid_normal(surface, t, *closest)) {
    scratch.found.clear();
    if (dot(t.normal, body.centre) <= offset) return;
    contacts_along(scratch.triangle, body, t.normal, envelope, convex, scratch.found);
  }
  for (PairContact& c : scratch.found) {
    // The closest point of a curved body is one of many on a surface: named by its triangle.
    if (c.features >> 32 == make_feature(FeatureKind::smooth)) {
      c.features = feature_pair(make_feature(FeatureKind::face, static_cast<std::uint32_t>(t.face)),
                                static_cast<Feature>(c.features));
    }
    out.push_back(c);
  }
}

template <class Surface>
void all_triangles(const Surface& surface, bool two_sided, const ConvexBody& body, double envelope,
                   TriangleScratch& scratch, ConvexScratch& convex, PairContacts& out) {
  const bool ball = body.is_polyhedral() && body.vertices.size() == 1;
  for (Index t : scratch.candidates) {
    SurfaceTriangle triangle;
    surface.triangle(t, triangle);
    if (two_sided && dot(triangle.normal, body.centre - triangle.corner[0]) < 0) {
      // Seen from behind: turned over, edges and their names in the new order.
      triangle.normal = -triangle.normal;
      std::swap(triangle.corner[1], triangle.corner[2]);
      std::swap(triangle.vertex[1], triangle.vertex[2]);
      std::swap(triangle.edge[0], triangle.edge[2]);
      std::swap(triangle.beyond[0], triangle.beyond[2]);
      std::swap(triangle.has_beyond[0], triangle.has_beyond[2]);
    }
    if (ball) {
      sphere_triangle(surface, triangle, body, envelope, out);
    } else {
      body_triangle(surface, triangle, body, envelope, scratch, convex, out);
    }
  }
}

/// One contact that pushes a body whose centre is inside the solid out along n, at `on_surface`.
void add_buried_contact(Index face, const Vec3& n, const Vec3& on_surface, const ConvexBody& body,
                        PairContacts& out) {
  const Vec3 lowest = body.support(-n) - body.radius * n;
  const double gap = dot(n, lowest - on_surface);
  out.push_back({feature_pair(make_feature(FeatureKind::face, static_cast<std::uint32_t>(face)),
                              make_feature(FeatureKind::smooth)),
                 n, lowest - gap * n, lowest, gap});
}

/// Bounds of the body, grown by the envelope, in the frame of the surface.
Bounds local_bounds(const Frame& frame, const ConvexBody& body, double envelope) {
  Bounds b;
  for (int i = 0; i < 3; ++i) {
    const Vec3 e = frame.rotation.column(i);
    b.upper[i] = dot(e, body.support(e) - frame.position) + body.radius;
    b.lower[i] = dot(e, body.support(-e) - frame.position) - body.radius;
  }
  return grown(b, envelope);
}

} // namespace

void mesh_contacts(const TriangleMesh& mesh, const Frame& frame, const ConvexBody& body,
                   double envelope, TriangleScratch& scratch, ConvexScratch& convex,
                   PairContacts& out) {
  const MeshSurface surface(mesh, frame);
  if (mesh.closed) {
    const Vec3 centre = frame.local_point(body.centre);
    const Index t = surface.nearest(centre);
    const Triangle& v = mesh.triangles[t];
    const Vec3 corner[3] = {mesh.vertices[v[0]], mesh.vertices[v[1]], mesh.vertices[v[2]]};
    const Vec3 q = closest_on_triangle(corner, centre).point;
    const Vec3 d = q - centre;
    if (dot(mesh.normals[t], d) > 0) {
      const Vec3 n = frame.direction(normalized(d));
      add_buried_contact(t, n, frame.point(q), body, out);
      return;
    }
  }
  surface.overlapping(local_bounds(frame, body, envelope), scratch.stack, scratch.candidates);
  all_triangles(surface, !mesh.closed, body, envelope, scratch, convex, out);
}

void height_field_contacts(const HeightField& field, const Frame& frame, const ConvexBody& body,
                           double envelope, TriangleScratch& scratch, ConvexScratch& convex,
                           PairContacts& out) {
  const FieldSurface surface(field, frame);
  const Index under = surface.under(frame.local_point(body.centre));
  if (under >= 0) {
    SurfaceTriangle t;
    surface.triangle(under, t);
    if (dot(t.normal, body.centre - t.corner[0]) < 0) {
      add_buried_contact(under, t.normal, t.corner[0], body, out);
      return;
    }
  }
  surface.overlapping(local_bounds(frame, body, envelope), scratch.candidates);
  all_triangles(surface, false, body, envelope, scratch, convex, out);
}

} // namespace talus
