#include "talus/query/placed_leaf.h"

namespace talus {

namespace {

/// A height field as a sheet of triangles, which has a tree.
ShapePtr sheet_of(const HeightField& field) {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (Index j = 0; j < field.rows; ++j)
    for (Index i = 0; i < field.columns; ++i) points.push_back(field.point(i, j));
  for (Index j = 0; j + 1 < field.rows; ++j)
    for (Index i = 0; i + 1 < field.columns; ++i) {
      const Index a = j * field.columns + i, c = a + field.columns;
      triangles.push_back({a, a + 1, c + 1});
      triangles.push_back({a, c + 1, c});
    }
  return make_triangle_mesh(std::move(points), std::move(triangles));
}

QueryLeaf placed(Index body, Index number, const BodyShape& of, ShapePtr geometry,
                 const Transform& pose) {
  if (const auto* field = std::get_if<HeightField>(&geometry->geometry))
    geometry = sheet_of(*field);
  const Bounds bounds = bounds_of(*geometry, pose);
  return {body, number, of.group, std::move(geometry), pose, bounds};
}

} // namespace

void append_leaves(const World& world, Index body, std::vector<QueryLeaf>& leaves) {
  const Body& of = world.body(body);
  if (of.removed) return;
  const Transform& pose = world.states()[body].pose;
  Index number = 0;
  for (const BodyShape& shape : of.shapes) {
    const Transform placed_pose = pose * shape.pose;
    if (const auto* compound = std::get_if<Compound>(&shape.shape->geometry)) {
      for (const Compound::Child& child : compound->children)
        leaves.push_back(placed(body, number, shape, child.shape, placed_pose * child.pose));
    } else {
      leaves.push_back(placed(body, number, shape, shape.shape, placed_pose));
    }
    ++number;
  }
}

std::vector<QueryLeaf> leaves_of(const World& world) {
  std::vector<QueryLeaf> leaves;
  for (Index body = 0; body < world.size(); ++body) append_leaves(world, body, leaves);
  return leaves;
}

} // namespace talus
