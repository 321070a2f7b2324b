// Actuators and keyframes of MJCF.
//
// An actuator with the constant transmission g on the coordinate q applies the effort g F, where
//
//     F = gain · control + b0 + b1 g q + b2 g q̇.
//
// With b1 < 0 this is a servo that holds a position, with b1 = 0 and b2 < 0 one that holds a speed,
// with neither a given effort.

#include "talus/core/error.h"
#include "talus/io/import/mjcf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::robot {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// effort = constant + stiffness q + damping q̇, all actuators of a joint together.
struct JointEffort {
  double constant = 0, stiffness = 0, damping = 0, limit = 0;
  Place place;
};

struct Law {
  double gain = 1, b0 = 0, b1 = 0, b2 = 0;
};

std::optional<Law> read_law(const MjcfElement& e) {
  const std::string kind = e.name();
  if (kind == "motor") return Law{};
  if (kind == "position") {
    const double kp = e.number("kp", 1), kv = e.number("kv", 0);
    if (kp < 0 || kv < 0) e.fail("kp and kv must not be negative");
    return Law{kp, 0, -kp, -kv};
  }
  if (kind == "velocity") {
    const double kv = e.number("kv", 1);
    if (kv < 0) e.fail("kv must not be negative");
    return Law{kv, 0, 0, -kv};
  }
  if (kind != "general") return std::nullopt;
  const std::string gain = e.find("gaintype").value_or("fixed");
  const std::string bias = e.find("biastype").value_or("none");
  if (gain != "fixed" || (bias != "none" && bias != "affine")) return std::nullopt;
  const auto g = e.numbers("gainprm", 1, 10).value_or(std::vector<double>{1});
  std::vector<double> b = e.numbers("biasprm", 1, 10).value_or(std::vector<double>{});
  b.resize(std::max<std::size_t>(b.size(), 3), 0);
  if (bias == "none") return Law{g[0]};
  return Law{g[0], b[0], b[1], b[2]};
}

/// The largest effort; MJCF may have different ones for the two directions.
double force_limit(MjcfModel& m, const MjcfElement& e) {
  if (!is_limited(e, "forcelimited", "forcerange", m.document.compiler().autolimits))
    return infinity;
  const auto range = *e.numbers("forcerange", 2, 2);
  const double limit = std::max(std::abs(range[0]), std::abs(range[1]));
  if (range[0] != -range[1])
    m.warn(e.place(),
           fmt::format("the force range [{}, {}] becomes ±{}", range[0], range[1], limit));
  return limit;
}

double control_of(MjcfModel& m, const MjcfElement& e, double control) {
  if (!is_limited(e, "ctrllimited", "ctrlrange", m.document.compiler().autolimits)) return control;
  const auto range = *e.numbers("ctrlrange", 2, 2);
  if (!(range[0] <= range[1])) e.fail("ctrlrange: the first number is larger than the second");
  return std::clamp(control, range[0], range[1]);
}

void apply(MjcfModel& m, RobotJoint& joint, const JointEffort& total) {
  const auto [constant, stiffness, damping, limit, place] = total;
  if (stiffness > 0 || damping > 0) {
    m.warn(place, fmt::format("the actuators of joint '{}' push it away from where they hold it; "
                              "they are ignored",
                              joint.name));
    return;
  }
  if (stiffness == 0 && damping == 0) {
    joint.effort = std::clamp(constant, -limit, limit);
    return;
  }
  MotorDescription motor;
  motor.mode = stiffness < 0 ? MotorMode::position : MotorMode::velocity;
  motor.stiffness = -stiffness;
  motor.damping = -damping;
  motor.target = constant / (stiffness < 0 ? -stiffness : -damping);
  motor.max_effort = limit;
  joint.motor = motor;
}

} // namespace

void read_actuators(MjcfModel& m, const std::vector<double>& control) {
  std::map<std::string, JointEffort> efforts;
  std::size_t number = 0;
  for (const XmlElement& element : m.document.section("actuator")) {
    const std::size_t own = number++;
    const MjcfElement e = m.document.with_defaults(element, "");
    const auto joint =
        element.find("joint") ? element.find("joint") : element.find("jointinparent");
    if (!joint) continue; // of tendons, sites, bodies: its element is not marked
    const auto law = read_law(e);
    if (!law) continue;
    element.mark();
    element.skip("name");
    m.joint_named(*joint, element);
    const double gear = e.numbers("gear", 1, 6).value_or(std::vector<double>{1})[0];
    const double input = control_of(m, e, own < control.size() ? control[own] : 0);
    const double limit = force_limit(m, e) * std::abs(gear);
    JointEffort& total = efforts[*joint];
    total.constant += gear * (law->gain * input + law->b0);
    total.stiffness += gear * gear * law->b1;
    total.damping += gear * gear * law->b2;
    total.limit = std::isnan(limit) ? 0 : total.limit + limit;
    total.place = element.place();
  }
  for (const auto& [name, total] : efforts) apply(m, m.joint_named(name, m.document.root()), total);
}

void apply_keyframe(MjcfModel& m, const std::string& name, std::vector<double>& control) {
  XmlElement key;
  std::string known;
  for (const XmlElement& each : m.document.section("keyframe")) {
    if (each.name() != "key") continue;
    const std::string own = each.find("name").value_or("");
    known += (known.empty() ? "" : ", ") + own;
    if (own == name && !name.empty()) key = each;
    if (name.empty()) each.skip_all(); // it is there for those who ask for it
  }
  if (name.empty()) return;
  if (!key)
    throw InvalidArgument(fmt::format("keyframe: there is no keyframe '{}'{}", name,
                                      known.empty() ? "" : "; there are " + known));
  key.mark();
  std::size_t positions = 0, velocities = 0;
  for (const Link& link : m.model.links) {
    positions += link.free ? 7 : 0;
    velocities += link.free ? 6 : 0;
    for (const RobotJoint& joint : link.joints) {
      positions += joint.kind == JointKind::spherical ? 4 : 1;
      velocities += joint.kind == JointKind::spherical ? 3 : 1;
    }
  }
  control = key.numbers("ctrl", 1, 100'000).value_or(std::vector<double>{});
  const auto qpos = key.numbers("qpos", positions, positions);
  const auto qvel = key.numbers("qvel", velocities, velocities);
  const double *q = qpos ? qpos->data() : nullptr, *v = qvel ? qvel->data() : nullptr;
  const auto quaternion = [&] {
    const Quaternion given{q[0], q[1], q[2], q[3]};
    if (!(norm(given) > 1e-12)) key.fail("qpos: a quaternion has length zero");
    q += 4;
    return normalized(given);
  };
  const auto vector = [](const double*& at) {
    at += 3;
    return Vec3{at[-3], at[-2], at[-1]};
  };
  for (Link& link : m.model.links) {
    if (link.free) {
      if (q) {
        link.pose.position = vector(q);
        link.pose.rotation = quaternion();
      }
      if (v) {
        link.velocity = vector(v);
        link.spin = rotate(link.pose.rotation, vector(v));
      }
    }
    for (RobotJoint& joint : link.joints) {
      const bool ball = joint.kind == JointKind::spherical;
      if (q && ball) joint.start_rotation = quaternion();
      if (q && !ball) joint.start = *q++;
      if (v && ball) joint.start_spin = vector(v);
      if (v && !ball) joint.velocity = *v++;
    }
  }
}

} // namespace talus::robot
