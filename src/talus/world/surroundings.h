#pragma once
// Checks of what surrounds the bodies, and how loads act on them (fluid.h).

#include "talus/world/fluid.h"
#include "talus/world/world.h"

namespace talus {

/// The body that a load at a point acts on, and no other; -1 for other force functions.
Index loaded_body(const ForceFunction& force);
/// The same load at a point, where its body has another number. A part of a world (World::part) has
/// those of its bodies.
ForceFunction load_on(const ForceFunction& load, Index body);

/// Throws InvalidArgument for numbers that are negative or not finite.
void check_drag(const Drag& drag);

} // namespace talus
