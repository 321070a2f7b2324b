// Sections `contact` and `equality` of MJCF.

#include "talus/core/error.h"
#include "talus/io/import/mjcf_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::robot {

namespace {

std::string name_or(const XmlElement& element, const std::string& otherwise) {
  return element.find("name").value_or(otherwise);
}

/// connect: a point of body1 stays on body2; weld: body2 does not move in body1.
void read_loop(MjcfModel& m, const MjcfElement& e, const XmlElement& element) {
  LoopJoint loop;
  loop.place = element.place();
  loop.kind = element.name() == "weld" ? JointKind::fixed : JointKind::spherical;
  const std::string first = element.text("body1"), second = element.find("body2").value_or("");
  loop.link_a = m.link_named(first, element);
  loop.link_b = m.link_named(second, element);
  loop.name = name_or(
      element, fmt::format("{} {} {}", element.name(), first, second.empty() ? "world" : second));
  if (loop.kind == JointKind::spherical) {
    const auto anchor = e.vector("anchor");
    if (!anchor) element.fail("'anchor' is missing");
    loop.point = *anchor;
  }
  if (loop.link_a == loop.link_b) element.fail("it joins a body with itself");
  m.model.loops.push_back(std::move(loop));
}

/// joint: q1 - ref1 = c0 + c1 (q2 - ref2).
void read_coupling(MjcfModel& m, const MjcfElement& e, const XmlElement& element) {
  const std::string first = element.text("joint1");
  const auto second = element.find("joint2");
  std::vector<double> c = e.numbers("polycoef", 1, 5).value_or(std::vector<double>{0, 1});
  c.resize(5, 0);
  if (!second || c[1] == 0)
    element.fail("only equalities of two joints are supported; a joint that does not move is no "
                 "joint");
  if (c[2] != 0 || c[3] != 0 || c[4] != 0)
    element.fail("only linear equalities are supported: polycoef = \"c0 c1 0 0 0\"");
  const RobotJoint &follower = m.joint_named(first, element),
                   &leader = m.joint_named(*second, element);
  Coupling coupling;
  coupling.place = element.place();
  coupling.name = name_or(element, fmt::format("{} follows {}", first, *second));
  coupling.follower = first;
  coupling.leader = *second;
  coupling.ratio = c[1];
  coupling.offset = follower.reference + c[0] - c[1] * leader.reference;
  m.model.couplings.push_back(std::move(coupling));
}

int link_of_geom(const MjcfModel& m, const XmlElement& element, const char* attribute) {
  const std::string name = element.text(attribute);
  const auto found = m.geom_links.find(name);
  if (found == m.geom_links.end()) element.fail(fmt::format("there is no geom '{}'", name));
  return found->second;
}

} // namespace

void MjcfModel::warn(const Place& place, const std::string& what) {
  warnings.push_back(fmt::format("{}: {}", to_string(place), what));
}

int MjcfModel::link_named(const std::string& name, const XmlElement& user) const {
  if (name.empty() || name == "world") return 0;
  const auto found = links.find(name);
  if (found == links.end()) user.fail(fmt::format("there is no body '{}'", name));
  return found->second;
}

RobotJoint& MjcfModel::joint_named(const std::string& name, const XmlElement& user) {
  for (Link& link : model.links)
    for (RobotJoint& joint : link.joints)
      if (joint.name == name) {
        if (joint.kind == JointKind::spherical)
          user.fail(fmt::format("joint '{}' is a ball joint, which has no coordinate", name));
        return joint;
      }
  user.fail(fmt::format("there is no joint '{}' with a coordinate", name));
}

void read_equalities(MjcfModel& m) {
  for (const XmlElement& element : m.document.section("equality")) {
    const std::string kind = element.name();
    if (kind != "connect" && kind != "weld" && kind != "joint") continue;
    element.mark();
    const MjcfElement e = m.document.with_defaults(element, "");
    if (!e.flag("active").value_or(true)) {
      element.skip_all();
      m.warn(element.place(), fmt::format("the {} is not active and is ignored", element.label()));
    } else if (kind == "joint") {
      read_coupling(m, e, element);
    } else {
      read_loop(m, e, element);
    }
  }
}

void read_contacts(MjcfModel& m) {
  for (const XmlElement& element : m.document.section("contact")) {
    if (element.name() == "exclude") {
      element.mark();
      element.skip("name");
      m.model.excluded.emplace_back(m.link_named(element.text("body1"), element),
                                    m.link_named(element.text("body2"), element));
    } else if (element.name() == "pair") {
      element.mark();
      element.skip("name");
      const MjcfElement e = m.document.with_defaults(element, "");
      SurfacePair pair;
      pair.place = element.place();
      pair.link_a = link_of_geom(m, element, "geom1");
      pair.link_b = link_of_geom(m, element, "geom2");
      if (pair.link_a == pair.link_b) element.fail("the two geoms are of one body");
      if (e.find("friction") || e.find("condim")) pair.surface = read_surface(e);
      // Geoms that touch in pairs only have neither kind nor partners of their own.
      for (const char* which : {"geom1", "geom2"})
        for (const int link : {pair.link_a, pair.link_b})
          for (Geom& geom : m.model.links[link].geoms)
            if (geom.name == element.text(which)) geom.collides = m.contacts;
      m.model.pairs.push_back(std::move(pair));
    }
  }
}

} // namespace talus::robot
