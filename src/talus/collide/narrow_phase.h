#pragma once
// Narrow phase: the contacts of one pair of leaves.

#include "talus/collide/convex/convex_contacts.h"
#include "talus/collide/leaf.h"
#include "talus/collide/triangle_contacts.h"

#include <vector>

namespace talus {

/// Work space for one thread.
struct NarrowScratch {
  ConvexBody a, b;
  ConvexScratch convex;
  TriangleScratch triangles;
  PairContacts contacts;
};

/// The contact of two spheres. Coincident centres get the normal +z.
inline PairContact sphere_contact(const Vec3& centre_a, double radius_a, const Vec3& centre_b,
                                  double radius_b) {
  const Vec3 d = centre_b - centre_a;
  const double distance = norm(d);
  const Vec3 n = distance > 0 ? d / distance : Vec3{0, 0, 1};
  return {feature_pair(make_feature(FeatureKind::smooth), make_feature(FeatureKind::smooth)), n,
          centre_a + radius_a * n, centre_b - radius_b * n, distance - radius_a - radius_b};
}

/// Replaces scratch.contacts with the contacts of the pair, from `first` to `second`, sorted by
/// their features, each features value once. Positions are in the world.
void find_contacts(const Leaves& leaves, const LeafPair& pair, double envelope,
                   NarrowScratch& scratch);

} // namespace talus
