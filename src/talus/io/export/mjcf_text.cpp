// A world as an MJCF file. Bodies keep the poses they have; `ref` says what the coordinates of the
// joints are there.

#include "talus/core/error.h"
#include "talus/io/export.h"
#include "talus/io/export/body_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace talus {

namespace exported {
namespace {

std::string quaternion_text(const Quaternion& q) {
  return fmt::format("{} {} {} {}", q.w, q.x, q.y, q.z);
}

/// pos and quat, without those that are zero.
std::string frame_text(const Transform& frame) {
  std::string text;
  if (frame.position != Vec3{}) text += fmt::format(" pos=\"{}\"", numbers(frame.position));
  if (frame.rotation != Quaternion{})
    text += fmt::format(" quat=\"{}\"", quaternion_text(frame.rotation));
  return text;
}

class MjcfWriter {
public:
  explicit MjcfWriter(const WorldDescription& d) : d_(d), tree_(body_tree(d, true)) {}

  ExportedModel write() {
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) children_of(tree_.nodes[i].parent, i);
    write_bodies(ground, 2);
    write_actuators();
    write_equalities();
    ExportedModel result;
    const World& world = tree_.world;
    result.text = fmt::format("<mujoco model=\"{}\">\n"
                              "  <compiler angle=\"radian\" autolimits=\"true\"/>\n"
                              "  <option timestep=\"{}\" gravity=\"{}\"/>\n",
                              escaped(d_.title), d_.step.step, numbers(world.gravity));
    const auto section = [&](const char* name, const std::string& content) {
      if (!content.empty()) result.text += fmt::format("  <{0}>\n{1}  </{0}>\n", name, content);
    };
    std::string excluded;
    for (const auto& [a, b] : world.contact_exclusions()) {
      if (a == ground || b == ground) continue;
      fmt::format_to(std::back_inserter(excluded), "    <exclude body1=\"{}\" body2=\"{}\"/>\n",
                     escaped(world.body(a).name), escaped(world.body(b).name));
    }
    section("asset", assets_);
    section("worldbody", bodies_);
    section("contact", excluded);
    section("equality", equalities_);
    section("actuator", actuators_);
    if (moves_) {
      section("keyframe",
              fmt::format("    <key name=\"start\" qpos=\"{}\" qvel=\"{}\"/>\n", qpos_, qvel_));
      tree_.warnings.push_back("the velocities at the start are in the keyframe 'start'");
    }
    result.text += "</mujoco>\n";
    result.warnings = std::move(tree_.warnings);
    return result;
  }

private:
  void children_of(Index parent, std::size_t node) {
    children_.resize(static_cast<std::size_t>(tree_.world.size()) + 1);
    children_[static_cast<std::size_t>(parent + 1)].push_back(node);
  }

  void write_bodies(Index parent, int depth) {
    if (children_.empty()) return;
    for (const std::size_t i : children_[static_cast<std::size_t>(parent + 1)]) {
      const Node& node = tree_.nodes[i];
      const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
      const Body& body = tree_.world.body(node.body);
      const Transform outer = parent == ground ? Transform{} : tree_.world.pose(parent);
      const Transform pose = tree_.world.pose(node.body);
      bodies_ +=
          fmt::format("{}<body name=\"{}\"{}{}>\n", indent, escaped(body.name),
                      frame_text(inverse(outer) * pose), body.floats ? " gravcomp=\"1\"" : "");
      if (body.kind == BodyKind::dynamic) write_inertial(node.body, indent);
      write_joint(node, pose, indent);
      for (const PlacedShape& shape : shapes_of(tree_, node.body)) write_geom(shape, indent);
      write_bodies(node.body, depth + 1);
      bodies_ += indent + "</body>\n";
    }
  }

  void write_inertial(Index index, const std::string& indent) {
    const Body& body = tree_.world.body(index);
    const Transform frame = tree_.principal_frame(index);
    bodies_ += fmt::format(
        "{}  <inertial pos=\"{}\" quat=\"{}\" mass=\"{}\" diaginertia=\"{}\"/>\n", indent,
        numbers(frame.position), quaternion_text(frame.rotation), body.mass, numbers(body.moments));
  }

  void write_joint(const Node& node, const Transform& pose, const std::string& indent) {
    const BodyState& state = tree_.world.state(node.body);
    if (node.free) {
      bodies_ += indent + "  <freejoint/>\n";
      qpos_ += fmt::format(" {} {}", numbers(pose.position), quaternion_text(pose.rotation));
      const Vec3 arm = pose.position - state.pose.position;
      const Vec3 velocity = state.velocity + cross(state.angular_velocity, arm);
      qvel_ += fmt::format(" {} {}", numbers(velocity),
                           numbers(rotate_back(pose.rotation, state.angular_velocity)));
      moves_ = moves_ || norm(velocity) > 0 || norm(state.angular_velocity) > 0;
      return;
    }
    if (node.joint < 0) return;
    const Joint& joint = tree_.world.joint(node.joint);
    if (joint.kind == JointKind::fixed) return;
    const bool ball = joint.kind == JointKind::spherical;
    std::string text =
        fmt::format("{}  <joint name=\"{}\" type=\"{}\" pos=\"{}\"", indent, escaped(joint.name),
                    ball                                ? "ball"
                    : joint.kind == JointKind::revolute ? "hinge"
                                                        : "slide",
                    numbers(to_local(pose, tree_.anchor(node))));
    const auto number = [&](const char* key, double value) {
      if (value != 0) text += fmt::format(" {}=\"{}\"", key, value);
    };
    if (!ball) {
      text += fmt::format(" axis=\"{}\"", numbers(rotate_back(pose.rotation, tree_.axis(node))));
      number("ref", coordinate(node.joint));
    }
    if (joint.limits) {
      if (std::isfinite(joint.limits->lower) && std::isfinite(joint.limits->upper))
        text += fmt::format(" range=\"{} {}\"", joint.limits->lower, joint.limits->upper);
      else
        warn(joint, "a limit on one side only is not written");
      if (std::isfinite(joint.limits->stiffness)) warn(joint, "its soft limits become rigid");
    }
    if (joint.spring) {
      number("stiffness", joint.spring->stiffness);
      number("damping", joint.spring->damping);
      if (joint.spring->stiffness > 0) number("springref", joint.spring->rest);
    }
    number("frictionloss", joint.friction);
    number("armature", joint.armature);
    bodies_ += text + "/>\n";
    note_velocity(node, joint);
  }

  void note_velocity(const Node& node, const Joint& joint) {
    if (joint.kind == JointKind::spherical) {
      const Vec3 outer =
          node.parent == ground ? Vec3{} : tree_.world.state(node.parent).angular_velocity;
      const Vec3 spin = rotate_back(tree_.world.pose(node.body).rotation,
                                    tree_.world.state(node.body).angular_velocity - outer);
      qpos_ += " 1 0 0 0";
      qvel_ += " " + numbers(spin);
      moves_ = moves_ || norm(spin) > 0;
      return;
    }
    const double velocity = joint_velocity(tree_.world, joint);
    qpos_ += fmt::format(" {}", coordinate(node.joint));
    qvel_ += fmt::format(" {}", velocity);
    moves_ = moves_ || velocity != 0;
  }

  double coordinate(Index joint) const {
    return tree_.world.joint_coordinates()[static_cast<std::size_t>(joint)];
  }

  void write_geom(const PlacedShape& placed, const std::string& indent) {
    std::string text = fmt::format("{}  <geom", indent);
    Transform pose = placed.pose;
    const Shape& shape = *placed.shape;
    if (const auto* ball = std::get_if<Sphere>(&shape.geometry)) {
      text += fmt::format(" type=\"sphere\" size=\"{}\"", ball->radius);
    } else if (const auto* box = std::get_if<Box>(&shape.geometry)) {
      text += fmt::format(" type=\"box\" size=\"{}\"", numbers(box->half_extents));
    } else if (const auto* capsule = std::get_if<Capsule>(&shape.geometry)) {
      text +=
          fmt::format(" type=\"capsule\" size=\"{} {}\"", capsule->radius, capsule->half_length);
    } else if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry)) {
      text +=
          fmt::format(" type=\"cylinder\" size=\"{} {}\"", cylinder->radius, cylinder->half_length);
    } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape.geometry)) {
      text += fmt::format(" type=\"ellipsoid\" size=\"{}\"", numbers(ellipsoid->radii));
    } else if (const auto* plane = std::get_if<HalfSpace>(&shape.geometry)) {
      text += " type=\"plane\" size=\"0 0 1\"";
      pose = pose *
             Transform{plane->offset * plane->normal, rotation_between({0, 0, 1}, plane->normal)};
    } else {
      text += fmt::format(" type=\"mesh\" mesh=\"{}\"", mesh_name(shape));
    }
    text += frame_text(pose);
    const Material& material = tree_.world.materials[placed.material];
    const int condim = material.rolling > 0 ? 6 : material.spinning > 0 ? 4 : 3;
    text += fmt::format(" friction=\"{} {} {}\" condim=\"{}\"", material.friction,
                        material.spinning, material.rolling, condim);
    if (!placed.collides) text += " contype=\"0\" conaffinity=\"0\"";
    bodies_ += text + "/>\n";
  }

  std::string mesh_name(const Shape& shape) {
    const auto known = std::find(meshes_.begin(), meshes_.end(), &shape);
    const auto number = static_cast<std::size_t>(known - meshes_.begin());
    std::string name = fmt::format("mesh {}", number);
    if (known != meshes_.end()) return name;
    meshes_.push_back(&shape);
    const auto* mesh = std::get_if<TriangleMesh>(&shape.geometry);
    const std::vector<Vec3>& vertices =
        mesh ? mesh->vertices : std::get<ConvexHull>(shape.geometry).surface.vertices;
    assets_ += fmt::format("    <mesh name=\"{}\" vertex=\"", name);
    for (std::size_t i = 0; i < vertices.size(); ++i)
      assets_ += (i == 0 ? "" : "  ") + numbers(vertices[i]);
    assets_ += "\"/>\n";
    return name;
  }

  void write_actuators() {
    for (const Node& node : tree_.nodes) {
      if (node.joint < 0) continue;
      const Joint& joint = tree_.world.joint(node.joint);
      const auto general = [&](double b0, double b1, double b2, double limit) {
        actuators_ += fmt::format("    <general joint=\"{}\" gainprm=\"0\" biastype=\"affine\" "
                                  "biasprm=\"{} {} {}\"",
                                  escaped(joint.name), b0, b1, b2);
        if (std::isfinite(limit)) actuators_ += fmt::format(" forcerange=\"{} {}\"", -limit, limit);
        actuators_ += "/>\n";
      };
      if (joint.effort_at) warn(joint, "its effort over time is not written");
      if (joint.effort != 0) general(joint.effort, 0, 0, std::numeric_limits<double>::infinity());
      if (!joint.motor) continue;
      const JointMotor& motor = *joint.motor;
      if (motor.target_at) warn(joint, "the target of its motor over time is not written");
      if (motor.max_effort_at) warn(joint, "its largest effort over time is not written");
      if (motor.stiffness == 0 && motor.damping == 0) {
        warn(joint, "a motor without gains is not written");
        continue;
      }
      const bool position = motor.mode == MotorMode::position;
      general((position ? motor.stiffness : motor.damping) * motor.target, -motor.stiffness,
              -motor.damping, motor.max_effort);
    }
  }

  void write_equalities() {
    const World& world = tree_.world;
    const auto name = [&](Index body) { return body == ground ? "world" : world.body(body).name; };
    for (const Index j : tree_.loops) {
      const Joint& joint = world.joint(j);
      if (joint.kind != JointKind::spherical && joint.kind != JointKind::fixed) {
        warn(joint, fmt::format("a {} that closes a loop is not written", to_string(joint.kind)));
        continue;
      }
      // body1 must be a body.
      const bool turned = joint.body_a == ground;
      const Index first = turned ? joint.body_b : joint.body_a;
      const Index second = turned ? joint.body_a : joint.body_b;
      const auto [a, b] = joint_frames(world, joint);
      equalities_ += fmt::format("    <{} name=\"{}\" body1=\"{}\" body2=\"{}\"",
                                 joint.kind == JointKind::fixed ? "weld" : "connect",
                                 escaped(joint.name), escaped(name(first)), escaped(name(second)));
      if (joint.kind == JointKind::spherical)
        equalities_ += fmt::format(" anchor=\"{}\"",
                                   numbers(to_local(world.pose(first), (turned ? b : a).position)));
      equalities_ += "/>\n";
    }
    for (const Index j : tree_.gears) {
      const Joint& joint = world.joint(j);
      equalities_ += fmt::format(
          "    <joint name=\"{}\" joint1=\"{}\" joint2=\"{}\" polycoef=\"0 {} 0 0 0\"/>\n",
          escaped(joint.name), escaped(world.joint(joint.gear.first).name),
          escaped(world.joint(joint.gear.second).name), -joint.gear.ratio);
    }
  }

  void warn(const Joint& joint, const std::string& what) {
    tree_.warnings.push_back(fmt::format("joint '{}': {}", joint.name, what));
  }

  const WorldDescription& d_;
  BodyTree tree_;
  std::vector<std::vector<std::size_t>> children_; ///< Nodes below the world and each body.
  std::vector<const Shape*> meshes_;
  std::string assets_, bodies_, equalities_, actuators_, qpos_, qvel_;
  bool moves_ = false;
};

} // namespace
} // namespace exported

ExportedModel mjcf_text(const WorldDescription& description) {
  return exported::MjcfWriter(description).write();
}

} // namespace talus
