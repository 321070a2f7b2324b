#pragma once
// The polygonal cross sections S in space: the square [-1,1]² of pyramid and box, and the regular
// polygon of polyhedron:m and prism:m, inscribed in the unit circle with a vertex on the first
// tangential axis.
//
// Both have the symmetries of a regular polygon, so a tangential vector and everything nearest to
// it share one sector between a facet's midpoint and one of its ends. In that sector the polygon
// has one facet and one vertex, and finding faces needs no enumeration of the others.

#include "talus/contact/friction_set.h"

namespace talus {

/// A vector of the tangential plane.
struct Tangential {
  double t = 0, o = 0;
};

/// The facet of S towards which x_t points, and x_t in its axes: x_t = across normal + along edge.
struct SectionFacet {
  double apothem = 1;   ///< Distance of the facet from the centre of S.
  double half_edge = 1; ///< Half the facet's length.
  Tangential normal;    ///< Outward unit normal.
  Tangential edge;      ///< Unit vector from the facet's midpoint to its end nearer to x_t.
  double across = 0;    ///< normal · x_t, not negative.
  double along = 0;     ///< edge · x_t, not negative; at most across half_edge / apothem.

  /// The vertex of S that maximises vertex · x_t.
  Tangential vertex() const {
    return {apothem * normal.t + half_edge * edge.t, apothem * normal.o + half_edge * edge.o};
  }
  /// max { s · x_t : s ∈ S }.
  double support() const { return apothem * across + half_edge * along; }
};

/// For pyramid and box.
SectionFacet square_facet(Tangential x);

/// For polyhedron:m and prism:m, m even from 4 to max_facets, else InvalidArgument. Costs at most
/// m / 4 comparisons.
SectionFacet polygon_facet(int facets, Tangential x);

/// Number of vertices of the cross section: 4 for box and pyramid, m for prism:m and polyhedron:m.
int section_vertices(const FrictionSet& set);

/// Vertex k of the cross section, counter-clockwise; k + section_vertices(set) is k again. Those of
/// the polygons begin on the first tangential axis; -vertex is always a vertex too.
Tangential section_vertex(const FrictionSet& set, int k);

} // namespace talus
