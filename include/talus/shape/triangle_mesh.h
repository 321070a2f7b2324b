#pragma once
// Triangle meshes for static surroundings, with the adjacency and the tree that collision needs.
// A closed mesh (every edge shared by two triangles, in opposite directions) with positive volume
// bounds a solid and is one-sided: normals point out of the solid by the right-hand rule. An open
// mesh is a sheet without thickness and is two-sided.

#include "talus/core/types.h"
#include "talus/core/vec3.h"
#include "talus/shape/bounds.h"

#include <array>
#include <filesystem>
#include <vector>

namespace talus {

using Triangle = std::array<Index, 3>;

/// A node of the binary bounding-volume tree: a leaf holds triangles order[first … first + count);
/// an inner node (count 0) has its children at first and first + 1.
struct BoundsNode {
  Bounds bounds;
  Index first = 0, count = 0;
};

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  std::vector<Vec3> normals;     ///< Unit normal of each triangle.
  std::vector<Triangle> edge_of; ///< Edge k of triangle t joins its vertices k and k + 1.
  std::vector<std::array<Index, 2>> edge_triangles; ///< Triangles of each edge; -1 on a boundary.
  std::vector<Index> neighbour_start;               ///< Vertex v is joined by edges to the vertices
  std::vector<Index> neighbours; ///< neighbours[neighbour_start[v] … neighbour_start[v + 1]).
  std::vector<BoundsNode> tree;
  std::vector<Index> order;
  bool closed = false;
};

/// Merges vertices with equal coordinates, drops triangles without area, builds adjacency and tree.
/// Throws InvalidArgument when an index is out of range, a coordinate is not finite or nothing
/// is left.
TriangleMesh build_triangle_mesh(std::vector<Vec3> vertices, std::vector<Triangle> triangles);

/// Reads Wavefront OBJ (v and f lines; polygons are fanned; negative indices count from the end).
/// Throws FileError with "file:line: ..." for what it cannot read.
TriangleMesh read_obj(const std::filesystem::path& path);
/// Reads STL, ASCII or binary, told apart by their content. Throws FileError.
TriangleMesh read_stl(const std::filesystem::path& path);
/// Chooses the reader by the extension .obj or .stl. Throws InvalidArgument for another one.
TriangleMesh read_mesh(const std::filesystem::path& path);
/// The same from the content of such a file; the path gives the extension and appears in messages.
TriangleMesh parse_mesh(const std::filesystem::path& path, const std::string& bytes);

} // namespace talus
