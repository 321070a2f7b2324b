#pragma once
// Convex decomposition: a closed mesh, which may be concave, as a clump of convex hulls, so that
// bodies of this shape can move.
//
//     const ShapePtr gear = make_decomposed(read_mesh("gear.obj"), {.parts = 32});
//
// The solid is cut by planes, the part with the largest excess first, where the excess of a part is
// the volume of its convex hull beyond its own. Of the planes that are tried (across the axes of
// the part's bounding box, and along the faces at concave edges) the one is taken that leaves the
// least excess. Volumes of parts are exact; so the figures of a decomposition are true.

#include "talus/shape/mass_properties.h"
#include "talus/shape/shape.h"

namespace talus {

struct DecomposeOptions {
  int parts = 32;          ///< At most so many hulls, 1 to 1000.
  double tolerance = 0.01; ///< Cutting ends when the excess is below this share of the volume.
  int vertices = 64; ///< Of a hull, at least 8; fewer make contacts cheaper and hulls smaller.
};

struct Decomposition {
  std::vector<std::vector<Vec3>> hulls; ///< The points of each.
  MassProperties solid;                 ///< Of the mesh, for density 1.
  double hull_volume = 0;               ///< The sum over the hulls, which overlap only by rounding.
  /// (sum of the hulls' volumes) / (volume of the mesh) - 1.
  double volume_error() const { return hull_volume / solid.mass - 1; }
};

/// The same parts, bit for bit, from the same mesh and options. Throws InvalidArgument for an open
/// mesh and options out of range. O(parts · triangles), with a large factor: about a second for ten
/// thousand triangles and 32 parts.
Decomposition decompose(const TriangleMesh& mesh, const DecomposeOptions& options = {});

/// The hulls as a clump with the mass properties of the mesh.
ShapePtr clump_of(const Decomposition& parts);
/// clump_of(decompose(mesh, options)).
ShapePtr make_decomposed(const TriangleMesh& mesh, const DecomposeOptions& options = {});

} // namespace talus
