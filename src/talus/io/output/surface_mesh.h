#pragma once
// Shapes as triangles, for pictures: coarse where the shape is round, exact where it is flat.

#include "talus/shape/shape.h"
#include "talus/world/body.h"

#include <span>

namespace talus {

struct SurfaceMesh {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
};

/// In the shape frame. A half-space, which has no end, becomes a square with this side.
SurfaceMesh surface_of(const Shape& shape, double plane_side);

/// A shape on a body, compounds taken apart.
struct PlacedShape {
  Index body = 0;
  const Shape* shape = nullptr; ///< Lives as long as the body.
  Transform pose;               ///< From the shape frame to the body frame.
  Index material = 0;
  Index first_triangle = 0; ///< In the surface of the world; up to that of the next shape.
};

/// All shapes of all bodies, each in the frame of its body.
struct WorldSurface {
  SurfaceMesh mesh;
  std::vector<Index> body; ///< Of each point.
  std::vector<PlacedShape> shapes;
};
WorldSurface surface_of(std::span<const Body> bodies, double plane_side, bool with_spheres = true);

/// A sphere on a body.
struct Particle {
  Index body = 0;
  Vec3 centre; ///< In the body frame.
  double radius = 0;
};
/// All spheres of all bodies, compounds taken apart.
std::vector<Particle> spheres_of(std::span<const Body> bodies);

} // namespace talus
