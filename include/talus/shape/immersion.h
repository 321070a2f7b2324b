#pragma once
// The part of a solid below a plane, for buoyancy.

#include "talus/core/transform.h"
#include "talus/shape/shape.h"

namespace talus {

/// A volume (m³) and its centroid; the centroid is 0 where the volume is.
struct SolidPart {
  double volume = 0;
  Vec3 centre;
};

/// Whether the shape bounds a volume: not half-spaces, height fields and open meshes.
bool has_volume(const Shape& shape);

/// The part of the shape at `pose` where normal · x ≤ level, for a unit normal; everything for an
/// infinite level. Exact up to rounding for spheres, ellipsoids, boxes, convex hulls and closed
/// meshes; for cylinders and capsules within 1e-9 of the volume (a quadrature along the axis). The
/// children of a compound add up; those of a clump (make_clump) are scaled to the volume of their
/// union, which is exact once all is below. Shapes without a volume have no part. O(1), or linear
/// in the triangles. Does not allocate.
SolidPart part_below(const Shape& shape, const Transform& pose, const Vec3& normal, double level);

} // namespace talus
