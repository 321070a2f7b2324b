#pragma once
// Checks of what surrounds the bodies (fluid.h).

#include "talus/world/fluid.h"

namespace talus {

/// Throws InvalidArgument for numbers that are negative or not finite.
void check_drag(const Drag& drag);

} // namespace talus
