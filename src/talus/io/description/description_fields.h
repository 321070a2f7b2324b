#pragma once
// What the text of a description holds: the names of the members of every part, listed once for
// writing and reading. Members that have their usual value are left out of the text, and what a
// text leaves out keeps its usual value: so texts without newer members are read as they were
// meant. The structured bindings make the compiler refuse a list that misses a member.

#include "talus/io/world_description.h"

namespace talus::description {

template <class Visit>
void members(described::Sphere& s, Visit&& visit) {
  auto& [radius] = s;
  visit("radius", radius);
}
template <class Visit>
void members(described::Box& s, Visit&& visit) {
  auto& [half_extents] = s;
  visit("half_extents", half_extents);
}
template <class Visit>
void members(described::Capsule& s, Visit&& visit) {
  auto& [radius, half_length] = s;
  visit("radius", radius);
  visit("half_length", half_length);
}
template <class Visit>
void members(described::Cylinder& s, Visit&& visit) {
  auto& [radius, half_length] = s;
  visit("radius", radius);
  visit("half_length", half_length);
}
template <class Visit>
void members(described::Ellipsoid& s, Visit&& visit) {
  auto& [radii] = s;
  visit("radii", radii);
}
template <class Visit>
void members(described::HalfSpace& s, Visit&& visit) {
  auto& [normal, offset] = s;
  visit("normal", normal);
  visit("offset", offset);
}
template <class Visit>
void members(described::ConvexHull& s, Visit&& visit) {
  auto& [points] = s;
  visit("points", points);
}
template <class Visit>
void members(described::Mesh& s, Visit&& visit) {
  auto& [vertices, triangles] = s;
  visit("vertices", vertices);
  visit("triangles", triangles);
}
template <class Visit>
void members(described::HeightField& s, Visit&& visit) {
  auto& [columns, rows, spacing_x, spacing_y, heights] = s;
  visit("columns", columns);
  visit("rows", rows);
  visit("spacing_x", spacing_x);
  visit("spacing_y", spacing_y);
  visit("heights", heights);
}
template <class Visit>
void members(described::Part& s, Visit&& visit) {
  auto& [shape, pose] = s;
  visit("shape", shape);
  visit("pose", pose);
}
template <class Visit>
void members(described::Compound& s, Visit&& visit) {
  auto& [parts] = s;
  visit("parts", parts);
}
template <class Visit>
void members(described::OpenBox& s, Visit&& visit) {
  auto& [inner, wall] = s;
  visit("inner", inner);
  visit("wall", wall);
}
template <class Visit>
void members(described::CylinderShell& s, Visit&& visit) {
  auto& [radius, height, wall, segments] = s;
  visit("radius", radius);
  visit("height", height);
  visit("wall", wall);
  visit("segments", segments);
}
template <class Visit>
void members(described::Hopper& s, Visit&& visit) {
  auto& [outlet, inlet, height, rim, wall, segments] = s;
  visit("outlet", outlet);
  visit("inlet", inlet);
  visit("height", height);
  visit("rim", rim);
  visit("wall", wall);
  visit("segments", segments);
}

/// Names of the kinds of shapes, in the order of the variant.
inline constexpr const char* shape_names[] = {
    "sphere", "box",          "capsule",  "cylinder", "ellipsoid",      "half_space", "convex_hull",
    "mesh",   "height_field", "compound", "open_box", "cylinder_shell", "hopper"};
static_assert(std::size(shape_names) == std::variant_size_v<decltype(ShapeDescription::geometry)>);

template <class Visit>
void members(Material& m, Visit&& visit) {
  auto& [name, friction, restitution, stiffness, rolling, spinning] = m;
  visit("name", name);
  visit("friction", friction);
  visit("restitution", restitution);
  visit("stiffness", stiffness);
  visit("rolling", rolling);
  visit("spinning", spinning);
}
template <class Visit>
void members(MaterialPair& p, Visit&& visit) {
  auto& [a, b, friction, restitution, stiffness, rolling, spinning] = p;
  visit("a", a);
  visit("b", b);
  visit("friction", friction);
  visit("restitution", restitution);
  visit("stiffness", stiffness);
  visit("rolling", rolling);
  visit("spinning", spinning);
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
  auto& [amplitude, turn, frequency, phase, start, stop, displacements, rotations] = d;
  visit("amplitude", amplitude);
  visit("turn", turn);
  visit("frequency", frequency);
  visit("phase", phase);
  visit("start", start);
  visit("stop", stop);
  visit("displacements", displacements);
  visit("rotations", rotations);
}
template <class Visit>
void members(BodyDescription& b, Visit&& visit) {
  auto& [name, kind, shapes, material, pose, velocity, angular_velocity, gravity, turning, group,
         mask, density, mass, inertia, load, forces, torques, drive] = b;
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
  visit("drive", drive);
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
void members(MotorDescription& m, Visit&& visit) {
  auto& [mode, target, amplitude, frequency, targets, max_effort, time_constant, stiffness,
         damping] = m;
  visit("mode", mode);
  visit("target", target);
  visit("amplitude", amplitude);
  visit("frequency", frequency);
  visit("targets", targets);
  visit("max_effort", max_effort);
  visit("time_constant", time_constant);
  visit("stiffness", stiffness);
  visit("damping", damping);
}
template <class Visit>
void members(JointDescription& j, Visit&& visit) {
  auto& [name, kind, body_a, body_b, at, second_at, axis, second_axis, position, limits, motor,
         spring, bushing, friction, armature, effort, efforts, length, first_joint, second_joint,
         ratio, bodies_collide] = j;
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
  visit("friction", friction);
  visit("armature", armature);
  visit("effort", effort);
  visit("efforts", efforts);
  visit("length", length);
  visit("first_joint", first_joint);
  visit("second_joint", second_joint);
  visit("ratio", ratio);
  visit("bodies_collide", bodies_collide);
}
template <class Visit>
void members(SensorDescription& s, Visit&& visit) {
  auto& [name, kind, joint, body, other, point, other_point, normal, lower, upper] = s;
  visit("name", name);
  visit("kind", kind);
  visit("joint", joint);
  visit("body", body);
  visit("other", other);
  visit("point", point);
  visit("other_point", other_point);
  visit("normal", normal);
  visit("lower", lower);
  visit("upper", upper);
}
/// Without what is of the running program: own_solver, stop, threads.
template <class Visit>
void members(StepOptions& o, Visit&& visit) {
  auto& [step, formulation, law, friction, solver, own_solver, solver_options, tolerance,
         max_iterations, max_products, time_limit, stop, eliminate_joints, envelope,
         relative_compliance, allowed_penetration, max_recovery_speed, restitution,
         restitution_threshold, warm_start, threads] = o;
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
  auto& [title, gravity, plane_normal, materials, shapes, bodies, joints, no_contacts, sensors,
         step, duration, output] = d;
  visit("title", title);
  visit("gravity", gravity);
  visit("plane_normal", plane_normal);
  visit("materials", materials);
  visit("shapes", shapes);
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
