#pragma once
// Separating axes of two polyhedra. The axes are the face normals of both and the cross products of
// those edge pairs whose normal arcs cross on the Gauss map, the faces of the Minkowski difference.
// For intersecting polyhedra the largest (least negative) separation is minus the penetration
// depth; for disjoint ones it is a lower bound of the distance, attained unless the closest
// features are vertex-vertex or vertex-edge.

#include "talus/collide/convex/convex_body.h"

namespace talus {

struct SeparatingAxis {
  enum class Kind { none, face_of_a, face_of_b, edges };
  Kind kind = Kind::none;
  Index a = 0, b = 0; ///< Face of A or B, or the edges of both.
  Vec3 normal;        ///< From A to B.
  double separation = 0;
};

/// The axis of largest separation; faces win ties against edges, A's against B's. Returns false as
/// soon as a separation above `limit` is found. Kind none: there is no axis (points and segments).
bool find_separating_axis(const ConvexBody& a, const ConvexBody& b, double limit,
                          SeparatingAxis& axis);

} // namespace talus
