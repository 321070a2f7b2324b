#pragma once
// Superellipsoids: between ellipsoids, boxes, cylinders and octahedra.
//
//     ( |x/a|^n₂ + |y/b|^n₂ )^(n₁/n₂) + |z/c|^n₁ ≤ 1
//
// with radii a, b, c and the blockiness n₁ (towards z) and n₂ (around z), both at least 1, where
// the solid is convex: 2, 2 is an ellipsoid, large numbers approach a box, a large n₁ with n₂ = 2 a
// cylinder, 1, 1 an octahedron.
//
// The shape is the convex hull of points on this surface, and its mass properties are those of the
// hull: with `segments` intervals along each edge of a cube of directions its volume is too small
// by a share of about 1/segments² (superellipsoid_volume() has the exact one).

#include "talus/shape/shape.h"

namespace talus {

/// 6 segments² + 2 points. Throws InvalidArgument for radii that are not positive, a blockiness
/// below 1 or above 100, and segments below 2 or above 64.
std::vector<Vec3> superellipsoid_points(const Vec3& radii, double n1, double n2, int segments = 8);

/// Their convex hull.
ShapePtr make_superellipsoid(const Vec3& radii, double n1, double n2, int segments = 8);

/// 2 a b c ε₁ ε₂ B(ε₁/2 + 1, ε₁) B(ε₂/2, ε₂/2) with ε = 2/n.
double superellipsoid_volume(const Vec3& radii, double n1, double n2);

} // namespace talus
