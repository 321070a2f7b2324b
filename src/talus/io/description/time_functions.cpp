#include "talus/io/description/time_functions.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <optional>

namespace talus {

namespace {

constexpr double full_turn = 2 * std::numbers::pi;

/// Calls `make` and begins its complaints with what they are about.
template <class Make>
auto about(std::string_view what, Make&& make) {
  try {
    return make();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", what, error.what()));
  }
}

template <class Value>
void check_if_given(const TimeTable<Value>& table, std::string_view what) {
  if (!table.empty()) check_table(table, what);
}

using VectorFunction = std::function<Vec3(std::span<const double>)>;

VectorFunction vector_formula(const FormulaVector& formula, std::string_view what,
                              const std::vector<std::string>& variables = {"t"}) {
  if (is_empty(formula)) return nullptr;
  return about(what, [&] { return vector_function(formula, variables); });
}

} // namespace

std::function<double(double)> over_time(double number, const TimeTable<double>& table,
                                        const std::string& formula, std::string_view what) {
  check_if_given(table, what);
  std::optional<Formula> parsed;
  if (!formula.empty()) about(what, [&] { parsed.emplace(formula); });
  return [=](double time) {
    const double sum = number + value_at(table, time);
    return parsed ? sum + (*parsed)(time) : sum;
  };
}

std::function<Vec3(double)> over_time(const Vec3& vector, const TimeTable<Vec3>& table,
                                      const FormulaVector& formula, std::string_view what) {
  check_if_given(table, what);
  return [=, parsed = vector_formula(formula, what)](double time) {
    const Vec3 sum = vector + value_at(table, time);
    return parsed ? sum + parsed(std::span<const double>(&time, 1)) : sum;
  };
}

VelocityField flow_of(const FlowDescription& flow, std::string_view what) {
  if (flow.velocity == Vec3{} && flow.velocities.empty() && is_empty(flow.formula)) return nullptr;
  check_if_given(flow.velocities, what);
  return [flow, formula = vector_formula(flow.formula, what, {"t", "x", "y", "z"})](
             const Vec3& place, double time) {
    const Vec3 sum = flow.velocity + value_at(flow.velocities, time);
    const double values[] = {time, place.x, place.y, place.z};
    return formula ? sum + formula(values) : sum;
  };
}

Fluid fluid_of(const FluidDescription& d) {
  const std::string what = fmt::format("fluid '{}'", d.name);
  Fluid fluid{.name = d.name,
              .density = d.density,
              .viscosity = d.viscosity,
              .coefficient = d.coefficient,
              .normal = d.normal,
              .level = d.level,
              .flow = flow_of(d.flow, what + ": flow"),
              .buoyancy = d.buoyancy};
  if (!d.levels.empty() || !d.level_formula.empty())
    fluid.level_at = over_time(0, d.levels, d.level_formula, what + ": level");
  return fluid;
}

PoseFunction motion_of(const DriveDescription& drive, const Transform& rest) {
  const VectorFunction shift = vector_formula(drive.displacement_formula, "drive: displacement");
  const VectorFunction turning = vector_formula(drive.rotation_formula, "drive: angle");
  return [=, omega = full_turn * drive.frequency](double time) {
    const double t = std::min(std::max(time, drive.start), drive.stop) - drive.start;
    const double s = sine(omega * t + drive.phase) - sine(drive.phase);
    Vec3 turn = s * drive.turn + value_at(drive.rotations, t);
    Vec3 place = rest.position + s * drive.amplitude + value_at(drive.displacements, t);
    const std::span<const double> values(&t, 1);
    if (turning) turn += turning(values);
    if (shift) place += shift(values);
    return Transform{place, exponential_map(turn) * rest.rotation};
  };
}

JointMotor motor_of(const MotorDescription& description) {
  JointMotor motor{.mode = description.mode,
                   .target = description.target,
                   .max_effort = description.max_effort,
                   .time_constant = description.time_constant,
                   .stiffness = description.stiffness,
                   .damping = description.damping};
  if (!description.max_efforts.empty() || !description.max_effort_formula.empty())
    motor.max_effort_at = over_time(description.max_effort, description.max_efforts,
                                    description.max_effort_formula, "motor: max_effort");
  const bool changes = !description.targets.empty() || !description.target_formula.empty();
  if (description.amplitude == 0 && !changes) return motor;
  const auto rest = over_time(0, description.targets, description.target_formula, "motor");
  const double mean = description.target, size = description.amplitude;
  const double omega = full_turn * description.frequency;
  motor.target_at = [=](double time) { return mean + size * sine(omega * time) + rest(time); };
  return motor;
}

void add_loads(World& world, Index body, const BodyDescription& d) {
  const bool pushed = !d.forces.empty() || !is_empty(d.force_formula);
  const bool turned = !d.torques.empty() || !is_empty(d.torque_formula);
  if (pushed || turned)
    world.add([body, force = over_time(Vec3{}, d.forces, d.force_formula, "force"),
               torque = over_time(Vec3{}, d.torques, d.torque_formula, "torque")](
                  const World&, double time, std::span<Wrench> wrenches) {
      wrenches[static_cast<std::size_t>(body)].force += force(time);
      wrenches[static_cast<std::size_t>(body)].torque += torque(time);
    });
  for (const PointLoadDescription& load : d.point_loads)
    world.add(PointLoad{
        .body = body,
        .point = load.point,
        .force = over_time(load.force, load.forces, load.force_formula, "point_loads: force"),
        .turns_with_body = load.turns_with_body});
}

void check_loads(const BodyDescription& d) {
  over_time(Vec3{}, d.forces, d.force_formula, "force");
  over_time(Vec3{}, d.torques, d.torque_formula, "torque");
  for (const PointLoadDescription& load : d.point_loads) {
    over_time(load.force, load.forces, load.force_formula, "point_loads: force");
    if (!is_finite(load.point)) throw InvalidArgument("point_loads: the point is not finite");
  }
  if (!d.drive) return;
  check_if_given(d.drive->displacements, "drive: displacement");
  check_if_given(d.drive->rotations, "drive: rotation");
}

} // namespace talus
