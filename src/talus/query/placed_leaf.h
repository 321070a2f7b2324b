#pragma once
// The shapes of a world taken apart, each where it lies.

#include "talus/world/world.h"

#include <memory>
#include <vector>

namespace talus {

/// A shape that is no compound, in the world. Of a height field the triangles.
struct QueryLeaf {
  Index body = 0, shape = 0; ///< `shape` counts those of the body.
  std::uint32_t group = 1;
  ShapePtr geometry;
  Transform pose;
  Bounds bounds; ///< Infinite for a half-space.
};

/// Those of one body, or of all; removed bodies have none.
void append_leaves(const World& world, Index body, std::vector<QueryLeaf>& leaves);
std::vector<QueryLeaf> leaves_of(const World& world);

} // namespace talus
