#pragma once
// Checks of what surrounds the bodies, and how loads act on them (fluid.h).

#include "talus/world/fluid.h"
#include "talus/world/world.h"

namespace talus {

/// The force function of a point load. A part of a world (World::part) keeps those of its bodies.
struct PointLoadForce {
  PointLoad load;
  void operator()(const World& world, double time, std::span<Wrench> wrenches) const;
};

/// Throws InvalidArgument for numbers that are negative or not finite.
void check_drag(const Drag& drag);

} // namespace talus
