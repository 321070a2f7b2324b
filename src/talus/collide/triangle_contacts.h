#pragma once
// Contacts of triangle meshes and height fields with convex bodies.
//
// Closed meshes and height fields are solids seen from outside, open meshes sheets seen from the
// side of the body's centre. A contact at an edge or vertex counts only if the surface around it is
// no nearer along the normal, so that a body slides over the seams of a flat floor without feeling
// them; where a triangle alone would push a body sideways at such a seam, its face normal is used
// instead. Names are those of the mesh's vertices, edges and triangles.

#include "talus/collide/convex/convex_contacts.h"
#include "talus/shape/shape.h"

#include <vector>

namespace talus {

struct TriangleScratch {
  ConvexBody triangle;
  std::vector<Index> candidates, stack;
  PairContacts found;
};

/// Appends the contacts from the surface (A), placed by `frame`, to the body (B).
void mesh_contacts(const TriangleMesh& mesh, const Frame& frame, const ConvexBody& body,
                   double envelope, TriangleScratch& scratch, ConvexScratch& convex,
                   PairContacts& out);
void height_field_contacts(const HeightField& field, const Frame& frame, const ConvexBody& body,
                           double envelope, TriangleScratch& scratch, ConvexScratch& convex,
                           PairContacts& out);

} // namespace talus
