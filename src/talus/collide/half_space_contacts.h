#pragma once
// Contacts of a half-space with everything that has points.
//
// Polyhedra and meshes: every vertex within the envelope. Capsules: both ends. Spheres and
// ellipsoids: the lowest point. Cylinders: the lowest point of each rim, and where a cap faces the
// plane (within 60°) its eight ring points at fixed angles, so that a standing cylinder has
// eight points, a tilted one its true lowest point besides, a lying one two.

#include "talus/collide/convex/convex_body.h"

namespace talus {

/// Eight points at multiples of 45° on the rim at z = +half_length (0 … 7) and -half_length (8 …
/// 15).
inline constexpr int ring_points = 8;
Vec3 ring_point(const ConvexBody& cylinder, int number);

/// The plane of a half-space in the narrow phase's coordinates: solid where normal · x ≤ offset.
struct Plane {
  Vec3 normal;
  double offset = 0;
};

/// Appends the contacts from the half-space (A) to the body (B).
void half_space_contacts(const Plane& plane, const ConvexBody& body, double envelope,
                         PairContacts& out);
void half_space_contacts(const Plane& plane, const TriangleMesh& mesh, const Frame& frame,
                         double envelope, PairContacts& out);

} // namespace talus
