#pragma once
// From numbers, time tables and formulas of descriptions to functions.

#include "talus/io/world_description.h"

namespace talus {

/// The sum of the three at a time; tables and formulas may be empty. Throws InvalidArgument, with
/// `what` before its message, for tables and formulas that are wrong.
std::function<double(double time)> over_time(double number, const TimeTable<double>& table,
                                             const std::string& formula, std::string_view what);
std::function<Vec3(double time)> over_time(const Vec3& vector, const TimeTable<Vec3>& table,
                                           const FormulaVector& formula, std::string_view what);

/// Null for a flow that is zero everywhere.
VelocityField flow_of(const FlowDescription& flow, std::string_view what);

Fluid fluid_of(const FluidDescription& description);
JointMotor motor_of(const MotorDescription& description);
PoseFunction motion_of(const DriveDescription& drive, const Transform& rest);
/// Adds loads that change with time, and those that follow a body, as forces of the world.
void add_loads(World& world, Index body, const BodyDescription& description);
/// Throws InvalidArgument for loads that add_loads() cannot add.
void check_loads(const BodyDescription& description);

} // namespace talus
