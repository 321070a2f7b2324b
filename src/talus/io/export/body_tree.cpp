#include "talus/io/export/body_tree.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace talus::exported {

namespace {

bool can_be_in_tree(JointKind kind, bool with_balls) {
  return kind == JointKind::revolute || kind == JointKind::prismatic || kind == JointKind::fixed ||
         (with_balls && kind == JointKind::spherical);
}

/// Grows the trees depth first, so that each subtree is in one piece.
class TreeGrower {
public:
  TreeGrower(BodyTree& tree, bool with_balls) : tree_(tree), with_balls_(with_balls) {
    taken_.assign(static_cast<std::size_t>(tree.world.size()), false);
    used_.assign(tree.world.joints().size(), false);
  }

  void grow() {
    const World& world = tree_.world;
    for (Index i = 0; i < world.size(); ++i)
      if (world.body(i).kind != BodyKind::dynamic) take({.body = i});
    // What hangs from fixed bodies, then what hangs from the world, then what flies.
    const std::size_t roots = tree_.nodes.size();
    std::vector<Node> fixed;
    fixed.swap(tree_.nodes);
    for (std::size_t i = 0; i < roots; ++i) {
      tree_.nodes.push_back(fixed[i]);
      grow_from(fixed[i].body);
    }
    grow_from(ground);
    for (Index i = 0; i < world.size(); ++i) {
      if (taken_[static_cast<std::size_t>(i)]) continue;
      take({.body = i, .free = true});
      grow_from(i);
    }
    for (std::size_t j = 0; j < used_.size(); ++j) {
      if (used_[j]) continue;
      const bool gear = world.joints()[j].kind == JointKind::gear;
      (gear ? tree_.gears : tree_.loops).push_back(static_cast<Index>(j));
    }
  }

private:
  void take(Node node) {
    taken_[static_cast<std::size_t>(node.body)] = true;
    if (node.joint >= 0) used_[static_cast<std::size_t>(node.joint)] = true;
    tree_.nodes.push_back(node);
  }

  void grow_from(Index parent) {
    const auto joints = tree_.world.joints();
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const Joint& joint = joints[j];
      const bool first = joint.body_a == parent, second = joint.body_b == parent;
      if (used_[j] || (!first && !second) || !can_be_in_tree(joint.kind, with_balls_)) continue;
      const Index child = first ? joint.body_b : joint.body_a;
      if (child == ground || taken_[static_cast<std::size_t>(child)]) continue;
      take(
          {.body = child, .parent = parent, .joint = static_cast<Index>(j), .upside_down = second});
      grow_from(child);
    }
  }

  BodyTree& tree_;
  bool with_balls_;
  std::vector<bool> taken_, used_;
};

} // namespace

Transform BodyTree::principal_frame(Index body) const {
  return inverse(world.body(body).reference());
}

Vec3 BodyTree::anchor(const Node& node) const {
  const Joint& joint = world.joint(node.joint);
  const auto [a, b] = joint_frames(world, joint);
  return node.upside_down ? a.position : b.position;
}

Vec3 BodyTree::axis(const Node& node) const {
  const auto [a, b] = joint_frames(world, world.joint(node.joint));
  const Vec3 z = rotate(a.rotation, {0, 0, 1});
  return node.upside_down ? -z : z;
}

BodyTree body_tree(const WorldDescription& description, bool with_balls) {
  BodyTree tree{build_world(description), {}, {}, {}, {}};
  TreeGrower(tree, with_balls).grow();
  for (const BodyDescription& body : description.bodies) {
    const auto warn = [&](const char* what) {
      tree.warnings.push_back(fmt::format("body '{}': {}", body.name, what));
    };
    if (body.kind == BodyKind::kinematic) warn("its prescribed motion is not written; it is fixed");
    if (body.load != Wrench{} || !body.forces.empty() || !body.torques.empty())
      warn("the forces on it are not written");
    if (!body.turning) warn("that it does not turn is not written");
  }
  return tree;
}

std::vector<PlacedShape> shapes_of(BodyTree& tree, Index index) {
  const Body& body = tree.world.body(index);
  const Transform to_reference = inverse(body.reference());
  std::vector<PlacedShape> result;
  const auto add = [&](const ShapePtr& shape, const Transform& pose, const BodyShape& on) {
    const ShapeKind kind = kind_of(*shape);
    if (kind == ShapeKind::height_field) {
      tree.warnings.push_back(fmt::format("body '{}': its height field is not written", body.name));
      return;
    }
    if (kind == ShapeKind::triangle_mesh)
      tree.warnings.push_back(
          fmt::format("body '{}': readers take the convex hull of its mesh to collide", body.name));
    result.push_back({shape, pose, on.material, on.group != 0 || on.mask == 0});
    if (on.group == 0) result.back().collides = false;
  };
  for (const BodyShape& on : body.shapes) {
    const Transform pose = to_reference * on.pose;
    if (const auto* compound = std::get_if<Compound>(&on.shape->geometry))
      for (const Compound::Child& child : compound->children)
        add(child.shape, pose * child.pose, on);
    else
      add(on.shape, pose, on);
  }
  return result;
}

std::string obj_text(const Shape& shape) {
  std::string text;
  const auto out = std::back_inserter(text);
  if (const auto* mesh = std::get_if<TriangleMesh>(&shape.geometry)) {
    for (const Vec3& v : mesh->vertices) fmt::format_to(out, "v {}\n", numbers(v));
    for (const Triangle& t : mesh->triangles)
      fmt::format_to(out, "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    return text;
  }
  const Polyhedron& hull = std::get<ConvexHull>(shape.geometry).surface;
  for (const Vec3& v : hull.vertices) fmt::format_to(out, "v {}\n", numbers(v));
  for (const Polyhedron::Face& face : hull.faces) {
    text += 'f';
    for (Index k = 0; k < face.count; ++k)
      fmt::format_to(out, " {}", hull.loop[static_cast<std::size_t>(face.first + k)] + 1);
    text += '\n';
  }
  return text;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string numbers(const Vec3& v) {
  return fmt::format("{} {} {}", v.x, v.y, v.z);
}

} // namespace talus::exported
