// A world as a URDF file. The frame of a link lies at the joint that holds it, and the file
// describes the position in which all coordinates are 0.

#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/io/export.h"
#include "talus/io/export/body_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace exported {
namespace {

constexpr const char* world_name = "world";

/// Angles about the fixed axes x, y, z, in this order.
Vec3 roll_pitch_yaw_of(const Quaternion& q) {
  const Mat3 r = rotation_matrix(q);
  const double across = hypotenuse(r(0, 0), r(1, 0));
  if (across < 1e-12) // pitch ±90°: roll and yaw turn about the same axis
    return {angle_of(-r(1, 2), r(1, 1)), angle_of(-r(2, 0), across), 0};
  return {angle_of(r(2, 1), r(2, 2)), angle_of(-r(2, 0), across), angle_of(r(1, 0), r(0, 0))};
}

std::string origin(const Transform& frame) {
  return fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/>", numbers(frame.position),
                     numbers(roll_pitch_yaw_of(frame.rotation)));
}

class UrdfWriter {
public:
  UrdfWriter(const WorldDescription& d, const std::string& stem)
      : d_(d), stem_(stem), tree_(body_tree(d, false)) {}

  ExportedModel write() {
    result_.text =
        fmt::format("<robot name=\"{}\">\n  <link name=\"{}\"/>\n", escaped(d_.title), world_name);
    frames_.assign(static_cast<std::size_t>(tree_.world.size()), Transform{});
    for (const Node& node : tree_.nodes) write_link(node);
    for (const Index j : tree_.loops) {
      const Joint& joint = tree_.world.joint(j);
      warn(joint.name, fmt::format("URDF has no {} outside its tree; it is not written",
                                   to_string(joint.kind)));
    }
    if (!d_.no_contacts.empty())
      result_.warnings.push_back("which bodies do not touch is not written");
    result_.text += "</robot>\n";
    result_.warnings.insert(result_.warnings.end(), tree_.warnings.begin(), tree_.warnings.end());
    return std::move(result_);
  }

private:
  std::string link_name(Index body) const {
    if (body == ground) return world_name;
    const std::string& name = tree_.world.body(body).name;
    return name == world_name ? std::string("world body") : name;
  }

  void write_link(const Node& node) {
    const World& world = tree_.world;
    const Transform pose = world.pose(node.body);
    Transform& frame = frames_[static_cast<std::size_t>(node.body)];
    frame = node.joint >= 0 ? Transform{tree_.anchor(node), pose.rotation} : pose;
    const Transform body_in_link = inverse(frame) * pose;
    const Body& body = world.body(node.body);
    result_.text += fmt::format("  <link name=\"{}\">\n", escaped(link_name(node.body)));
    if (body.kind == BodyKind::dynamic) {
      const Transform inertial = body_in_link * tree_.principal_frame(node.body);
      result_.text += fmt::format(
          "    <inertial>{}<mass value=\"{}\"/>"
          "<inertia ixx=\"{}\" iyy=\"{}\" izz=\"{}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\n",
          origin(inertial), body.mass, body.moments.x, body.moments.y, body.moments.z);
    }
    for (const PlacedShape& shape : shapes_of(tree_, node.body))
      write_shape(shape, body_in_link * shape.pose, body.name);
    result_.text += "  </link>\n";
    const BodyState& state = world.state(node.body);
    if (norm(state.velocity) > 0 || norm(state.angular_velocity) > 0)
      result_.warnings.push_back(
          fmt::format("body '{}': its velocity at the start is not written", body.name));
    if (body.floats)
      result_.warnings.push_back(
          fmt::format("body '{}': that gravity does not act on it is not written", body.name));
    write_joint(node, frame);
  }

  void write_shape(const PlacedShape& placed, const Transform& pose, const std::string& body) {
    const Shape& shape = *placed.shape;
    std::string geometry;
    if (const auto* ball = std::get_if<Sphere>(&shape.geometry)) {
      geometry = fmt::format("<sphere radius=\"{}\"/>", ball->radius);
    } else if (const auto* box = std::get_if<Box>(&shape.geometry)) {
      geometry = fmt::format("<box size=\"{}\"/>", numbers(2 * box->half_extents));
    } else if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry)) {
      geometry = fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>", cylinder->radius,
                             2 * cylinder->half_length);
    } else if (const auto* capsule = std::get_if<Capsule>(&shape.geometry)) {
      geometry = fmt::format("<capsule radius=\"{}\" length=\"{}\"/>", capsule->radius,
                             2 * capsule->half_length);
    } else if (kind_of(shape) == ShapeKind::convex_hull ||
               kind_of(shape) == ShapeKind::triangle_mesh) {
      geometry = fmt::format("<mesh filename=\"{}\"/>", escaped(mesh_file(shape)));
    } else {
      result_.warnings.push_back(fmt::format("body '{}': URDF has no {}; it is not written", body,
                                             name_of(kind_of(shape))));
      return;
    }
    const char* kind = placed.collides ? "collision" : "visual";
    result_.text +=
        fmt::format("    <{0}>{1}<geometry>{2}</geometry></{0}>\n", kind, origin(pose), geometry);
  }

  std::string mesh_file(const Shape& shape) {
    const auto known = std::find(meshes_.begin(), meshes_.end(), &shape);
    const std::string name = fmt::format("{}_meshes/mesh_{}.obj", stem_, known - meshes_.begin());
    if (known == meshes_.end()) {
      meshes_.push_back(&shape);
      result_.files.emplace_back(name, obj_text(shape));
    }
    return name;
  }

  void write_joint(const Node& node, Transform frame) {
    const World& world = tree_.world;
    const Transform parent =
        node.parent == ground ? Transform{} : frames_[static_cast<std::size_t>(node.parent)];
    std::string type = node.free ? "floating" : "fixed", details;
    std::string name = link_name(node.body) + " joint";
    if (node.joint >= 0) {
      const Joint& joint = world.joint(node.joint);
      name = joint.name;
      if (joint.kind != JointKind::fixed) {
        const double q = world.joint_coordinates()[static_cast<std::size_t>(node.joint)];
        const Vec3 axis = tree_.axis(node);
        details = joint_details(joint, rotate_back(frame.rotation, axis));
        // The joint's frame where its coordinate is 0.
        if (joint.kind == JointKind::prismatic)
          frame.position -= q * axis;
        else
          frame.rotation = axis_angle(axis, -q) * frame.rotation;
        if (q != 0) warn(joint.name, fmt::format("it starts at 0 instead of {:.6g}", q));
        type = joint.kind == JointKind::prismatic ? "prismatic"
               : joint.limits                     ? "revolute"
                                                  : "continuous";
      }
    }
    result_.text +=
        fmt::format("  <joint name=\"{}\" type=\"{}\">\n    <parent link=\"{}\"/><child "
                    "link=\"{}\"/>{}\n{}  </joint>\n",
                    escaped(name), type, escaped(link_name(node.parent)),
                    escaped(link_name(node.body)), origin(inverse(parent) * frame), details);
  }

  std::string joint_details(const Joint& joint, const Vec3& axis) {
    std::string text = fmt::format("    <axis xyz=\"{}\"/>\n", numbers(axis));
    constexpr double far = 1e9; // of slides without limits, which URDF does not have
    if (joint.limits || joint.kind == JointKind::prismatic) {
      const JointLimits limits = joint.limits.value_or(JointLimits{});
      text += fmt::format("    <limit lower=\"{}\" upper=\"{}\"/>\n", std::max(limits.lower, -far),
                          std::min(limits.upper, far));
      if (std::isfinite(limits.stiffness)) warn(joint.name, "its soft limits become rigid");
    }
    const double damping = joint.spring ? joint.spring->damping : 0;
    if (damping > 0 || joint.friction > 0)
      text +=
          fmt::format("    <dynamics damping=\"{}\" friction=\"{}\"/>\n", damping, joint.friction);
    if (joint.spring && joint.spring->stiffness > 0)
      warn(joint.name, "URDF has no springs; its stiffness is not written");
    if (joint.armature > 0) warn(joint.name, "URDF has no armature; it is not written");
    if (joint.motor || joint.effort != 0 || joint.effort_at)
      warn(joint.name, "URDF has no motors; what drives it is not written");
    for (const Index g : tree_.gears) {
      const Joint& gear = tree_.world.joint(g);
      if (tree_.world.joint(gear.gear.first).name != joint.name) continue;
      text += fmt::format("    <mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>\n",
                          escaped(tree_.world.joint(gear.gear.second).name), -gear.gear.ratio,
                          gear.gear.offset);
    }
    return text;
  }

  void warn(const std::string& joint, const std::string& what) {
    result_.warnings.push_back(fmt::format("joint '{}': {}", joint, what));
  }

  const WorldDescription& d_;
  std::string stem_;
  BodyTree tree_;
  std::vector<Transform> frames_; ///< Of the links, at the present poses.
  std::vector<const Shape*> meshes_;
  ExportedModel result_;
};

} // namespace
} // namespace exported

ExportedModel urdf_text(const WorldDescription& description, const std::string& stem) {
  return exported::UrdfWriter(description, stem).write();
}

} // namespace talus
