#pragma once
// A solid with a surface of triangles that is cut by planes (decompose.h).
//
// The lid that closes a cut is kept as a chain: signed triangles from one point of the plane to the
// segments in which the plane cuts the surface. They may lie outside of the solid and overlap, but
// their sum is the lid, so that volumes are exact, and they can be cut again like the others. Only
// `surface` has points that belong to the solid.

#include "talus/core/types.h"
#include "talus/shape/triangle_mesh.h"

#include <array>
#include <vector>

namespace talus {

/// normal · x ≤ offset is its lower side.
struct CutPlane {
  Vec3 normal;
  double offset = 0;

  double over(const Vec3& p) const { return dot(normal, p) - offset; }
};

using Corners = std::array<Vec3, 3>;

struct CutSolid {
  std::vector<Corners> surface, lids;
  std::vector<CutPlane> planes; ///< It lies on the lower side of each.
  double volume = 0;

  Bounds bounds() const;
};

CutSolid solid_of(const TriangleMesh& mesh);
double volume_of(const CutSolid& solid);

struct Halves {
  CutSolid lower, upper;
};
Halves cut(const CutSolid& solid, const CutPlane& plane);

/// Whether a point lies in the mesh: by the sum of the solid angles of its triangles.
bool contains(const TriangleMesh& mesh, const Vec3& point);

/// Points whose convex hull is that of the part: its vertices, with those corners of its planes
/// that lie in the whole mesh.
std::vector<Vec3> extreme_candidates(const CutSolid& solid, const TriangleMesh& whole);

} // namespace talus
