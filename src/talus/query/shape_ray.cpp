#include "talus/query/shape_ray.h"

#include "talus/shape/ray_interval.h"

#include <cmath>

namespace talus {

namespace {

/// The outward normal of a convex shape at a point of its surface, in the shape frame. On flat
/// faces the one that the point is nearest to.
struct NormalAt {
  Vec3 p;

  Vec3 operator()(const Sphere&) const { return normalized(p); }
  Vec3 operator()(const Ellipsoid& s) const {
    return normalized(Vec3{p.x / (s.radii.x * s.radii.x), p.y / (s.radii.y * s.radii.y),
                           p.z / (s.radii.z * s.radii.z)});
  }
  Vec3 operator()(const Capsule& s) const {
    return normalized(p - Vec3{0, 0, std::clamp(p.z, -s.half_length, s.half_length)});
  }
  Vec3 operator()(const Cylinder& s) const {
    const Vec3 side{p.x, p.y, 0};
    const double beyond_cap = std::abs(p.z) - s.half_length, beyond_side = norm(side) - s.radius;
    return beyond_cap > beyond_side ? Vec3{0, 0, p.z > 0 ? 1.0 : -1.0} : normalized(side);
  }
  Vec3 operator()(const Box& s) const { return of(s.surface); }
  Vec3 operator()(const ConvexHull& s) const { return of(s.surface); }
  template <class Other>
  Vec3 operator()(const Other&) const {
    return {};
  }

private:
  Vec3 of(const Polyhedron& polyhedron) const {
    const Polyhedron::Face* nearest = nullptr;
    double best = -Bounds::inf;
    for (const Polyhedron::Face& face : polyhedron.faces) {
      const double height = dot(face.normal, p) - face.offset;
      if (height > best) best = height, nearest = &face;
    }
    return nearest->normal;
  }
};

std::optional<SurfaceHit> hit_convex(const Shape& shape, const Transform& pose, const Ray& ray,
                                     double limit) {
  const RayInterval inside = ray_interval(shape, pose, ray.origin, ray.direction);
  if (!(inside.begin <= inside.end) || inside.begin < 0 || inside.begin > limit) return {};
  const Vec3 point = ray.origin + inside.begin * ray.direction - pose.position;
  const Vec3 normal = std::visit(NormalAt{rotate_back(pose.rotation, point)}, shape.geometry);
  return SurfaceHit{inside.begin, rotate(pose.rotation, normal)};
}

std::optional<SurfaceHit> hit_plane(const HalfSpace& plane, const Transform& pose, const Ray& ray,
                                    double limit) {
  const Vec3 normal = rotate(pose.rotation, plane.normal);
  const double height = dot(normal, ray.origin - pose.position) - plane.offset;
  const double descent = -dot(normal, ray.direction);
  if (height < 0 || !(descent > 0) || height > limit * descent) return {};
  return SurfaceHit{height / descent, normal};
}

/// Where the ray passes the plane of a triangle, if within it: by the signs of the volumes that it
/// spans with the edges, which two triangles of one edge compute alike. No gap is left between
/// them.
std::optional<double> hit_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Ray& ray) {
  const auto side = [&](const Vec3& p, const Vec3& q) { return dot(ray.direction, cross(p, q)); };
  const Vec3 p = a - ray.origin, q = b - ray.origin, r = c - ray.origin;
  const double u = side(q, r), v = side(r, p), w = side(p, q);
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return {};
  const double sum = u + v + w;
  if (sum == 0) return {}; // the ray lies in its plane
  return dot(ray.direction, (u / sum) * p + (v / sum) * q + (w / sum) * r);
}

std::optional<SurfaceHit> hit_mesh(const TriangleMesh& mesh, const Transform& pose,
                                   const Ray& world_ray, double limit) {
  const Ray ray{rotate_back(pose.rotation, world_ray.origin - pose.position),
                rotate_back(pose.rotation, world_ray.direction)};
  const Vec3 inverse{1 / ray.direction.x, 1 / ray.direction.y, 1 / ray.direction.z};
  std::optional<SurfaceHit> best;
  Index chosen = -1;
  std::vector<Index> stack = {0};
  while (!stack.empty()) {
    const BoundsNode& node = mesh.tree[static_cast<std::size_t>(stack.back())];
    stack.pop_back();
    if (!meets(node.bounds, ray, inverse, limit)) continue;
    if (node.count == 0) {
      stack.push_back(node.first);
      stack.push_back(node.first + 1);
      continue;
    }
    for (Index k = node.first; k < node.first + node.count; ++k) {
      const Index t = mesh.order[static_cast<std::size_t>(k)];
      const Triangle& corners = mesh.triangles[static_cast<std::size_t>(t)];
      const Vec3& normal = mesh.normals[static_cast<std::size_t>(t)];
      const double facing = -dot(normal, ray.direction);
      if (facing == 0 || (mesh.closed && facing < 0)) continue;
      const auto s = hit_triangle(mesh.vertices[static_cast<std::size_t>(corners[0])],
                                  mesh.vertices[static_cast<std::size_t>(corners[1])],
                                  mesh.vertices[static_cast<std::size_t>(corners[2])], ray);
      if (!s || *s < 0 || *s > limit || (best && *s == best->distance && t > chosen)) continue;
      best = SurfaceHit{*s, facing > 0 ? normal : -normal};
      chosen = t;
      limit = *s;
    }
  }
  if (best) best->normal = rotate(pose.rotation, best->normal);
  return best;
}

} // namespace

std::optional<SurfaceHit> first_hit(const Shape& shape, const Transform& pose, const Ray& ray,
                                    double limit) {
  if (const auto* plane = std::get_if<HalfSpace>(&shape.geometry))
    return hit_plane(*plane, pose, ray, limit);
  if (const auto* mesh = std::get_if<TriangleMesh>(&shape.geometry))
    return hit_mesh(*mesh, pose, ray, limit);
  return hit_convex(shape, pose, ray, limit);
}

} // namespace talus
