#pragma once
// Closed forms for the frequent pairs with spheres and capsules.

#include "talus/collide/convex/feature.h"
#include "talus/collide/frame.h"
#include "talus/shape/shape.h"

namespace talus {

/// Sphere (B) against box (A), whose centre and axes are the frame. Inside the box the nearest face
/// gives the normal.
void sphere_box_contact(const Box& box, const Frame& frame, const Vec3& centre, double radius,
                        double envelope, PairContacts& out);

/// Sphere (B) against the capsule (A) around the segment p q.
void sphere_capsule_contact(const Vec3& p, const Vec3& q, double capsule_radius, const Vec3& centre,
                            double radius, double envelope, PairContacts& out);

/// Capsules around p p' (A) and q q' (B): the closest points, and points to both sides of them
/// (points_beside). Parallel capsules touch at both ends of their common stretch.
void capsule_contacts(const Vec3 (&p)[2], double radius_p, const Vec3 (&q)[2], double radius_q,
                      double envelope, PairContacts& out);

} // namespace talus
