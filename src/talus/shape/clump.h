#pragma once
// Clumps within compounds.

#include "talus/shape/shape.h"

namespace talus {

/// The moments of a compound of these children, if one of them is a clump: its own count.
std::optional<SolidMoments> moments_with_clumps(const std::vector<Compound::Child>& children);

} // namespace talus
