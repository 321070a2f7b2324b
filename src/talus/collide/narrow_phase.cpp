#include "talus/collide/narrow_phase.h"

#include "talus/collide/analytic_contacts.h"
#include "talus/collide/collision.h"
#include "talus/collide/half_space_contacts.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus {
namespace {

/// The pair in an order that the rules know, with the origin of its coordinates.
struct Pair {
  const Leaves& leaves;
  Index i, j;
  Vec3 origin;
  double envelope;

  const Leaf& a() const { return leaves.leaf[i]; }
  const Leaf& b() const { return leaves.leaf[j]; }
};

void place(const Pair& pair, Index i, ConvexBody& body) {
  const Leaf& leaf = pair.leaves.leaf[i];
  if (leaf.kind == ShapeKind::sphere) {
    body.place_point(leaf.centre - pair.origin, leaf.radius);
  } else {
    body.place(pair.leaves.shape(i), pair.leaves.pose(i), pair.origin);
  }
}

Plane plane_of(const Pair& pair) {
  const auto& half_space = std::get<HalfSpace>(pair.leaves.shape(pair.i).geometry);
  const Transform& pose = pair.leaves.pose(pair.i);
  const Vec3 n = rotate(pose.rotation, half_space.normal);
  return {n, half_space.offset + dot(n, pose.position - pair.origin)};
}

Frame frame_of(const Pair& pair, Index i) {
  Frame frame(pair.leaves.pose(i));
  frame.position -= pair.origin;
  return frame;
}

[[noreturn]] void reject(const Pair& pair) {
  throw UnsupportedPair(fmt::format("a {} and a {} cannot touch when one of them moves; make "
                                    "moving bodies of convex shapes or compounds",
                                    name_of(pair.a().kind), name_of(pair.b().kind)),
                        pair.a().collider, pair.b().collider);
}

void with_half_space(const Pair& pair, NarrowScratch& s) {
  const Plane plane = plane_of(pair);
  const ShapeKind kind = pair.b().kind;
  if (is_convex_body(kind)) {
    place(pair, pair.j, s.b);
    half_space_contacts(plane, s.b, pair.envelope, s.contacts);
  } else if (kind == ShapeKind::triangle_mesh) {
    half_space_contacts(plane, std::get<TriangleMesh>(pair.leaves.shape(pair.j).geometry),
                        frame_of(pair, pair.j), pair.envelope, s.contacts);
  } else {
    reject(pair);
  }
}

void with_surface(const Pair& pair, NarrowScratch& s) {
  if (!is_convex_body(pair.b().kind)) reject(pair);
  place(pair, pair.j, s.b);
  const Frame frame = frame_of(pair, pair.i);
  const auto& geometry = pair.leaves.shape(pair.i).geometry;
  if (const auto* mesh = std::get_if<TriangleMesh>(&geometry)) {
    mesh_contacts(*mesh, frame, s.b, pair.envelope, s.triangles, s.convex, s.contacts);
  } else {
    height_field_contacts(std::get<HeightField>(geometry), frame, s.b, pair.envelope, s.triangles,
                          s.convex, s.contacts);
  }
}

/// A sphere as B against another convex body.
void with_sphere(const Pair& pair, NarrowScratch& s) {
  const Vec3 centre = pair.b().centre - pair.origin;
  const double radius = pair.b().radius;
  const auto& geometry = pair.leaves.shape(pair.i).geometry;
  if (const auto* box = std::get_if<Box>(&geometry)) {
    sphere_box_contact(*box, frame_of(pair, pair.i), centre, radius, pair.envelope, s.contacts);
    return;
  }
  place(pair, pair.i, s.a);
  if (pair.a().kind == ShapeKind::capsule) {
    sphere_capsule_contact(s.a.vertices[0], s.a.vertices[1], s.a.radius, centre, radius,
                           pair.envelope, s.contacts);
    return;
  }
  s.b.place_point(centre, radius);
  convex_contacts(s.a, s.b, pair.envelope, s.convex, s.contacts);
}

void with_convex(const Pair& pair, NarrowScratch& s) {
  place(pair, pair.i, s.a);
  place(pair, pair.j, s.b);
  if (pair.a().kind == ShapeKind::capsule && pair.b().kind == ShapeKind::capsule) {
    capsule_contacts({s.a.vertices[0], s.a.vertices[1]}, s.a.radius,
                     {s.b.vertices[0], s.b.vertices[1]}, s.b.radius, pair.envelope, s.contacts);
    return;
  }
  convex_contacts(s.a, s.b, pair.envelope, s.convex, s.contacts);
}

/// Rank in the order in which the rules take a pair: half-spaces and surfaces come first, spheres
/// last.
int rank(ShapeKind kind) {
  switch (kind) {
  case ShapeKind::half_space:
    return 0;
  case ShapeKind::triangle_mesh:
    return 1;
  case ShapeKind::height_field:
    return 2;
  case ShapeKind::sphere:
    return 4;
  default:
    return 3;
  }
}

void dispatch(const Pair& pair, NarrowScratch& s) {
  const ShapeKind a = pair.a().kind, b = pair.b().kind;
  if (a == ShapeKind::half_space) {
    with_half_space(pair, s);
  } else if (a == ShapeKind::triangle_mesh || a == ShapeKind::height_field) {
    with_surface(pair, s);
  } else if (b == ShapeKind::sphere) {
    with_sphere(pair, s);
  } else {
    with_convex(pair, s);
  }
}

/// Orders by features and keeps the closest of those with the same name.
void sort_and_merge(PairContacts& contacts) {
  std::sort(contacts.begin(), contacts.end(), [](const PairContact& p, const PairContact& q) {
    return p.features != q.features ? p.features < q.features : p.gap < q.gap;
  });
  const auto last =
      std::unique(contacts.begin(), contacts.end(), [](const PairContact& p, const PairContact& q) {
        return p.features == q.features;
      });
  contacts.erase(last, contacts.end());
}

} // namespace

void find_contacts(const Leaves& leaves, const LeafPair& pair, double envelope,
                   NarrowScratch& scratch) {
  scratch.contacts.clear();
  const Leaf &first = leaves.leaf[pair.first], &second = leaves.leaf[pair.second];
  const bool swap = rank(first.kind) > rank(second.kind);
  const Index i = swap ? pair.second : pair.first, j = swap ? pair.first : pair.second;
  // The second body is never unbounded: its centre is where the contacts are.
  const Vec3 origin = leaves.leaf[j].centre;
  dispatch({leaves, i, j, origin, envelope}, scratch);
  for (PairContact& c : scratch.contacts) {
    if (swap) c = swapped(c);
    c.point_a += origin;
    c.point_b += origin;
  }
  if (scratch.contacts.size() > 1) sort_and_merge(scratch.contacts);
}

} // namespace talus
