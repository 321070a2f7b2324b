#pragma once
// Distance between the cores of two convex bodies: the algorithm of Gilbert, Johnson and Keerthi
// (1988) in double precision, which walks simplices of the Minkowski difference B - A towards the
// origin.

#include "talus/collide/convex/convex_body.h"

namespace talus {

struct ClosestPoints {
  double distance = 0; ///< Between the cores; zero when they intersect or nearly touch.
  Vec3 point_a, point_b;
  Vec3 normal; ///< From A to B; unit when distance > 0.
  /// Simplex of the closest points: how many of A's and B's vertices, and which (polyhedra only).
  int count = 0;
  Index vertex_a[4], vertex_b[4];
};

/// Stops early, with a distance that is a lower bound above `limit`, once the cores are known to be
/// farther apart than that. Cores closer than 1e-11 of their size count as touching.
ClosestPoints closest_points(const ConvexBody& a, const ConvexBody& b, double limit);

} // namespace talus
