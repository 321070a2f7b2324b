#include "talus/io/scene/scene_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

constexpr double degree = std::numbers::pi / 180;

using Keys = std::vector<std::string_view>;

/// Limits and motors are allowed everywhere here: the world says which joints have a coordinate.
Keys keys_of(JointKind kind) {
  Keys keys = {"name",     "type",    "limits",   "limit_spring", "motor",    "spring",
               "friction", "bearing", "armature", "effort",       "position", "let_collide"};
  const auto add = [&](std::initializer_list<std::string_view> more) {
    keys.insert(keys.end(), more);
  };
  if (kind == JointKind::gear)
    add({"joints", "ratio"});
  else
    add({"between", "at"});
  switch (kind) {
  case JointKind::revolute:
  case JointKind::prismatic:
  case JointKind::cylindrical:
  case JointKind::point_on_plane:
    add({"axis"});
    break;
  case JointKind::universal:
    add({"axis", "second_axis"});
    break;
  case JointKind::distance:
  case JointKind::spring:
    add({"second_at", "length"});
    break;
  case JointKind::bushing:
    add({"axis", "second_axis", "stiffness", "damping", "angular_stiffness", "angular_damping"});
    break;
  default:
    break;
  }
  return keys;
}

JointKind read_kind(const SceneValue& value, const std::string& label) {
  if (value.kind != SceneValue::Kind::mapping)
    fail_at(value.place, fmt::format("{} must be a mapping", label));
  const SceneValue* type = value.find("type");
  if (!type) fail_at(value.place, fmt::format("{}: 'type' is missing", label));
  return with_location(type->place, label,
                       [&] { return joint_kind_from(to_text(*type, label + ": type")); });
}

const std::string& read_side(const SceneValue& value, const World& world, const std::string& what) {
  const std::string& name = to_text(value, what + ": between");
  if (name != "ground" && world.find_body(name) < 0)
    fail_at(value.place,
            fmt::format("{}: there is no body '{}' (and it is not 'ground')", what, name));
  return name;
}

/// Coordinates of turning joints are degrees in scene files, radians in the world.
double coordinate_unit(JointKind kind) {
  return kind == JointKind::prismatic ? 1 : degree;
}

/// A limit may be open: .inf and -.inf.
double read_limit(const SceneValue& value, const std::string& what, double unit) {
  if (value.text == ".inf" || value.text == "+.inf") return std::numeric_limits<double>::infinity();
  if (value.text == "-.inf") return -std::numeric_limits<double>::infinity();
  return unit * to_number(value, what);
}

/// The motor's effort falls from `stall` at rest to 0 at `speed`; `level`, a number or a table,
/// scales what it is fed with.
void read_curve(const SceneValue& value, const std::string& what, MotorDescription& motor) {
  const SceneFields f(value, what, {"stall", "speed", "level"});
  const double stall = f.number("stall", positive), speed = f.number("speed", positive);
  motor.max_effort = stall;
  motor.damping = stall / speed;
  motor.target = speed;
  if (f.find("level")) {
    read_over_time(f, "level", speed, motor.target, motor.targets, motor.target_formula);
  }
}

} // namespace

void read_largest_effort(const SceneFields& f, std::string_view key, MotorDescription& motor) {
  read_over_time(f, key, 1, motor.max_effort, motor.max_efforts, motor.max_effort_formula);
  if (motor.max_efforts.empty() && motor.max_effort_formula.empty())
    motor.max_effort = f.number(key, not_negative);
  for (const auto& [time, effort] : motor.max_efforts)
    if (effort < 0)
      fail_at(f.need(key).place, fmt::format("{}: {} is {} at {} s, it must not be negative",
                                             f.what(), key, effort, time));
}

const std::vector<std::string_view> motor_keys = {"speed",         "position",  "curve",
                                                  "amplitude",     "frequency", "max_effort",
                                                  "time_constant", "stiffness", "damping"};

MotorDescription read_motor(const SceneFields& f, double unit) {
  f.exclusive({"speed", "position", "curve"});
  f.exclusive({"speed", "time_constant"}); // which says how fast a position is approached
  f.exclusive({"stiffness", "time_constant"});
  f.exclusive({"damping", "time_constant"});
  for (const std::string_view key : {"max_effort", "stiffness", "damping", "time_constant"})
    f.exclusive({"curve", key});
  if (f.find("frequency") && !f.find("amplitude")) f.fail("frequency needs an amplitude");
  MotorDescription motor;
  if (f.find("speed")) {
    motor.mode = MotorMode::velocity;
    read_over_time(f, "speed", 1, motor.target, motor.targets, motor.target_formula);
  } else if (f.find("position")) {
    motor.mode = MotorMode::position;
    read_over_time(f, "position", unit, motor.target, motor.targets, motor.target_formula);
  } else if (const SceneValue* curve = f.find("curve")) {
    read_curve(*curve, f.what() + ": curve", motor);
  } else {
    f.fail("needs speed (in rad/s, of prismatic joints m/s) or position (in degrees, m)");
  }
  if (f.find("amplitude")) {
    motor.amplitude = f.number("amplitude") * (motor.mode == MotorMode::position ? unit : 1);
    motor.frequency = f.number("frequency", positive);
  }
  if (f.find("max_effort")) read_largest_effort(f, "max_effort", motor);
  motor.time_constant = f.number("time_constant", 0.0, not_negative);
  motor.stiffness = f.number("stiffness", motor.stiffness, not_negative);
  motor.damping = f.number("damping", motor.damping, not_negative);
  return motor;
}

namespace {

JointSpring read_spring(const SceneValue& value, const std::string& what, double unit) {
  const SceneFields f(value, what, {"stiffness", "damping", "rest"});
  if (!f.find("stiffness") && !f.find("damping")) f.fail("needs stiffness or damping");
  return {f.number("stiffness", 0.0, not_negative), f.number("damping", 0.0, not_negative),
          unit * f.number("rest", 0.0)};
}

JointLimits read_limits(const SceneFields& f, double unit) {
  const SceneValue& limits = f.need("limits");
  const auto& items = to_list(limits, f.what() + ": limits");
  if (items.size() != 2)
    fail_at(limits.place, f.what() + ": limits has two entries [lower, upper]");
  JointLimits result{read_limit(items[0], f.what() + ": limits", unit),
                     read_limit(items[1], f.what() + ": limits", unit)};
  if (!(result.lower < result.upper))
    fail_at(limits.place,
            fmt::format("{}: limits: {} is not below {}", f.what(), items[0].text, items[1].text));
  if (const SceneValue* soft = f.find("limit_spring")) {
    const SceneFields s(*soft, f.what() + ": limit_spring", {"stiffness", "damping"});
    result.stiffness = s.number("stiffness", positive);
    result.damping = s.number("damping", 0.0, not_negative);
  }
  return result;
}

Bearing read_bearing(const SceneValue& value, const std::string& what, JointKind kind) {
  const bool slides = kind == JointKind::prismatic;
  const SceneFields f(value, what,
                      slides ? std::vector<std::string_view>{"friction"}
                             : std::vector<std::string_view>{"friction", "radius"});
  return {.friction = f.number("friction", not_negative),
          .radius = slides ? 0.0 : f.number("radius", positive)};
}

/// What acts on the coordinate, and springs.
void read_actions(const SceneFields& f, double unit, JointDescription& joint) {
  if (f.find("limit_spring") && !f.find("limits")) f.fail("limit_spring needs limits");
  if (f.find("limits")) joint.limits = read_limits(f, unit);
  if (const SceneValue* motor = f.find("motor"))
    joint.motor = read_motor(SceneFields(*motor, f.what() + ": motor", motor_keys), unit);
  const bool turns = has_coordinate(joint.kind);
  if (const SceneValue* spring = f.find("spring"))
    joint.spring = read_spring(*spring, f.what() + ": spring", turns ? unit : 1);
  joint.position = unit * f.number("position", 0.0);
  joint.friction = f.number("friction", 0.0, not_negative);
  if (const SceneValue* bearing = f.find("bearing"))
    joint.bearing = read_bearing(*bearing, f.what() + ": bearing", joint.kind);
  joint.armature = f.number("armature", 0.0, not_negative);
  if (f.find("effort"))
    read_over_time(f, "effort", 1, joint.effort, joint.efforts, joint.effort_formula);
  const auto values = [&](std::string_view key) { return f.vector(key, Vec3{}, not_negative); };
  joint.bushing = {values("stiffness"), values("damping"), values("angular_stiffness"),
                   values("angular_damping")};
}

const std::string& read_coupled(const SceneValue& value, const World& world,
                                const std::string& what) {
  const std::string& name = to_text(value, what + ": joints");
  if (world.find_joint(name) < 0)
    fail_at(value.place, fmt::format("{}: there is no joint '{}' before it", what, name));
  return name;
}

void read_gear(const SceneFields& f, const World& world, JointDescription& joint) {
  const auto& joints = to_list(f.need("joints"), f.what() + ": joints");
  if (joints.size() != 2)
    fail_at(f.need("joints").place, f.what() + ": a gear couples two joints [first, second]");
  joint.first_joint = read_coupled(joints[0], world, f.what());
  joint.second_joint = read_coupled(joints[1], world, f.what());
  joint.ratio = f.number("ratio");
}

void read_ends(const SceneFields& f, const World& world, JointDescription& joint) {
  const auto& sides = to_list(f.need("between"), f.what() + ": between");
  if (sides.size() != 2)
    fail_at(f.need("between").place, f.what() + ": between has two bodies [a, b]");
  joint.body_a = read_side(sides[0], world, f.what());
  joint.body_b = read_side(sides[1], world, f.what());
  joint.at = f.vector("at");
  if (f.find("second_at")) joint.second_at = f.vector("second_at");
  joint.axis = f.vector("axis", joint.axis);
  if (f.find("second_axis")) joint.second_axis = f.vector("second_axis");
  if (f.find("length")) joint.length = f.number("length", positive);
}

} // namespace

void read_joints(const SceneValue& section, WorldDraft& draft) {
  std::size_t position = 0;
  for (const SceneValue& value : to_list(section, "joints")) {
    const SceneValue* name = value.find("name");
    const std::string label =
        name ? fmt::format("joint '{}'", name->text) : fmt::format("joint {}", position);
    ++position;
    const JointKind kind = read_kind(value, label);
    const SceneFields f(value, fmt::format("{} ({})", label, to_string(kind)), keys_of(kind));
    JointDescription joint;
    joint.kind = kind;
    joint.name = f.text("name", "");
    if (kind == JointKind::gear)
      read_gear(f, draft.world(), joint);
    else
      read_ends(f, draft.world(), joint);
    const double unit = coordinate_unit(kind);
    read_actions(f, unit, joint);
    if (f.find("let_collide")) joint.bodies_collide = f.flag("let_collide", false);
    with_location(f.place(), f.what(), [&] { return draft.add(std::move(joint)); });
  }
}

} // namespace talus
