#pragma once
// The bodies of a world as the forest that URDF and MJCF describe: each body hangs from another one
// or from the world by a joint, is welded to it, or is free. Joints that close loops are left over.

#include "talus/io/world_description.h"

#include <string>
#include <vector>

namespace talus::exported {

struct Node {
  Index body = 0;
  Index parent = -1;        ///< Number of a body; -1: the world.
  Index joint = -1;         ///< Number of a joint; -1: none.
  bool free = false;        ///< Otherwise, without a joint, welded to the parent.
  bool upside_down = false; ///< The joint's first body is the child: its axis points the other way.
};

struct BodyTree {
  World world;
  std::vector<Node> nodes;  ///< Parents before children, each subtree in one piece.
  std::vector<Index> loops; ///< Joints that are not in the tree, except gears.
  std::vector<Index> gears;
  std::vector<std::string> warnings;

  /// Mass, centre and principal axes in the reference frame of a body.
  Transform principal_frame(Index body) const;
  /// Point and axis of a node's joint in the world, as the child sees them.
  Vec3 anchor(const Node& node) const;
  Vec3 axis(const Node& node) const;
};

/// `with_balls`: spherical joints are in the tree. Throws InvalidArgument for the first joint that
/// the tree cannot have.
BodyTree body_tree(const WorldDescription& description, bool with_balls);

/// A convex shape or half-space with its pose in the reference frame of its body.
struct PlacedShape {
  ShapePtr shape;
  Transform pose;
  Index material = 0;
  bool collides = true;
};
/// The shapes of a body with compounds taken apart; what no format has becomes a warning.
std::vector<PlacedShape> shapes_of(BodyTree& tree, Index body);

/// Faces of a convex hull or mesh as an OBJ file.
std::string obj_text(const Shape& shape);

/// Text in an XML attribute.
std::string escaped(const std::string& text);
std::string numbers(const Vec3& v);

} // namespace talus::exported
