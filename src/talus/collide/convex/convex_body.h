#pragma once
// A placed convex body as the narrow phase sees it: a core and a rounding radius around it. The
// core of a sphere is a point, that of a capsule a segment; boxes, hulls and triangles are
// polyhedra without rounding, cylinders and ellipsoids curved cores. Coordinates have world axes
// but an origin near the pair, so that gaps keep their digits far from the world's origin.

#include "talus/collide/convex/feature.h"
#include "talus/collide/frame.h"
#include "talus/shape/shape.h"

#include <span>
#include <vector>

namespace talus {

struct ConvexBody {
  enum class Core { polyhedron, cylinder, ellipsoid };
  struct Face {
    Vec3 normal;
    double offset = 0;
    Index first = 0, count = 0;
  };

  Core core = Core::polyhedron;
  double radius = 0; ///< Rounding around the core.
  double size = 0;   ///< Length that tolerances are relative to: about the body's radius.
  Vec3 centre;       ///< A point inside.

  // Polyhedra, with points (one vertex) and segments (two vertices, an edge without faces) among
  // them.
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::span<const Index> loop, loop_edge;
  std::span<const Polyhedron::Edge> edges;
  /// Names of the features of a triangle in its mesh; null: their own numbers.
  const Index *vertex_name = nullptr, *edge_name = nullptr, *face_name = nullptr;

  bool is_box = false; ///< A polyhedron with these half extents along the axes of `frame`.
  Vec3 half_extents;

  // Cylinders and ellipsoids.
  Frame frame;
  double cylinder_radius = 0, half_length = 0;
  Vec3 radii;

  /// Places a convex shape; `origin` is subtracted from world positions.
  void place(const Shape& shape, const Transform& pose, const Vec3& origin);
  /// A sphere's core.
  void place_point(const Vec3& position, double rounding);
  /// A triangle with its names: vertices, edges (k joins corner k and k + 1) and itself.
  void place_triangle(const Vec3 (&corners)[3], const Vec3& normal, const Index* vertex_names,
                      const Index* edge_names, const Index* face_name_in_mesh);

  bool is_polyhedral() const { return core == Core::polyhedron; }
  Vec3 axis() const { return frame.rotation.column(2); }
  /// A point of the core that is farthest along d; `vertex` gets its number on polyhedra.
  Vec3 support(const Vec3& d, Index& vertex) const;
  Vec3 support(const Vec3& d) const {
    Index unused;
    return support(d, unused);
  }

  Feature vertex_feature(Index v) const { return named(FeatureKind::vertex, vertex_name, v); }
  Feature edge_feature(Index e) const { return named(FeatureKind::edge, edge_name, e); }
  Feature face_feature(Index f) const { return named(FeatureKind::face, face_name, f); }

private:
  static Feature named(FeatureKind kind, const Index* names, Index i) {
    return make_feature(kind, static_cast<std::uint32_t>(names ? names[i] : i));
  }
};

} // namespace talus
