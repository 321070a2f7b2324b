#pragma once
// Ready-made static containers. All are solids with thick walls, so that a body that gets pressed
// into a wall is pushed back to the side it came from. The z axis points up.

#include "talus/shape/shape.h"

namespace talus {

/// Five boxes around the inner space |x| ≤ inner.x/2, |y| ≤ inner.y/2, 0 ≤ z ≤ inner.z, open at the
/// top.
ShapePtr make_open_box(const Vec3& inner, double wall);

/// A closed mesh of a tube about the z axis from z = 0 to z = height, open at both ends. The inner
/// surface is a regular prism of `segments` faces whose inscribed circle has the radius given.
ShapePtr make_cylinder_shell(double inner_radius, double height, double wall, int segments = 48);

/// A closed mesh of a funnel about the z axis: an inner cone from the outlet radius at z = 0 to the
/// inlet radius at z = height, followed by a tube of the inlet radius up to height + rim.
/// Radii are those of the inscribed circles of the `segments`-gons.
ShapePtr make_hopper(double outlet_radius, double inlet_radius, double height, double rim,
                     double wall, int segments = 48);

} // namespace talus
