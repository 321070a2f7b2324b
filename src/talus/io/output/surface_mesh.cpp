#include "talus/io/output/surface_mesh.h"

#include "talus/core/elementary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace talus {

namespace {

constexpr int circle_points = 24;

void append(SurfaceMesh& mesh, const SurfaceMesh& part, const Transform& pose) {
  const auto first = static_cast<Index>(mesh.points.size());
  for (const Vec3& point : part.points) mesh.points.push_back(pose(point));
  for (const Triangle& t : part.triangles)
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

SurfaceMesh polyhedron_surface(const Polyhedron& surface) {
  SurfaceMesh mesh;
  mesh.points = surface.vertices;
  for (const Polyhedron::Face& face : surface.faces)
    for (Index k = 1; k + 1 < face.count; ++k)
      mesh.triangles.push_back({surface.loop[face.first], surface.loop[face.first + k],
                                surface.loop[face.first + k + 1]});
  return mesh;
}

/// An icosahedron with every triangle cut in four, `level` times, on the unit sphere.
SurfaceMesh unit_sphere(int level) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vec3> corners;
  for (const double s : {-1.0, 1.0})
    for (const double t : {-g, g}) {
      corners.push_back({0, s, t});
      corners.push_back({s, t, 0});
      corners.push_back({t, 0, s});
    }
  SurfaceMesh mesh = polyhedron_surface(convex_hull_of(corners));
  for (Vec3& p : mesh.points) p = normalized(p);
  for (; level > 0; --level) {
    std::map<std::pair<Index, Index>, Index> middles;
    const auto middle = [&](Index a, Index b) {
      const auto [found, made] =
          middles.try_emplace(std::minmax(a, b), static_cast<Index>(mesh.points.size()));
      if (made) mesh.points.push_back(normalized(mesh.points[a] + mesh.points[b]));
      return found->second;
    };
    std::vector<Triangle> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const Index ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const Triangle& t :
           {Triangle{a, ab, ca}, Triangle{ab, b, bc}, Triangle{ca, bc, c}, Triangle{ab, bc, ca}})
        finer.push_back(t);
    }
    mesh.triangles = std::move(finer);
  }
  return mesh;
}

/// Level 1 has 42 points, level 2 has 162.
SurfaceMesh ellipsoid_surface(const Vec3& radii, int level) {
  static const SurfaceMesh coarse = unit_sphere(1), fine = unit_sphere(2);
  SurfaceMesh mesh = level == 1 ? coarse : fine;
  for (Vec3& p : mesh.points) p = {p.x * radii.x, p.y * radii.y, p.z * radii.z};
  return mesh;
}

/// The surface swept by a profile (radius, height) from the lower to the upper pole about z.
SurfaceMesh turned_surface(const std::vector<std::pair<double, double>>& profile) {
  SurfaceMesh mesh;
  for (const auto& [radius, height] : profile)
    for (int k = 0; k < circle_points; ++k) {
      const double angle = 2 * std::numbers::pi * k / circle_points;
      mesh.points.push_back({radius * cosine(angle), radius * sine(angle), height});
    }
  for (Index ring = 0; ring + 1 < static_cast<Index>(profile.size()); ++ring)
    for (Index k = 0; k < circle_points; ++k) {
      const Index next = (k + 1) % circle_points;
      const Index a = ring * circle_points + k, b = ring * circle_points + next;
      const Index c = a + circle_points, d = b + circle_points;
      if (profile[ring].first > 0) mesh.triangles.push_back({a, b, d});
      if (profile[ring + 1].first > 0) mesh.triangles.push_back({a, d, c});
    }
  return mesh;
}

SurfaceMesh capsule_surface(const Capsule& capsule) {
  constexpr int rings = 5;
  std::vector<std::pair<double, double>> profile;
  for (const int side : {-1, 1})
    for (int i = 0; i <= rings; ++i) {
      const int k = side < 0 ? i : rings - i;
      const double angle = std::numbers::pi / 2 * k / rings;
      const double radius = k == 0 ? 0 : capsule.radius * sine(angle);
      profile.emplace_back(radius, side * (capsule.half_length + capsule.radius * cosine(angle)));
    }
  return turned_surface(profile);
}

SurfaceMesh plane_surface(const HalfSpace& plane, double side) {
  const Vec3 t = orthogonal_unit(plane.normal), o = cross(plane.normal, t);
  const Vec3 centre = plane.offset * plane.normal;
  const double half = side / 2;
  return {{centre - half * t - half * o, centre + half * t - half * o, centre + half * t + half * o,
           centre - half * t + half * o},
          {{0, 1, 2}, {0, 2, 3}}};
}

SurfaceMesh height_surface(const HeightField& field) {
  SurfaceMesh mesh;
  for (Index j = 0; j < field.rows; ++j)
    for (Index i = 0; i < field.columns; ++i) mesh.points.push_back(field.point(i, j));
  for (Index j = 0; j + 1 < field.rows; ++j)
    for (Index i = 0; i + 1 < field.columns; ++i) {
      const Index a = j * field.columns + i, b = a + 1, c = a + field.columns, d = c + 1;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  return mesh;
}

struct Tessellator {
  double plane_side;

  SurfaceMesh operator()(const Sphere& s) const {
    return ellipsoid_surface({s.radius, s.radius, s.radius}, 1);
  }
  SurfaceMesh operator()(const Box& s) const { return polyhedron_surface(s.surface); }
  SurfaceMesh operator()(const Capsule& s) const { return capsule_surface(s); }
  SurfaceMesh operator()(const Cylinder& s) const {
    return turned_surface({{0, -s.half_length},
                           {s.radius, -s.half_length},
                           {s.radius, s.half_length},
                           {0, s.half_length}});
  }
  SurfaceMesh operator()(const Ellipsoid& s) const { return ellipsoid_surface(s.radii, 2); }
  SurfaceMesh operator()(const HalfSpace& s) const { return plane_surface(s, plane_side); }
  SurfaceMesh operator()(const ConvexHull& s) const { return polyhedron_surface(s.surface); }
  SurfaceMesh operator()(const TriangleMesh& s) const { return {s.vertices, s.triangles}; }
  SurfaceMesh operator()(const HeightField& s) const { return height_surface(s); }
  SurfaceMesh operator()(const Compound& s) const {
    SurfaceMesh mesh;
    for (const Compound::Child& child : s.children)
      append(mesh, surface_of(*child.shape, plane_side), child.pose);
    return mesh;
  }
};

} // namespace

SurfaceMesh surface_of(const Shape& shape, double plane_side) {
  return std::visit(Tessellator{plane_side}, shape.geometry);
}

namespace {

/// Calls visit(shape, pose in the body frame, material) for all shapes, compounds taken apart.
template <class Visit>
void for_each_part(const Body& body, Visit&& visit) {
  for (const BodyShape& shape : body.shapes) {
    if (const auto* compound = std::get_if<Compound>(&shape.shape->geometry))
      for (const Compound::Child& child : compound->children)
        visit(*child.shape, shape.pose * child.pose, shape.material);
    else
      visit(*shape.shape, shape.pose, shape.material);
  }
}

} // namespace

WorldSurface surface_of(std::span<const Body> bodies, double plane_side, bool with_spheres) {
  WorldSurface surface;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto body = static_cast<Index>(i);
    for_each_part(bodies[i], [&](const Shape& shape, const Transform& pose, Index material) {
      if (!with_spheres && kind_of(shape) == ShapeKind::sphere) return;
      const auto first = static_cast<Index>(surface.mesh.triangles.size());
      surface.shapes.push_back({body, &shape, pose, material, first});
      append(surface.mesh, surface_of(shape, plane_side), pose);
    });
    surface.body.resize(surface.mesh.points.size(), body);
  }
  return surface;
}

std::vector<Particle> spheres_of(std::span<const Body> bodies) {
  std::vector<Particle> particles;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for_each_part(bodies[i], [&](const Shape& shape, const Transform& pose, Index) {
      if (const auto* sphere = std::get_if<Sphere>(&shape.geometry))
        particles.push_back({static_cast<Index>(i), pose.position, sphere->radius});
    });
  return particles;
}

} // namespace talus
