#include "talus/io/import/urdf_reader.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <map>

namespace talus::robot {

Quaternion roll_pitch_yaw(const Vec3& angles) {
  return axis_angle({0, 0, 1}, angles.z) * axis_angle({0, 1, 0}, angles.y) *
         axis_angle({1, 0, 0}, angles.x);
}

ShapeDescription hull_of(const TriangleMesh& mesh) {
  return {described::ConvexHull{convex_hull_of(mesh.vertices).vertices}};
}

namespace {

Transform read_origin(const XmlElement& parent) {
  const XmlElement origin = parent.child("origin");
  if (!origin) return {};
  return {origin.vector("xyz", Vec3{}), roll_pitch_yaw(origin.vector("rpy", Vec3{}))};
}

double positive_number(const XmlElement& element, std::string_view attribute) {
  const double value = element.need_number(attribute);
  if (!(value > 0)) element.fail(fmt::format("{} is {}, it must be positive", attribute, value));
  return value;
}

class UrdfReader {
public:
  UrdfReader(const ModelFiles& files, Warnings& warnings)
      : files_(files), warnings_(warnings), file_(files.model(), files.text()) {}

  RobotModel read() {
    const XmlElement root = file_.root("robot");
    root.skip("version");
    model_.name = root.find("name").value_or("");
    for (const XmlElement& link : root.children("link"))
      if (!links_.emplace(link.text("name"), link).second) link.fail("the name is taken");
    if (links_.empty()) fail_at(root.place(), "the robot has no links");
    for (const XmlElement& joint : root.children("joint")) note_joint(joint);
    add_links(find_root(root));
    refuse_circles();
    file_.report_unused(warnings_);
    return std::move(model_);
  }

private:
  void note_joint(const XmlElement& joint) {
    if (!joint_names_.insert(joint.text("name")).second) joint.fail("the name is taken");
    const auto end = [&](const char* which) {
      const XmlElement side = joint.child(which);
      if (!side) joint.fail(fmt::format("<{}> is missing", which));
      const std::string name = side.text("link");
      if (!links_.contains(name)) side.fail(fmt::format("there is no link '{}'", name));
      return name;
    };
    const std::string parent = end("parent"), child = end("child");
    if (parent == child) joint.fail("it joins a link with itself");
    if (const auto [at, is_new] = above_.emplace(child, joint); !is_new)
      joint.fail(fmt::format("link '{}' is already the child of {}; a URDF is a tree", child,
                             at->second.label()));
    below_[parent].push_back(joint);
  }

  /// The one link that is no child.
  std::string find_root(const XmlElement& robot) const {
    std::vector<std::string> roots;
    for (const XmlElement& link : robot.children("link"))
      if (!above_.contains(link.text("name"))) roots.push_back(link.text("name"));
    if (roots.empty()) fail_at(robot.place(), "the joints form a loop: every link is a child");
    if (roots.size() > 1)
      fail_at(
          links_.at(roots[1]).place(),
          fmt::format("the links '{}' and '{}' are both no child of a joint; a URDF is one tree",
                      roots[0], roots[1]));
    return roots[0];
  }

  void add_links(const std::string& root) {
    add_link(root, -1, nullptr);
    for (std::size_t i = 0; i < model_.links.size(); ++i)
      for (const XmlElement& joint : below_[model_.links[i].name])
        add_link(joint.child("child").text("link"), static_cast<int>(i), &joint);
    for (const auto& [name, element] : links_)
      if (!added_.contains(name))
        fail_at(above_.at(name).place(),
                fmt::format("{}: the links below it form a loop that the root '{}' is no part of",
                            above_.at(name).label(), root));
    // A base without mass, or the world itself, stands still.
    model_.links[0].free = root != "world" && base_has_mass();
  }

  bool base_has_mass() const {
    std::vector<bool> welded(model_.links.size());
    for (std::size_t i = 0; i < model_.links.size(); ++i) {
      const Link& link = model_.links[i];
      welded[i] = i == 0 || (link.joints.empty() && !link.free && welded[link.parent]);
      if (welded[i] && link.mass) return true;
    }
    return false;
  }

  void add_link(const std::string& name, int parent, const XmlElement* joint) {
    added_.insert(name);
    const XmlElement& element = links_.at(name);
    Link link;
    link.place = element.place();
    link.name = name;
    link.parent = parent;
    if (joint) read_joint(*joint, link);
    if (const XmlElement inertial = element.child("inertial")) link.mass = read_inertial(inertial);
    const auto collisions = element.children("collision");
    for (const XmlElement& each : collisions) link.geoms.push_back(read_geom(each, true));
    if (collisions.empty())
      for (const XmlElement& each : element.children("visual")) {
        link.geoms.push_back(read_geom(each, false));
      }
    model_.links.push_back(std::move(link));
  }

  static std::optional<MassProperties> read_inertial(const XmlElement& inertial) {
    const XmlElement mass = inertial.child("mass"), inertia = inertial.child("inertia");
    if (!mass) inertial.fail("<mass> is missing");
    const double value = mass.need_number("value");
    if (value < 0) mass.fail(fmt::format("the mass is {}, it must not be negative", value));
    const auto entry = [&](const char* name) { return inertia ? inertia.number(name, 0.0) : 0.0; };
    const double xx = entry("ixx"), xy = entry("ixy"), xz = entry("ixz");
    const double yy = entry("iyy"), yz = entry("iyz"), zz = entry("izz");
    const Transform frame = read_origin(inertial);
    if (value == 0) return std::nullopt;
    if (!inertia) inertial.fail("<inertia> is missing");
    const MassProperties own{value, {}, Mat3{{xx, xy, xz, xy, yy, yz, xz, yz, zz}}};
    return transformed(own, frame);
  }

  Geom read_geom(const XmlElement& element, bool collides) const {
    Geom geom;
    geom.place = element.place();
    geom.name = element.find("name").value_or("");
    geom.collides = collides;
    geom.pose = read_origin(element);
    const XmlElement geometry = element.child("geometry");
    if (!geometry) element.fail("<geometry> is missing");
    geom.shape = read_shape(geometry);
    return geom;
  }

  ShapeDescription read_shape(const XmlElement& geometry) const {
    if (const XmlElement box = geometry.child("box")) {
      const auto size = box.vector("size");
      if (!size || !(size->x > 0 && size->y > 0 && size->z > 0))
        box.fail("'size' must be three positive numbers");
      return {described::Box{0.5 * *size}};
    }
    if (const XmlElement sphere = geometry.child("sphere"))
      return {described::Sphere{positive_number(sphere, "radius")}};
    for (const char* kind : {"cylinder", "capsule"})
      if (const XmlElement round = geometry.child(kind)) {
        const double radius = positive_number(round, "radius");
        const double half = positive_number(round, "length") / 2;
        if (round.name() == "capsule") return {described::Capsule{radius, half}};
        return {described::Cylinder{radius, half}};
      }
    if (const XmlElement mesh = geometry.child("mesh")) {
      const Place place = mesh.place();
      const Vec3 scale = mesh.vector("scale", Vec3{1, 1, 1});
      const std::string path = files_.resolve(mesh.text("filename"), "", place);
      const TriangleMesh triangles = files_.mesh(path, scale, place);
      try {
        return hull_of(triangles);
      } catch (const InvalidArgument& error) {
        mesh.fail(fmt::format("the mesh {} has no convex hull: {}", path, error.what()));
      }
    }
    geometry.fail("one of <box>, <sphere>, <cylinder>, <capsule> and <mesh> is needed");
  }

  static std::optional<JointLimits> read_limits(const XmlElement& joint, const std::string& type) {
    const XmlElement limit = joint.child("limit");
    if (type == "continuous") return std::nullopt;
    if (!limit) {
      if (type == "revolute" || type == "prismatic")
        joint.fail(fmt::format("a {} joint needs <limit>", type));
      return std::nullopt;
    }
    JointLimits limits{limit.number("lower", 0), limit.number("upper", 0)};
    if (limits.lower > limits.upper)
      limit.fail(fmt::format("lower {} is above upper {}", limits.lower, limits.upper));
    return limits;
  }

  void read_joint(const XmlElement& element, Link& link) {
    link.pose = read_origin(element);
    const std::string type = element.text("type");
    if (type == "fixed") return;
    if (type == "floating") {
      link.free = true;
      return;
    }
    RobotJoint joint;
    joint.place = element.place();
    joint.name = element.text("name");
    if (const XmlElement axis = element.child("axis"))
      joint.axis = axis.vector("xyz", Vec3{1, 0, 0});
    else
      joint.axis = {1, 0, 0};
    if (!(norm(joint.axis) > 0)) element.fail("its axis is zero");
    joint.axis = normalized(joint.axis);
    if (type == "prismatic")
      joint.kind = JointKind::prismatic;
    else if (type != "revolute" && type != "continuous" && type != "planar")
      element.fail(fmt::format("unknown type '{}'; known: revolute, continuous, prismatic, fixed, "
                               "floating, planar",
                               type));
    joint.limits = read_limits(element, type);
    if (const XmlElement dynamics = element.child("dynamics")) {
      const double damping = dynamics.number("damping", 0);
      joint.friction = dynamics.number("friction", 0);
      if (damping < 0 || joint.friction < 0)
        dynamics.fail("damping and friction must not be negative");
      if (damping > 0) joint.spring = JointSpring{.damping = damping};
    }
    if (type == "planar") {
      add_planar(joint, link);
      return;
    }
    if (const XmlElement mimic = element.child("mimic"))
      model_.couplings.push_back({mimic.place(), joint.name + " mimic", joint.name,
                                  mimic.text("joint"), mimic.number("multiplier", 1),
                                  mimic.number("offset", 0)});
    link.joints.push_back(std::move(joint));
  }

  /// Joints that mimic each other in a circle have none that leads.
  void refuse_circles() const {
    std::map<std::string, std::string> leader;
    for (const Coupling& c : model_.couplings) leader.emplace(c.follower, c.leader);
    for (const Coupling& c : model_.couplings) {
      std::string at = c.leader;
      for (std::size_t i = 0; i < leader.size() && leader.contains(at) && at != c.follower; ++i)
        at = leader.at(at);
      if (at == c.follower)
        fail_at(c.place, fmt::format("joint '{}' mimics itself, by way of '{}'; mimic joints "
                                     "must not form a circle",
                                     c.follower, c.leader));
    }
  }

  /// Two slides in the plane, then a turn about its normal.
  static void add_planar(const RobotJoint& turn, Link& link) {
    const Vec3 first = orthogonal_unit(turn.axis), second = cross(turn.axis, first);
    for (const auto& [axis, suffix] : {std::pair(first, " x"), std::pair(second, " y")}) {
      RobotJoint slide = turn;
      slide.kind = JointKind::prismatic;
      slide.name = turn.name + suffix;
      slide.axis = axis;
      slide.limits.reset();
      link.joints.push_back(std::move(slide));
    }
    link.joints.push_back(turn);
    link.joints.back().limits.reset();
  }

  const ModelFiles& files_;
  Warnings& warnings_;
  XmlFile file_;
  RobotModel model_;
  std::map<std::string, XmlElement> links_, above_;
  std::map<std::string, std::vector<XmlElement>> below_;
  std::set<std::string> joint_names_, added_;
};

} // namespace

RobotModel read_urdf(const ModelFiles& files, Warnings& warnings) {
  return UrdfReader(files, warnings).read();
}

} // namespace talus::robot
