#pragma once
// The surface of a convex polyhedron: vertices, faces as counter-clockwise loops seen from outside,
// and edges with their two faces. Shared by convex hulls, boxes and triangles in collision.

#include "talus/core/types.h"
#include "talus/core/vec3.h"

#include <vector>

namespace talus {

struct Polyhedron {
  struct Face {
    Vec3 normal;                ///< Unit, outward.
    double offset = 0;          ///< The face lies in normal · x = offset.
    Index first = 0, count = 0; ///< Vertices loop[first … first + count).
  };
  struct Edge {
    Index vertex[2];
    Index face[2]; ///< face[0] has the edge in the direction vertex[0] → vertex[1].
  };
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<Index> loop;      ///< Vertices of the faces, one loop after the other.
  std::vector<Index> loop_edge; ///< Edge from loop[i] to its successor in the same face.
  std::vector<Edge> edges;
};

/// Convex hull of the points, with coplanar triangles merged into polygons and interior points
/// dropped. Vertices keep the order of the points they come from. Throws InvalidArgument for fewer
/// than four points, non-finite ones, or points in one plane. O(n f) in points and faces.
Polyhedron convex_hull_of(const std::vector<Vec3>& points);

/// The box |x_i| ≤ half_extents_i, with vertex v at signs (v & 1, v & 2, v & 4), face 2 i at
/// +e_i and face 2 i + 1 at -e_i.
Polyhedron box_polyhedron(const Vec3& half_extents);

} // namespace talus
