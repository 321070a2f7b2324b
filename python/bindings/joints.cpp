#include "bindings.h"
#include "talus/world/time_table.h"
#include "world_parts.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::python {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A function of time, or a table of (time, value).
using OverTime = std::variant<py::function, TimeTable<double>>;

std::function<double(double)> over_time(const OverTime& given) {
  if (const auto* table = std::get_if<TimeTable<double>>(&given)) return following(*table);
  return function_of_time<double>(std::get<py::function>(given));
}

/// The effort falls from `stall` at rest to 0 at `speed`.
JointMotor motor_on_curve(const std::pair<double, double>& curve, double level) {
  const auto [stall, speed] = curve;
  if (!(stall > 0) || !(speed > 0))
    throw InvalidArgument("a motor's curve takes a stall effort and a speed above 0");
  JointMotor motor;
  motor.mode = MotorMode::velocity;
  motor.target = level * speed;
  motor.max_effort = stall;
  motor.damping = stall / speed;
  return motor;
}

JointMotor make_motor(std::optional<double> speed, std::optional<double> position,
                      const std::optional<OverTime>& target, const std::string& mode,
                      const std::variant<double, OverTime>& max_effort, double time_constant,
                      double stiffness, double damping,
                      const std::optional<std::pair<double, double>>& curve, double level) {
  if (speed.has_value() + position.has_value() + target.has_value() + curve.has_value() != 1)
    throw InvalidArgument("a motor takes one of speed, position, target and curve");
  const double* constant = std::get_if<double>(&max_effort);
  const bool has_limit = !constant || std::isfinite(*constant);
  if (curve && (has_limit || time_constant != 0 || stiffness != 0 || damping != 0))
    throw InvalidArgument("a motor's curve goes without max_effort, time_constant and gains");
  if (curve) return motor_on_curve(*curve, level);
  if (target && mode != "speed" && mode != "position")
    throw InvalidArgument(
        fmt::format("the mode of a motor's target is speed or position, not '{}'", mode));
  JointMotor motor;
  const bool drives_position = position || (target && mode == "position");
  motor.mode = drives_position ? MotorMode::position : MotorMode::velocity;
  motor.target = position ? *position : speed.value_or(0);
  if (target) motor.target_at = over_time(*target);
  if (constant)
    motor.max_effort = *constant;
  else
    motor.max_effort_at = over_time(std::get<OverTime>(max_effort));
  motor.time_constant = time_constant;
  motor.stiffness = stiffness;
  motor.damping = damping;
  return motor;
}

struct JointArguments {
  JointKind kind;
  std::string name;
  std::optional<std::pair<Key, Key>> between;
  Vec3 at, axis;
  std::optional<Vec3> second_at, second_axis;
  std::optional<std::pair<double, double>> limits;
  double limit_stiffness, limit_damping;
  std::optional<JointMotor> motor;
  std::optional<JointSpring> spring;
  std::optional<Bushing> bushing;
  double friction;
  std::optional<Bearing> bearing;
  double armature;
  std::variant<double, OverTime> effort;
  std::optional<double> length;
  std::optional<std::pair<Key, Key>> joints;
  double ratio;
  std::optional<bool> let_collide;
  double position;
};

Index body_or_ground(const World& world, const Key& key) {
  if (key == Key("ground") || key == Key(ground)) return ground;
  return body_index(world, key);
}

void set_actions(JointBuilder& builder, const JointArguments& a) {
  if (a.limits)
    builder.limited(a.limits->first, a.limits->second, a.limit_stiffness, a.limit_damping);
  if (a.motor) builder.driven(*a.motor);
  if (a.spring) builder.sprung(a.spring->stiffness, a.spring->damping, a.spring->rest);
  if (a.bushing) builder.bushed(*a.bushing);
  builder.rubbing(a.friction).with_armature(a.armature);
  if (a.bearing) builder.borne_by(*a.bearing);
  if (const auto* number = std::get_if<double>(&a.effort))
    builder.pushed_by(*number);
  else
    builder.pushed_by(over_time(std::get<OverTime>(a.effort)));
}

Index add_joint(WorldRef& reference, const JointArguments& a) {
  World& world = reference.growing();
  JointBuilder builder = joint(a.kind, a.name);
  if (a.between)
    builder.between(body_or_ground(world, a.between->first),
                    body_or_ground(world, a.between->second));
  builder.at(a.at).along(a.axis).starting_at(a.position);
  if (a.second_at) builder.second_at(*a.second_at);
  if (a.second_axis) builder.second_axis(*a.second_axis);
  set_actions(builder, a);
  if (a.length) builder.length(*a.length);
  if (a.joints)
    builder.coupling(joint_index(world, a.joints->first), joint_index(world, a.joints->second),
                     a.ratio);
  if (a.let_collide) builder.letting_bodies_collide(*a.let_collide);
  return world.add(builder);
}

void bind_adding(WorldClass& world) {
  using py::arg;
  world.def(
      "add_joint",
      [](WorldRef& w, JointKind kind, std::string name, std::optional<std::pair<Key, Key>> between,
         const Vec3& at, const Vec3& axis, std::optional<Vec3> second_at,
         std::optional<Vec3> second_axis, std::optional<std::pair<double, double>> limits,
         double limit_stiffness, double limit_damping, std::optional<JointMotor> motor,
         std::optional<JointSpring> spring, std::optional<Bushing> bushing, double friction,
         std::optional<Bearing> bearing, double armature, std::variant<double, OverTime> effort,
         std::optional<double> length, std::optional<std::pair<Key, Key>> joints, double ratio,
         std::optional<bool> let_collide, double position) {
        return add_joint(w, {kind,
                             std::move(name),
                             std::move(between),
                             at,
                             axis,
                             second_at,
                             second_axis,
                             limits,
                             limit_stiffness,
                             limit_damping,
                             std::move(motor),
                             spring,
                             bushing,
                             friction,
                             bearing,
                             armature,
                             std::move(effort),
                             length,
                             std::move(joints),
                             ratio,
                             let_collide,
                             position});
      },
      arg("type"), arg("name") = "", py::kw_only(), arg("between") = py::none(), arg("at") = Vec3{},
      arg("axis") = Vec3{0, 0, 1}, arg("second_at") = py::none(), arg("second_axis") = py::none(),
      arg("limits") = py::none(), arg("limit_stiffness") = infinity, arg("limit_damping") = 0.0,
      arg("motor") = py::none(), arg("spring") = py::none(), arg("bushing") = py::none(),
      arg("friction") = 0.0, arg("bearing") = py::none(), arg("armature") = 0.0,
      arg("effort") = 0.0, arg("length") = py::none(), arg("joints") = py::none(),
      arg("ratio") = 1.0, arg("let_collide") = py::none(), arg("position") = 0.0,
      "Adds a joint between two bodies (names or numbers; \"ground\" is the world) and returns its "
      "number. Points and axes are in world coordinates; limits are in radians (degrees in scene "
      "files) or metres, and soft "
      "with a limit_stiffness. friction is the largest effort of dry friction, bearing one that "
      "grows with the load, armature a reflected inertia, effort a given force or torque: a "
      "number, a function of the time, or a table "
      "[(time, value), ...]. A gear takes `joints` and `ratio` instead of `between`. Bodies of a "
      "joint do not touch each other unless let_collide; those of a spring do. `position` is the "
      "coordinate at the present poses.");
  world.def(
      "set_motor",
      [](WorldRef& w, const Key& key, std::optional<JointMotor> motor) {
        w->set_motor(joint_index(*w, key), std::move(motor));
      },
      arg("joint"), arg("motor"), "Replaces the motor of a joint; None removes it.");
  world.def(
      "set_spring",
      [](WorldRef& w, const Key& key, std::optional<JointSpring> spring) {
        w->set_spring(joint_index(*w, key), spring);
      },
      arg("joint"), arg("spring"), "Replaces the spring of a joint; None removes it.");
  world.def(
      "set_effort",
      [](WorldRef& w, const Key& key, double effort) {
        w->set_effort(joint_index(*w, key), effort);
      },
      arg("joint"), arg("effort"), "Sets the given effort on a joint, N or N m.");
}

} // namespace

void bind_joint_classes(py::module_& m) {
  using py::arg;
  py::class_<Joint>(m, "Joint", "A joint between two bodies; a copy.")
      .def_readonly("name", &Joint::name, "Its name.")
      .def_readonly("type", &Joint::kind, "\"revolute\", \"spherical\", ...")
      .def_property_readonly(
          "bodies", [](const Joint& j) { return std::pair(j.body_a, j.body_b); },
          "The two bodies; -1 is the ground.")
      .def("__repr__", [](const Joint& joint) {
        return fmt::format("<talus.Joint '{}' {}>", joint.name, to_string(joint.kind));
      });
  py::class_<JointMotor>(m, "Motor", py::dynamic_attr(), "Drives the coordinate of a joint.")
      .def(
          py::init(&make_motor), py::kw_only(), arg("speed") = py::none(),
          arg("position") = py::none(), arg("target") = py::none(), arg("mode") = "speed",
          arg("max_effort") = infinity, arg("time_constant") = 0.0, arg("stiffness") = 0.0,
          arg("damping") = 0.0, arg("curve") = py::none(), arg("level") = 1.0,
          "One of speed (rad/s or m/s), position (rad, in scene files degrees, or m) and target, a "
          "function of the time or "
          "a table [(time, value), ...] whose value is a speed or, with mode=\"position\", a "
          "position. It is followed as far as max_effort (N m or N; a number, a function of the "
          "time or a table) allows; positions are approached within time_constant (s). With gains "
          "it is a servo: stiffness (target - q) - "
          "damping q̇ for positions, damping (target - q̇) for speeds. curve = (stall, speed) "
          "instead: the effort falls from stall at rest to 0 at speed; level scales what the motor "
          "is fed with.")
      .def_property_readonly(
          "mode",
          [](const JointMotor& motor) {
            return motor.mode == MotorMode::position ? "position" : "speed";
          },
          "\"speed\" or \"position\".")
      .def_readonly("target", &JointMotor::target,
                    "rad/s, m/s, rad or m; 0 if it is given in time.")
      .def_readonly("max_effort", &JointMotor::max_effort, "N m or N; infinite if given in time.")
      .def_readonly("time_constant", &JointMotor::time_constant, "s.")
      .def_readonly("stiffness", &JointMotor::stiffness, "N m/rad or N/m.")
      .def_readonly("damping", &JointMotor::damping, "N m s/rad or N s/m.");
  py::class_<JointSpring>(m, "Spring", py::dynamic_attr(), "A linear spring and damper of a joint.")
      .def(py::init<double, double, double>(), arg("stiffness") = 0.0, arg("damping") = 0.0,
           arg("rest") = 0.0, "In N/m, N s/m and m, of turning joints N m/rad, N m s/rad and rad.")
      .def_readonly("stiffness", &JointSpring::stiffness, "N/m or N m/rad.")
      .def_readonly("damping", &JointSpring::damping, "N s/m or N m s/rad.")
      .def_readonly("rest", &JointSpring::rest, "Where it does not pull, m or rad.");
  py::class_<Bushing>(m, "Bushing", py::dynamic_attr(),
                      "Stiffness and damping of a bushing in six directions.")
      .def(py::init<Vec3, Vec3, Vec3, Vec3>(), arg("stiffness"), arg("damping") = Vec3{},
           arg("angular_stiffness") = Vec3{}, arg("angular_damping") = Vec3{},
           "Along x, y, z of the joint frame (N/m, N s/m) and about them (N m/rad, N m s/rad).");
  py::class_<Bearing>(m, "Bearing", py::dynamic_attr(),
                      "Friction of a joint in proportion to the force it carries.")
      .def(py::init<double, double>(), arg("friction"), arg("radius") = 0.0,
           "An effort of up to friction · radius · force (N m), of a prismatic joint of up to "
           "friction · force (N).")
      .def_readonly("friction", &Bearing::friction, "Coefficient.")
      .def_readonly("radius", &Bearing::radius, "Of the shaft, m.");
}

void bind_joints(WorldClass& world) {
  bind_adding(world);
  world.def(
      "joint_velocity",
      [](const WorldRef& w, const Key& key) {
        return joint_velocity(*w, w->joint(joint_index(*w, key)));
      },
      py::arg("joint"), "How fast the coordinate of a joint changes, rad/s or m/s.");
}

} // namespace talus::python
