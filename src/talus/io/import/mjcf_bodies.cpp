// The tree of bodies of MJCF, with their joints and inertia.

#include "talus/core/error.h"
#include "talus/io/import/mjcf_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::robot {

namespace {

class BodyReader {
public:
  explicit BodyReader(MjcfModel& m) : m_(m) {}

  void read() {
    Link world;
    world.name = "world";
    world.place = m_.document.root().place();
    m_.model.links.push_back(std::move(world));
    for (const XmlElement& section : m_.document.children(m_.document.root())) {
      if (section.name() != "worldbody") continue;
      section.mark();
      read_children(section, 0, "", {});
    }
    scale_total_mass();
  }

private:
  MjcfDocument& document() { return m_.document; }

  void read_children(const XmlElement& body, int link, const std::string& childclass,
                     const Transform& frame) {
    std::optional<MassProperties> inertial, from_geoms;
    read_into(body, link, childclass, frame, inertial, from_geoms);
    set_mass(body, m_.model.links[link], inertial, from_geoms);
    read_bodies_in(body, link, childclass, frame);
  }

  /// Everything but bodies, which follow so that links keep the order of MuJoCo's coordinates.
  void read_into(const XmlElement& body, int link, const std::string& childclass,
                 const Transform& frame, std::optional<MassProperties>& inertial,
                 std::optional<MassProperties>& from_geoms) {
    for (const XmlElement& each : document().children(body)) {
      const std::string kind = each.name();
      if (kind == "geom") {
        each.mark();
        const MjcfElement e = document().with_defaults(each, childclass);
        MjcfGeom geom = read_geom(m_, e, frame);
        if (geom.mass) from_geoms = from_geoms ? combined(*from_geoms, *geom.mass) : *geom.mass;
        if (!geom.geom.name.empty() && !m_.geom_links.emplace(geom.geom.name, link).second)
          each.fail("the name is taken");
        m_.model.links[link].geoms.push_back(std::move(geom.geom));
      } else if (kind == "inertial") {
        each.mark();
        inertial = transformed(read_inertial({each, {}}), frame);
      } else if (kind == "joint" || kind == "freejoint") {
        each.mark();
        if (link == 0) each.fail("the world has no joints");
        read_joint(each, m_.model.links[link], childclass, frame);
      } else if (kind == "frame") {
        each.mark();
        const std::string inner = each.find("childclass").value_or(childclass);
        read_into(each, link, inner, frame * document().frame({each, {}}), inertial, from_geoms);
      }
    }
  }

  void read_bodies_in(const XmlElement& body, int link, const std::string& childclass,
                      const Transform& frame) {
    for (const XmlElement& each : document().children(body)) {
      if (each.name() == "frame") {
        const std::string inner = each.find("childclass").value_or(childclass);
        read_bodies_in(each, link, inner, frame * document().frame({each, {}}));
      }
      if (each.name() != "body") continue;
      each.mark();
      if (++depth_ > deepest_element) each.fail("bodies are nested too deep");
      read_body(each, link, childclass, frame);
      --depth_;
    }
  }

  void read_body(const XmlElement& body, int parent, std::string childclass,
                 const Transform& frame) {
    const int number = static_cast<int>(m_.model.links.size());
    Link link;
    link.place = body.place();
    link.name = body.find("name").value_or(fmt::format("unnamed {}", number));
    link.parent = parent;
    link.pose = frame * document().frame({body, {}});
    if (const auto factor = body.number("gravcomp")) {
      link.floats = *factor == 1;
      if (*factor != 0 && *factor != 1)
        m_.warn(body.place(), fmt::format("gravcomp {} of body '{}' is ignored: only 0 and 1 are "
                                          "supported",
                                          *factor, link.name));
    }
    if (const auto given = body.find("childclass")) {
      document().require_class(*given, body);
      childclass = *given;
    }
    if (link.name == "world" || !m_.links.emplace(link.name, number).second)
      body.fail("the name is taken");
    m_.model.links.push_back(std::move(link));
    read_children(body, number, childclass, {});
  }

  MassProperties read_inertial(const MjcfElement& e) {
    MassProperties own;
    own.mass = e.own().need_number("mass");
    if (own.mass < 0) e.fail(fmt::format("the mass is {}, it must not be negative", own.mass));
    if (const auto full = e.numbers("fullinertia", 6, 6)) {
      const auto& f = *full; // xx yy zz xy xz yz
      own.inertia = Mat3{{f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2]}};
    } else if (const auto d = e.vector("diaginertia")) {
      own.inertia = Mat3::diagonal(*d);
    } else {
      e.fail("one of 'diaginertia' and 'fullinertia' is needed");
    }
    return transformed(own, document().frame(e));
  }

  void set_mass(const XmlElement& body, Link& link, std::optional<MassProperties> inertial,
                const std::optional<MassProperties>& from_geoms) {
    const MjcfCompiler& c = document().compiler();
    using Inertia = MjcfCompiler::Inertia;
    if (&link == &m_.model.links[0]) return;
    if (inertial && inertial->mass == 0) inertial.reset();
    link.mass = c.from_geoms == Inertia::always ? from_geoms : inertial;
    if (c.from_geoms == Inertia::automatic && !inertial) link.mass = from_geoms;
    if (!link.mass && c.least_mass > 0 && c.least_inertia > 0) link.mass = MassProperties{};
    if (!link.mass) return;
    link.mass->mass = std::max(link.mass->mass, c.least_mass);
    const auto [moments, axes] = symmetric_eigen(link.mass->inertia);
    Vec3 m = moments;
    for (int k = 0; k < 3; ++k) m[k] = std::max(m[k], c.least_inertia);
    const double sum = m.x + m.y + m.z;
    const double largest = std::max({m.x, m.y, m.z});
    if (c.balance_inertia && largest > sum - largest) m = Vec3{sum / 3, sum / 3, sum / 3};
    // No body has a moment larger than the sum of the two others.
    if (largest > (sum - largest) * (1 + 1e-6) && !c.balance_inertia)
      m_.warn(body.place(), fmt::format("the inertia of body '{}' is not that of a rigid body: "
                                        "{:.4g} > {:.4g} + {:.4g}",
                                        link.name, largest, std::min({m.x, m.y, m.z}),
                                        sum - largest - std::min({m.x, m.y, m.z})));
    if (m == moments) return;
    const Mat3 r = rotation_matrix(axes);
    link.mass->inertia = r * Mat3::diagonal(m) * transpose(r);
  }

  void scale_total_mass() {
    const double wanted = document().compiler().total_mass;
    if (!(wanted > 0)) return;
    double total = 0;
    for (const Link& link : m_.model.links) total += link.mass ? link.mass->mass : 0;
    for (Link& link : m_.model.links)
      if (link.mass) link.mass = with_mass(*link.mass, link.mass->mass * wanted / total);
  }

  void read_joint(const XmlElement& element, Link& link, const std::string& childclass,
                  const Transform& frame) {
    const std::string name =
        element.find("name").value_or(fmt::format("{} joint {}", link.name, link.joints.size()));
    const bool is_free = element.name() == "freejoint";
    const MjcfElement e =
        is_free ? MjcfElement(element, {}) : document().with_defaults(element, childclass);
    const std::string type = is_free ? "free" : e.find("type").value_or("hinge");
    if (type == "free") {
      if (link.parent != 0) element.fail("only bodies of the world may be free");
      if (!link.joints.empty()) element.fail("a free body has no other joints");
      link.free = true;
      return;
    }
    if (link.free) element.fail("a free body has no other joints");
    RobotJoint joint;
    joint.place = element.place();
    joint.name = name;
    joint.kind = type == "slide"  ? JointKind::prismatic
                 : type == "ball" ? JointKind::spherical
                                  : JointKind::revolute;
    if (type != "slide" && type != "ball" && type != "hinge")
      element.fail(fmt::format("unknown type '{}'; known: free, ball, slide, hinge", type));
    joint.anchor = frame(e.vector("pos", Vec3{}));
    if (joint.kind != JointKind::spherical) {
      joint.axis = rotate(frame.rotation, e.vector("axis", Vec3{0, 0, 1}));
      if (!(norm(joint.axis) > 1e-12)) element.fail("its axis is zero");
      joint.axis = normalized(joint.axis);
    }
    read_actions(e, joint);
    link.joints.push_back(std::move(joint));
  }

  void read_actions(const MjcfElement& e, RobotJoint& joint) {
    const double unit = joint.kind == JointKind::prismatic ? 1 : document().angle_unit();
    const auto not_negative = [&](const char* name) {
      const double value = e.number(name, 0);
      if (value < 0) e.fail(fmt::format("{} must not be negative", name));
      return value;
    };
    const double stiffness = not_negative("stiffness"), damping = not_negative("damping");
    joint.friction = not_negative("frictionloss");
    joint.armature = not_negative("armature");
    const bool limited = is_limited(e, "limited", "range", document().compiler().autolimits);
    if (joint.kind == JointKind::spherical) {
      if (stiffness > 0 || damping > 0) joint.spring = JointSpring{stiffness, damping};
      if (joint.friction > 0 || joint.armature > 0 || limited)
        m_.warn(e.place(), fmt::format("frictionloss, armature and range of the ball joint '{}' "
                                       "are ignored",
                                       joint.name));
      joint.friction = joint.armature = 0;
      return;
    }
    joint.reference = joint.start = unit * e.number("ref", 0);
    if (stiffness > 0 || damping > 0)
      joint.spring = JointSpring{stiffness, damping, unit * e.number("springref", 0)};
    if (!limited) return;
    const auto range = *e.numbers("range", 2, 2);
    if (!(range[0] <= range[1])) e.fail("range: the first number is larger than the second");
    joint.limits = JointLimits{unit * range[0], unit * range[1]};
  }

  MjcfModel& m_;
  int depth_ = 0;
};

} // namespace

void read_bodies(MjcfModel& m) {
  BodyReader(m).read();
}

} // namespace talus::robot
