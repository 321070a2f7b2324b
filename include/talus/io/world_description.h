#pragma once
// A world as plain data: what every front end (scenes, URDF, MJCF) produces and what checkpoints
// keep. It holds no functions and no pointers, says SI units and radians, and names bodies,
// joints and materials instead of counting them. Shapes are numbered: many bodies share one.
//
//     WorldDescription description = load_scene("scenes/hourglass.yaml").description;
//     description.bodies[0].density = 2500;
//     Simulation simulation(build_world(description), description.step);
//
// Everything is built by build_world() alone, so that equal descriptions give equal worlds, bit for
// bit. The text of a description (docs/output.md) keeps every bit of its numbers.

#include "talus/step/step_options.h"
#include "talus/world/formula.h"
#include "talus/world/time_table.h"
#include "talus/world/world.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace talus {

/// What the make_ functions of shape/shape.h and shape/containers.h take.
namespace described {
struct Sphere {
  double radius = 0;
};
struct Box {
  Vec3 half_extents;
};
struct Capsule {
  double radius = 0, half_length = 0;
};
struct Cylinder {
  double radius = 0, half_length = 0;
};
struct Ellipsoid {
  Vec3 radii;
};
struct HalfSpace {
  Vec3 normal{0, 0, 1};
  double offset = 0;
};
struct ConvexHull {
  std::vector<Vec3> points;
};
struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
};
struct HeightField {
  Index columns = 0, rows = 0;
  double spacing_x = 0, spacing_y = 0;
  std::vector<double> heights;
};
struct Part {
  Index shape = 0; ///< An earlier one of the description.
  Transform pose;
};
struct Compound {
  std::vector<Part> parts;
};
/// Parts that may overlap, with the mass properties of their union, or those given for density 1.
struct Clump {
  std::vector<Part> parts;
  std::optional<MassProperties> solid;
};
struct OpenBox {
  Vec3 inner;
  double wall = 0;
};
struct CylinderShell {
  double radius = 0, height = 0, wall = 0;
  int segments = 48;
};
struct Hopper {
  double outlet = 0, inlet = 0, height = 0, rim = 0, wall = 0;
  int segments = 48;
};
} // namespace described

struct ShapeDescription {
  std::variant<described::Sphere, described::Box, described::Capsule, described::Cylinder,
               described::Ellipsoid, described::HalfSpace, described::ConvexHull, described::Mesh,
               described::HeightField, described::Compound, described::OpenBox,
               described::CylinderShell, described::Hopper, described::Clump>
      geometry;
};

/// A sine about the place where a kinematic body was put, from `start` to `stop`: with
/// s = sin(2π f t + phase) - sin(phase) and t counted from the start, the body is displaced by
/// s · amplitude and turned by the rotation vector s · turn (rad). What the tables say of t is
/// added.
struct DriveDescription {
  Vec3 amplitude, turn;
  double frequency = 1; ///< Hz.
  double phase = 0;
  double start = 0, stop = std::numeric_limits<double>::infinity();
  TimeTable<Vec3> displacements, rotations; ///< m, and rotation vectors; either may be empty.
  FormulaVector displacement_formula, rotation_formula; ///< Of t, the same, in addition.
};

/// A force at a point of the body, in its reference frame, which it follows. The parts add up.
struct PointLoadDescription {
  Vec3 point, force;
  TimeTable<Vec3> forces;
  FormulaVector force_formula;
  bool turns_with_body = false; ///< The force is in the axes of the reference frame.
};

/// A velocity field: the parts add up. Formulas are of t, x, y and z.
struct FlowDescription {
  Vec3 velocity;
  TimeTable<Vec3> velocities;
  FormulaVector formula;
};

/// world/fluid.h.
struct FluidDescription {
  std::string name;
  double density = 1000, viscosity = 0, coefficient = 0.47;
  Vec3 normal{0, 0, 1};
  double level = std::numeric_limits<double>::infinity();
  TimeTable<double> levels;  ///< If not empty, instead of `level`.
  std::string level_formula; ///< The same, of t.
  FlowDescription flow;
  bool buoyancy = true;
};

struct BodyDescription {
  std::string name; ///< Empty: "body 3", by its number.
  BodyKind kind = BodyKind::dynamic;
  std::vector<described::Part> shapes;
  std::string material; ///< Empty: the default one.
  Transform pose;       ///< Of the reference frame.
  Vec3 velocity, angular_velocity;
  bool gravity = true, turning = true;
  std::uint32_t group = 1, mask = ~std::uint32_t{0};
  double density = 1000;
  std::optional<double> mass;
  std::optional<MassProperties> inertia;
  Wrench load;
  TimeTable<Vec3> forces, torques; ///< Loads over time, in addition; either may be empty.
  FormulaVector force_formula, torque_formula; ///< Of t, in addition.
  std::vector<PointLoadDescription> point_loads;
  Drag drag;
  std::optional<DriveDescription> drive;
  std::optional<double> remove_at; ///< s.
};

/// A motor whose target is `target` + amplitude · sin(2π frequency t), plus the values of the table
/// and of the formula of t. Its largest effort is `max_effort` plus the values of its own.
struct MotorDescription {
  MotorMode mode = MotorMode::velocity;
  double target = 0, amplitude = 0, frequency = 0;
  TimeTable<double> targets;
  std::string target_formula;
  double max_effort = std::numeric_limits<double>::infinity();
  TimeTable<double> max_efforts;
  std::string max_effort_formula;
  double time_constant = 0;
  double stiffness = 0, damping = 0;
};

struct JointDescription {
  std::string name; ///< Empty: "joint 3", by its number.
  JointKind kind = JointKind::spherical;
  std::string body_a = "ground", body_b = "ground";
  Vec3 at;
  std::optional<Vec3> second_at;
  Vec3 axis{0, 0, 1};
  std::optional<Vec3> second_axis;
  double position = 0; ///< The coordinate at the poses of the bodies.
  std::optional<JointLimits> limits;
  std::optional<MotorDescription> motor;
  std::optional<JointSpring> spring;
  Bushing bushing;
  Bearing bearing;
  double friction = 0, armature = 0, effort = 0;
  TimeTable<double> efforts;             ///< If not empty, instead of `effort`.
  std::string effort_formula;            ///< The same, of t.
  std::optional<double> length;          ///< Of a distance joint or spring.
  std::string first_joint, second_joint; ///< Those that a gear couples.
  double ratio = 1;
  std::optional<bool> bodies_collide; ///< Without a value: of springs only.
};

enum class SensorKind {
  contact_force,  ///< On a body or group, of all contacts or of those with others: N, N m.
  joint_force,    ///< Of a joint on its second body, in its frame (step/forces.h): N, N m.
  joint_position, ///< Coordinate of a joint: rad or m.
  joint_velocity,
  motor_effort, ///< N m or N.
  position,     ///< Of a point of a body: m.
  velocity,
  distance, ///< Between points of two bodies: m.
  energy,   ///< Kinetic, potential, elastic: J.
  stress,   ///< Mean in a box, compression positive: Pa.
  flux,     ///< Mass of bodies whose centres cross a plane along its normal: kg/s.
  slip      ///< Of a wheel or track, from its joint and the body that it drives (io/sensor.h).
};
std::string_view to_string(SensorKind kind);
/// Throws InvalidArgument that lists the known names.
SensorKind sensor_kind_from(std::string_view name);

/// What a run measures in every step. Which members count depends on the kind.
struct SensorDescription {
  std::string name;
  SensorKind kind = SensorKind::energy;
  std::string joint;
  std::string body, other; ///< Of distances either may be "ground".
  /// Of contact forces on several bodies, instead of `body` and `other`: names, where one that ends
  /// with `*` stands for all bodies whose names begin so.
  std::vector<std::string> group, other_group;
  Vec3 point, other_point; ///< In the bodies' reference frames; of a flux, on the plane.
  Vec3 normal{0, 0, 1};
  Vec3 lower, upper;     ///< Corners of the box.
  Vec3 forward{1, 0, 0}; ///< Of slip, in the reference frame of its body.
  double radius = 0;     ///< Of slip: the speed of the wheel or track over that of its joint, m.
};

enum class OutputFormat { trajectory, csv, paraview, plot };
inline constexpr int output_formats = 4;
std::string_view to_string(OutputFormat format);

struct OutputOptions {
  std::int64_t every = 1; ///< Steps from frame to frame.
  std::array<bool, output_formats> formats = {true, true, true, true};
  bool writes(OutputFormat format) const { return formats[static_cast<std::size_t>(format)]; }
};

struct WorldDescription {
  std::string title;
  Vec3 gravity{0, 0, -9.81};
  std::optional<Vec3> plane_normal; ///< Confines motion to the plane orthogonal to it.
  MaterialTable materials;
  std::vector<ShapeDescription> shapes;
  FlowDescription wind;
  std::vector<FluidDescription> fluids;
  std::vector<BodyDescription> bodies;
  std::vector<JointDescription> joints;
  /// Bodies that do not touch each other, besides those with a joint between them.
  std::vector<std::pair<std::string, std::string>> no_contacts;
  std::vector<SensorDescription> sensors;
  StepOptions step; ///< own_solver, stop and threads are no part of the description.
  double duration = 1;
  OutputOptions output;
};

/// The world that is described. Throws InvalidArgument that names the body, joint, shape or sensor.
World build_world(const WorldDescription& description);

/// The description as text (docs/output.md), and back: equal up to the last bit. Throws FileError
/// with `path` and line for text that is no description; what the values mean is checked by
/// build_world() only.
std::string description_text(const WorldDescription& description);
WorldDescription parse_description(const std::string& text, const std::string& path);

} // namespace talus
