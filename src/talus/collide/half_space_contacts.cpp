#include "talus/collide/half_space_contacts.h"

#include "talus/core/elementary.h"

#include <cmath>
#include <numbers>

namespace talus {
namespace {

constexpr Feature plane_feature = make_feature(FeatureKind::face);

void add_point(const Plane& plane, const Vec3& point, double rounding, Feature feature,
               double envelope, PairContacts& out) {
  const double height = dot(plane.normal, point) - plane.offset;
  const double gap = height - rounding;
  if (!(gap <= envelope)) return;
  out.push_back({feature_pair(plane_feature, feature), plane.normal, point - height * plane.normal,
                 point - rounding * plane.normal, gap});
}

void add_cylinder(const Plane& plane, const ConvexBody& body, double envelope, PairContacts& out) {
  const Vec3 axis = body.axis();
  const double along = dot(plane.normal, axis);
  const Vec3 across = plane.normal - along * axis;
  const double sine = norm(across);
  for (int end = 0; end < 2; ++end) {
    const Vec3 middle = body.frame.position + (end == 0 ? 1 : -1) * body.half_length * axis;
    const bool ring = std::abs(along) > 0.5;
    if (ring) {
      for (int k = 0; k < ring_points; ++k) {
        const int number = end * ring_points + k;
        add_point(plane, ring_point(body, number), 0,
                  make_feature(FeatureKind::ring, static_cast<std::uint32_t>(number)), envelope,
                  out);
      }
    }
    // On a standing cylinder the lowest rim point is undefined, and the ring already holds it.
    if (!ring || sine > 1e-9) {
      add_point(plane, middle - (body.cylinder_radius / sine) * across, 0,
                make_feature(FeatureKind::rim, static_cast<std::uint32_t>(end)), envelope, out);
    }
  }
}

} // namespace

Vec3 ring_point(const ConvexBody& cylinder, int number) {
  const double angle = number % ring_points * (2 * std::numbers::pi / ring_points);
  return cylinder.frame.point(
      {cylinder.cylinder_radius * cosine(angle), cylinder.cylinder_radius * sine(angle),
       number < ring_points ? cylinder.half_length : -cylinder.half_length});
}

void half_space_contacts(const Plane& plane, const ConvexBody& body, double envelope,
                         PairContacts& out) {
  switch (body.core) {
  case ConvexBody::Core::polyhedron:
    for (std::size_t v = 0; v < body.vertices.size(); ++v) {
      add_point(plane, body.vertices[v], body.radius, body.vertex_feature(static_cast<Index>(v)),
                envelope, out);
    }
    break;
  case ConvexBody::Core::cylinder:
    add_cylinder(plane, body, envelope, out);
    break;
  case ConvexBody::Core::ellipsoid:
    add_point(plane, body.support(-plane.normal), 0, make_feature(FeatureKind::smooth), envelope,
              out);
  }
}

void half_space_contacts(const Plane& plane, const TriangleMesh& mesh, const Frame& frame,
                         double envelope, PairContacts& out) {
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    add_point(plane, frame.point(mesh.vertices[v]), 0,
              make_feature(FeatureKind::vertex, static_cast<std::uint32_t>(v)), envelope, out);
  }
}

} // namespace talus
