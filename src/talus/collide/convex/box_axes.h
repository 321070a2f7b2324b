#pragma once
// Separating axes of two boxes: the search of separating_axis.h over 15 directions, the axes of
// both and their cross products (Gottschalk, Lin and Manocha, "OBBTree", 1996). The extent of a box
// along a direction n is Σ h_k |n·a_k|, and its features that face n follow from the signs.

#include "talus/collide/convex/separating_axis.h"

namespace talus {

/// As find_separating_axis, for two bodies with `is_box`.
bool find_axis_of_boxes(const ConvexBody& a, const ConvexBody& b, double limit,
                        SeparatingAxis& axis);

} // namespace talus
