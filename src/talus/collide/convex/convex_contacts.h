#pragma once
// Contacts of two convex bodies.
//
// Polyhedra (with the cores of spheres and capsules among them): separating axes decide the normal,
// and where the closest features are a vertex or an edge at a distance, GJK. Curved bodies: GJK
// apart, the expanding polytope inside; a flat face, when it is as good, gives the normal exactly.
// The contact points are the clipped overlap of the features that face each other, or the closest
// points.

#include "talus/collide/convex/convex_body.h"
#include "talus/collide/convex/epa.h"
#include "talus/collide/convex/manifold.h"

namespace talus {

struct ConvexScratch {
  ManifoldScratch manifold;
  PolytopeScratch polytope;
};

/// Appends the contacts from A to B with gap ≤ envelope.
void convex_contacts(const ConvexBody& a, const ConvexBody& b, double envelope,
                     ConvexScratch& scratch, PairContacts& out);

/// The clipped manifold for a given normal from A to B, without looking for a better one.
void contacts_along(const ConvexBody& a, const ConvexBody& b, const Vec3& normal, double envelope,
                    ConvexScratch& scratch, PairContacts& out);

} // namespace talus
