#pragma once
// Meshes and height fields as one kind of surface: triangles in the pair's coordinates, with what
// lies beyond their edges and around their vertices.

#include "talus/collide/frame.h"
#include "talus/shape/shape.h"

#include <vector>

namespace talus {

struct SurfaceTriangle {
  Vec3 corner[3];
  Vec3 normal;
  Index vertex[3], edge[3], face = 0; ///< Names; edge k joins corners k and k + 1.
  Vec3 beyond[3];                     ///< Far corner of the neighbour across edge k ...
  bool has_beyond[3];                 ///< ... if there is one.
};

class MeshSurface {
public:
  MeshSurface(const TriangleMesh& mesh, const Frame& frame) : mesh_(mesh), frame_(frame) {}

  void triangle(Index t, SurfaceTriangle& out) const;
  template <class Visit>
  void around_vertex(Index v, Visit&& visit) const {
    for (Index k = mesh_.neighbour_start[v]; k < mesh_.neighbour_start[v + 1]; ++k) {
      visit(frame_.point(mesh_.vertices[mesh_.neighbours[k]]));
    }
  }
  /// Triangles whose bounds overlap a box in the mesh's frame.
  void overlapping(const Bounds& box, std::vector<Index>& stack, std::vector<Index>& found) const;
  /// Triangle with the point nearest to p, a point in the mesh's frame; among equally near ones the
  /// one that faces p most directly, whose normal tells the side.
  Index nearest(const Vec3& p) const;

private:
  const TriangleMesh& mesh_;
  const Frame& frame_;
};

class FieldSurface {
public:
  FieldSurface(const HeightField& field, const Frame& frame) : field_(field), frame_(frame) {}

  void triangle(Index t, SurfaceTriangle& out) const;
  template <class Visit>
  void around_vertex(Index v, Visit&& visit) const {
    const Index i = v % field_.columns, j = v / field_.columns;
    constexpr Index steps[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}};
    for (const auto& step : steps) {
      if (exists(i + step[0], j + step[1])) visit(world_point(i + step[0], j + step[1]));
    }
  }
  void overlapping(const Bounds& box, std::vector<Index>& found) const;
  /// Triangle above or below a point in the field's frame; -1 beside the field.
  Index under(const Vec3& p) const;

private:
  bool exists(Index i, Index j) const {
    return i >= 0 && j >= 0 && i < field_.columns && j < field_.rows;
  }
  Vec3 world_point(Index i, Index j) const { return frame_.point(field_.point(i, j)); }

  const HeightField& field_;
  const Frame& frame_;
};

/// Closest point of a triangle, with the part of it that the point lies on: corner k, edge k or the
/// inside.
struct TrianglePoint {
  enum class Part { corner, edge, inside };
  Vec3 point;
  Part part = Part::inside;
  int number = 0;
};
TrianglePoint closest_on_triangle(const Vec3 (&corner)[3], const Vec3& p);

} // namespace talus
