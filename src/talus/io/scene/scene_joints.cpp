#include "talus/core/elementary.h"
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
  Keys keys = {"name", "type", "limits", "motor", "let_collide"};
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
    add({"second_at", "length"});
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

Index find_side(const SceneValue& value, const World& world, const std::string& what) {
  const std::string& name = to_text(value, what + ": between");
  if (name == "ground") return ground;
  const Index found = world.find_body(name);
  if (found < 0)
    fail_at(value.place,
            fmt::format("{}: there is no body '{}' (and it is not 'ground')", what, name));
  return found;
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

JointMotor read_motor(const SceneValue& value, const std::string& what, double unit) {
  const SceneFields f(
      value, what, {"speed", "position", "amplitude", "frequency", "max_effort", "time_constant"});
  f.exclusive({"speed", "position"});
  f.exclusive({"speed", "time_constant"}); // which says how fast a position is approached
  if (f.find("frequency") && !f.find("amplitude")) f.fail("frequency needs an amplitude");
  JointMotor motor;
  if (f.find("speed")) {
    motor.mode = MotorMode::velocity;
    motor.target = f.number("speed");
  } else if (f.find("position")) {
    motor.mode = MotorMode::position;
    motor.target = unit * f.number("position");
  } else {
    f.fail("needs speed (in rad/s, of prismatic joints m/s) or position (in degrees, m)");
  }
  if (f.find("amplitude")) {
    const double mean = motor.target;
    const double size = f.number("amplitude") * (motor.mode == MotorMode::position ? unit : 1);
    const double omega = 2 * std::numbers::pi * f.number("frequency", positive);
    motor.target_at = [=](double time) { return mean + size * sine(omega * time); };
  }
  motor.max_effort = f.number("max_effort", motor.max_effort, not_negative);
  motor.time_constant = f.number("time_constant", 0.0, not_negative);
  return motor;
}

Index find_coupled(const SceneValue& value, const World& world, const std::string& what) {
  const Index found = world.find_joint(to_text(value, what + ": joints"));
  if (found < 0)
    fail_at(value.place, fmt::format("{}: there is no joint '{}' before it", what, value.text));
  return found;
}

void read_gear(const SceneFields& f, const World& world, JointBuilder& builder) {
  const auto& joints = to_list(f.need("joints"), f.what() + ": joints");
  if (joints.size() != 2)
    fail_at(f.need("joints").place, f.what() + ": a gear couples two joints [first, second]");
  const Index first = find_coupled(joints[0], world, f.what());
  const Index second = find_coupled(joints[1], world, f.what());
  builder.coupling(first, second, f.number("ratio"));
}

void read_ends(const SceneFields& f, const World& world, JointBuilder& builder) {
  const auto& sides = to_list(f.need("between"), f.what() + ": between");
  if (sides.size() != 2)
    fail_at(f.need("between").place, f.what() + ": between has two bodies [a, b]");
  builder.between(find_side(sides[0], world, f.what()), find_side(sides[1], world, f.what()));
  builder.at(f.vector("at"));
  if (f.find("second_at")) builder.second_at(f.vector("second_at"));
  if (f.find("axis")) builder.along(f.vector("axis"));
  if (f.find("second_axis")) builder.second_axis(f.vector("second_axis"));
  if (f.find("length")) builder.length(f.number("length", positive));
}

} // namespace

void read_joints(const SceneValue& section, World& world) {
  std::size_t position = 0;
  for (const SceneValue& value : to_list(section, "joints")) {
    const SceneValue* name = value.find("name");
    const std::string label =
        name ? fmt::format("joint '{}'", name->text) : fmt::format("joint {}", position);
    ++position;
    const JointKind kind = read_kind(value, label);
    const SceneFields f(value, fmt::format("{} ({})", label, to_string(kind)), keys_of(kind));
    JointBuilder builder(kind, f.text("name", ""));
    if (kind == JointKind::gear)
      read_gear(f, world, builder);
    else
      read_ends(f, world, builder);
    const double unit = coordinate_unit(kind);
    if (const SceneValue* limits = f.find("limits")) {
      const auto& items = to_list(*limits, f.what() + ": limits");
      if (items.size() != 2)
        fail_at(limits->place, f.what() + ": limits has two entries [lower, upper]");
      builder.limited(read_limit(items[0], f.what() + ": limits", unit),
                      read_limit(items[1], f.what() + ": limits", unit));
    }
    if (const SceneValue* motor = f.find("motor"))
      builder.driven(read_motor(*motor, f.what() + ": motor", unit));
    if (f.flag("let_collide", false)) builder.letting_bodies_collide();
    with_location(f.place(), f.what(), [&] { return world.add(builder); });
  }
}

} // namespace talus
