#pragma once
// Pairs of segments: the axes of capsules and the edges of polyhedra.

#include "talus/core/vec3.h"

namespace talus {

/// A point on each of the segments p p' and q q'.
struct SegmentPoints {
  double s = 0, t = 0; ///< Parameters in [0, 1].
  Vec3 on_p, on_q;
};

/// The closest points.
SegmentPoints closest_on_segments(const Vec3& p0, const Vec3& p1, const Vec3& q0, const Vec3& q1);

/// Where two segments run side by side, seen along p p': the closest points within a reach to one
/// side, as far as both segments go.
struct SidePoints {
  enum class Limit { reach, end_of_p, end_of_q };
  SegmentPoints points;
  Limit limit = Limit::reach;
  int end = 0; ///< Of the segment that ends: 0 or 1.
};

/// On either side of the closest points, before and behind them along p p'. Returns false where the
/// segments have no stretch in common.
///
/// Two rounded bodies along segments that cross at an angle θ, d apart, touch in one point. A tilt
/// by α about it moves that point by d α / sin²θ, so that the bodies come closer by
/// d α² / (2 sin²θ): much, where the segments are nearly parallel. At contacts a reach of
/// c d / sin θ to either side they would then meet for α above c sin θ / 2, which bounds what they
/// come closer by d c² / 8. Any two points of the segments stay d apart, so no such contact pushes
/// where nothing touches.
bool points_beside(const Vec3 (&p)[2], const Vec3 (&q)[2], const SegmentPoints& closest,
                   double reach, SidePoints& before, SidePoints& behind);

/// That reach for bodies with radii of `distance` together: c = 1/2.
double reach_beside(const Vec3& u, const Vec3& v, double distance);

} // namespace talus
