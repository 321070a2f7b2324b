#pragma once
// The distance between two bodies as they lie, whether or not they may touch.
//
// Between convex shapes and half-spaces the distance is negative where they overlap: then it is
// minus the depth, by which one has to move along the normal to come free. Of meshes and height
// fields the surface counts: the distance to it is 0 where something crosses it.

#include "talus/world/world.h"

namespace talus {

struct Separation {
  double distance = 0; ///< m; negative for the depth of an overlap.
  Vec3 point_a, point_b;
  Vec3 normal;                      ///< From a to b, unit; zero where a surface is crossed.
  Index shape_a = -1, shape_b = -1; ///< Among the shapes of the bodies; -1: there are none.
};

/// The smallest over all pairs of their shapes; infinite if a body has no shapes. Throws
/// InvalidArgument for bodies that are not in the world, for twice the same one, and for two
/// half-spaces, between which no distance is smallest.
Separation closest(const World& world, Index body_a, Index body_b);

/// From a point to a body: `point_a` is the point itself.
Separation closest(const World& world, const Vec3& point, Index body);

} // namespace talus
