#include "talus/collide/convex/convex_body.h"

#include "talus/core/elementary.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr Polyhedron::Edge segment_edge[1] = {{{0, 1}, {-1, -1}}};
// A triangle has a front (0) and a back (1).
constexpr Polyhedron::Edge triangle_edges[3] = {
    {{0, 1}, {0, 1}}, {{1, 2}, {0, 1}}, {{2, 0}, {0, 1}}};
constexpr Index triangle_loop[6] = {0, 1, 2, 0, 2, 1};
constexpr Index triangle_loop_edge[6] = {0, 1, 2, 2, 1, 0};

void clear(ConvexBody& body) {
  body.core = ConvexBody::Core::polyhedron;
  body.radius = 0;
  body.is_box = false;
  body.vertices.clear();
  body.faces.clear();
  body.loop = {};
  body.loop_edge = {};
  body.edges = {};
  body.vertex_name = body.edge_name = body.face_name = nullptr;
}

void place_polyhedron(ConvexBody& body, const Polyhedron& p, const Frame& frame) {
  for (const Vec3& v : p.vertices) body.vertices.push_back(frame.point(v));
  for (const auto& f : p.faces) {
    const Vec3 normal = frame.direction(f.normal);
    body.faces.push_back({normal, f.offset + dot(normal, frame.position), f.first, f.count});
  }
  body.loop = p.loop;
  body.loop_edge = p.loop_edge;
  body.edges = p.edges;
  Vec3 sum;
  for (const Vec3& v : body.vertices) sum += v;
  body.centre = sum / static_cast<double>(body.vertices.size());
  body.size = 0;
  for (const Vec3& v : body.vertices) body.size = std::max(body.size, norm(v - body.centre));
}

} // namespace

void ConvexBody::place_point(const Vec3& position, double rounding) {
  clear(*this);
  vertices.push_back(position);
  radius = size = rounding;
  centre = position;
}

void ConvexBody::place_triangle(const Vec3 (&corners)[3], const Vec3& normal,
                                const Index* vertex_names, const Index* edge_names,
                                const Index* face_name_in_mesh) {
  clear(*this);
  vertices.assign(corners, corners + 3);
  const double offset = dot(normal, corners[0]);
  faces.push_back({normal, offset, 0, 3});
  faces.push_back({-normal, -offset, 3, 3});
  loop = triangle_loop;
  loop_edge = triangle_loop_edge;
  edges = triangle_edges;
  vertex_name = vertex_names;
  edge_name = edge_names;
  face_name = face_name_in_mesh;
  centre = (corners[0] + corners[1] + corners[2]) / 3;
  size =
      std::max({norm(corners[0] - centre), norm(corners[1] - centre), norm(corners[2] - centre)});
}

void ConvexBody::place(const Shape& shape, const Transform& pose, const Vec3& origin) {
  clear(*this);
  frame = Frame(pose);
  frame.position -= origin;
  centre = frame.position;
  switch (kind_of(shape)) {
  case ShapeKind::sphere:
    place_point(frame.position, std::get<Sphere>(shape.geometry).radius);
    break;
  case ShapeKind::capsule: {
    const auto& s = std::get<Capsule>(shape.geometry);
    vertices.push_back(frame.position - s.half_length * axis());
    vertices.push_back(frame.position + s.half_length * axis());
    edges = segment_edge;
    radius = s.radius;
    size = s.radius + s.half_length;
    break;
  }
  case ShapeKind::cylinder: {
    const auto& s = std::get<Cylinder>(shape.geometry);
    core = Core::cylinder;
    cylinder_radius = s.radius;
    half_length = s.half_length;
    size = hypotenuse(s.radius, s.half_length);
    break;
  }
  case ShapeKind::ellipsoid:
    core = Core::ellipsoid;
    radii = std::get<Ellipsoid>(shape.geometry).radii;
    size = std::max({radii.x, radii.y, radii.z});
    break;
  case ShapeKind::box:
    is_box = true;
    half_extents = std::get<Box>(shape.geometry).half_extents;
    place_polyhedron(*this, std::get<Box>(shape.geometry).surface, frame);
    break;
  default:
    place_polyhedron(*this, std::get<ConvexHull>(shape.geometry).surface, frame);
  }
}

Vec3 ConvexBody::support(const Vec3& d, Index& vertex) const {
  vertex = 0;
  if (core == Core::polyhedron) {
    double best = dot(vertices[0], d);
    for (std::size_t i = 1; i < vertices.size(); ++i) {
      const double height = dot(vertices[i], d);
      if (height > best) {
        best = height;
        vertex = static_cast<Index>(i);
      }
    }
    return vertices[vertex];
  }
  const Vec3 e = frame.local_direction(d);
  if (core == Core::cylinder) {
    const double radial = hypotenuse(e.x, e.y);
    const double s = radial > 0 ? cylinder_radius / radial : 0;
    return frame.point({s * e.x, s * e.y, std::copysign(half_length, e.z)});
  }
  const Vec3 scaled{radii.x * e.x, radii.y * e.y, radii.z * e.z};
  const double s = 1 / norm(scaled);
  return frame.point({s * radii.x * scaled.x, s * radii.y * scaled.y, s * radii.z * scaled.z});
}

} // namespace talus
