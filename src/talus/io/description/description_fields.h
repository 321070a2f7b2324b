#pragma once
// What the text of a description holds: the names of the members of every part, listed once for
// writing and reading. Members that have their usual value are left out of the text, and what a
// text leaves out keeps its usual value: so texts without newer members are read as they were
// meant. The structured bindings make the compiler refuse a list that misses a member.

#include "talus/io/description/shape_fields.h"

namespace talus::description {

template <class Visit>
void members(Cohesion& c, Visit&& visit) {
  auto& [force, stress, range, heals] = c;
  visit("force", force);
  visit("stress", stress);
  visit("range", range);
  visit("heals", heals);
}
template <class Visit>
void members(Material& m, Visit&& visit) {
  auto& [name, friction, restitution, stiffness, rolling, spinning, tangential_ratio, young,
         poisson, cohesion] = m;
  visit("name", name);
  visit("friction", friction);
  visit("restitution", restitution);
  visit("stiffness", stiffness);
  visit("rolling", rolling);
  visit("spinning", spinning);
  visit("tangential_ratio", tangential_ratio);
  visit("young", young);
  visit("poisson", poisson);
  visit("cohesion", cohesion);
}
template <class Visit>
void members(MaterialPair& p, Visit&& visit) {
  auto& [a, b, friction, restitution, stiffness, rolling, spinning, tangential_ratio, cohesion] = p;
  visit("a", a);
  visit("b", b);
  visit("friction", friction);
  visit("restitution", restitution);
  visit("stiffness", stiffness);
  visit("rolling", rolling);
  visit("spinning", spinning);
  visit("tangential_ratio", tangential_ratio);
  visit("cohesion", cohesion);
}
template <class Visit>
void members(MassProperties& m, Visit&& visit) {
  auto& [mass, centre, inertia] = m;
  visit("mass", mass);
  visit("centre", centre);
  visit("inertia", inertia);
}
template <class Visit>
void members(Wrench& w, Visit&& visit) {
  auto& [force, torque] = w;
  visit("force", force);
  visit("torque", torque);
}
template <class Visit>
void members(DriveDescription& d, Visit&& visit) {
  auto& [amplitude, turn, frequency, phase, start, stop, displacements, rotations,
         displacement_formula, rotation_formula] = d;
  visit("amplitude", amplitude);
  visit("turn", turn);
  visit("frequency", frequency);
  visit("phase", phase);
  visit("start", start);
  visit("stop", stop);
  visit("displacements", displacements);
  visit("rotations", rotations);
  visit("displacement_formula", displacement_formula);
  visit("rotation_formula", rotation_formula);
}
template <class Visit>
void members(PointLoadDescription& l, Visit&& visit) {
  auto& [point, force, forces, force_formula, turns_with_body] = l;
  visit("point", point);
  visit("force", force);
  visit("forces", forces);
  visit("force_formula", force_formula);
  visit("turns_with_body", turns_with_body);
}
template <class Visit>
void members(FlowDescription& f, Visit&& visit) {
  auto& [velocity, velocities, formula] = f;
  visit("velocity", velocity);
  visit("velocities", velocities);
  visit("formula", formula);
}
template <class Visit>
void members(FluidDescription& f, Visit&& visit) {
  auto& [name, density, viscosity, coefficient, normal, level, levels, level_formula, flow,
         buoyancy] = f;
  visit("name", name);
  visit("density", density);
  visit("viscosity", viscosity);
  visit("coefficient", coefficient);
  visit("normal", normal);
  visit("level", level);
  visit("levels", levels);
  visit("level_formula", level_formula);
  visit("flow", flow);
  visit("buoyancy", buoyancy);
}
template <class Visit>
void members(Drag& d, Visit&& visit) {
  auto& [linear, quadratic, angular, coefficient, area] = d;
  visit("linear", linear);
  visit("quadratic", quadratic);
  visit("angular", angular);
  visit("coefficient", coefficient);
  visit("area", area);
}
template <class Visit>
void members(BodyDescription& b, Visit&& visit) {
  auto& [name, kind, shapes, material, pose, velocity, angular_velocity, gravity, turning, group,
         mask, density, mass, inertia, load, forces, torques, force_formula, torque_formula,
         point_loads, drag, drive, remove_at] = b;
  visit("name", name);
  visit("kind", kind);
  visit("shapes", shapes);
  visit("material", material);
  visit("pose", pose);
  visit("velocity", velocity);
  visit("angular_velocity", angular_velocity);
  visit("gravity", gravity);
  visit("turning", turning);
  visit("group", group);
  visit("mask", mask);
  visit("density", density);
  visit("mass", mass);
  visit("inertia", inertia);
  visit("load", load);
  visit("forces", forces);
  visit("torques", torques);
  visit("force_formula", force_formula);
  visit("torque_formula", torque_formula);
  visit("point_loads", point_loads);
  visit("drag", drag);
  visit("drive", drive);
  visit("remove_at", remove_at);
}
template <class Visit>
void members(JointLimits& l, Visit&& visit) {
  auto& [lower, upper, stiffness, damping] = l;
  visit("lower", lower);
  visit("upper", upper);
  visit("stiffness", stiffness);
  visit("damping", damping);
}
template <class Visit>
void members(JointSpring& s, Visit&& visit) {
  auto& [stiffness, damping, rest] = s;
  visit("stiffness", stiffness);
  visit("damping", damping);
  visit("rest", rest);
}
template <class Visit>
void members(Bushing& b, Visit&& visit) {
  auto& [stiffness, damping, angular_stiffness, angular_damping] = b;
  visit("stiffness", stiffness);
  visit("damping", damping);
  visit("angular_stiffness", angular_stiffness);
  visit("angular_damping", angular_damping);
}
template <class Visit>
void members(Bearing& b, Visit&& visit) {
  auto& [friction, radius] = b;
  visit("friction", friction);
  visit("radius", radius);
}
template <class Visit>
void members(MotorDescription& m, Visit&& visit) {
  auto& [mode, target, amplitude, frequency, targets, target_formula, max_effort, max_efforts,
         max_effort_formula, time_constant, stiffness, damping] = m;
  visit("mode", mode);
  visit("target", target);
  visit("amplitude", amplitude);
  visit("frequency", frequency);
  visit("targets", targets);
  visit("target_formula", target_formula);
  visit("max_effort", max_effort);
  visit("max_efforts", max_efforts);
  visit("max_effort_formula", max_effort_formula);
  visit("time_constant", time_constant);
  visit("stiffness", stiffness);
  visit("damping", damping);
}
template <class Visit>
void members(JointDescription& j, Visit&& visit) {
  auto& [name, kind, body_a, body_b, at, second_at, axis, second_axis, position, limits, motor,
         spring, bushing, bearing, friction, armature, effort, efforts, effort_formula, length,
         first_joint, second_joint, ratio, bodies_collide] = j;
  visit("name", name);
  visit("kind", kind);
  visit("body_a", body_a);
  visit("body_b", body_b);
  visit("at", at);
  visit("second_at", second_at);
  visit("axis", axis);
  visit("second_axis", second_axis);
  visit("position", position);
  visit("limits", limits);
  visit("motor", motor);
  visit("spring", spring);
  visit("bushing", bushing);
  visit("bearing", bearing);
  visit("friction", friction);
  visit("armature", armature);
  visit("effort", effort);
  visit("efforts", efforts);
  visit("effort_formula", effort_formula);
  visit("length", length);
  visit("first_joint", first_joint);
  visit("second_joint", second_joint);
  visit("ratio", ratio);
  visit("bodies_collide", bodies_collide);
}
template <class Visit>
void members(SensorDescription& s, Visit&& visit) {
  auto& [name, kind, joint, body, other, group, other_group, point, other_point, normal, lower,
         upper, forward, radius] = s;
  visit("name", name);
  visit("kind", kind);
  visit("joint", joint);
  visit("body", body);
  visit("other", other);
  visit("group", group);
  visit("other_group", other_group);
  visit("point", point);
  visit("other_point", other_point);
  visit("normal", normal);
  visit("lower", lower);
  visit("upper", upper);
  visit("forward", forward);
  visit("radius", radius);
}
/// Without what is of the running program: own_solver, stop, threads.
template <class Visit>
void members(StepOptions& o, Visit&& visit) {
  auto& [step, formulation, law, friction, solver, own_solver, solver_options, tolerance,
         max_iterations, max_products, time_limit, stop, eliminate_joints, envelope,
         relative_compliance, allowed_penetration, max_recovery_speed, restitution,
         restitution_threshold, impact_law, warm_start, threads] = o;
  visit("step", step);
  visit("formulation", formulation);
  visit("law", law);
  visit("friction", friction);
  visit("solver", solver);
  visit("solver_options", solver_options);
  visit("tolerance", tolerance);
  visit("max_iterations", max_iterations);
  visit("max_products", max_products);
  visit("time_limit", time_limit);
  visit("eliminate_joints", eliminate_joints);
  visit("envelope", envelope);
  visit("relative_compliance", relative_compliance);
  visit("allowed_penetration", allowed_penetration);
  visit("max_recovery_speed", max_recovery_speed);
  visit("restitution", restitution);
  visit("restitution_threshold", restitution_threshold);
  visit("impact_law", impact_law);
  visit("warm_start", warm_start);
}
template <class Visit>
void members(OutputOptions& o, Visit&& visit) {
  auto& [every, formats] = o;
  visit("every", every);
  visit("formats", formats);
}
template <class Visit>
void members(WorldDescription& d, Visit&& visit) {
  auto& [title, gravity, plane_normal, materials, shapes, wind, fluids, bodies, joints, no_contacts,
         sensors, step, duration, output] = d;
  visit("title", title);
  visit("gravity", gravity);
  visit("plane_normal", plane_normal);
  visit("materials", materials);
  visit("shapes", shapes);
  visit("wind", wind);
  visit("fluids", fluids);
  visit("bodies", bodies);
  visit("joints", joints);
  visit("no_contacts", no_contacts);
  visit("sensors", sensors);
  visit("step", step);
  visit("duration", duration);
  visit("output", output);
}

/// Calls visit with the members of what has a list above.
template <class T>
concept Listed = requires(T& value) {
  members(value, [](const char*, auto&) {});
};

} // namespace talus::description
