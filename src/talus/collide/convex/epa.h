#pragma once
// Penetration depth of two intersecting convex cores by the expanding polytope algorithm (van den
// Bergen 2001): grows a polytope inside the Minkowski difference B - A until its face nearest to
// the origin lies on the surface. Starts from a wide simplex, not from a thin one around the
// origin, so that touching bodies are no special case.

#include "talus/collide/convex/convex_body.h"

#include <vector>

namespace talus {

struct Penetration {
  Vec3 normal;           ///< From A to B: moving B by depth · normal separates the cores.
  double separation = 0; ///< min B - max A along the normal: minus the depth.
  Vec3 point_a, point_b; ///< On the cores, |separation| apart along the normal.
};

struct PolytopeFace {
  Index vertex[3];
  Index neighbour[3]; ///< Across the edge from vertex k to k + 1.
  Vec3 normal;
  double offset = 0;
  bool alive = true;
};
struct PolytopeVertex {
  Vec3 w, a, b;
};
struct PolytopeScratch {
  std::vector<PolytopeVertex> vertices;
  std::vector<PolytopeFace> faces;
  std::vector<Index> visible, stack;
  std::vector<std::pair<Index, Index>> horizon; ///< Faces beyond the rim and their edge.
};

/// The separation along the returned normal is exact; the normal is optimal to about 1e-12 of the
/// bodies' size in depth.
Penetration penetration_depth(const ConvexBody& a, const ConvexBody& b, PolytopeScratch& scratch);

} // namespace talus
