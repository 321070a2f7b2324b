#include "talus/io/description/world_builder.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/io/description/sensor.h"
#include "talus/shape/containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

constexpr double full_turn = 2 * std::numbers::pi;

class ShapeMaker {
public:
  explicit ShapeMaker(const WorldBuilder& builder) : builder_(builder) {}

  ShapePtr operator()(const described::Sphere& s) const { return make_sphere(s.radius); }
  ShapePtr operator()(const described::Box& s) const { return make_box(s.half_extents); }
  ShapePtr operator()(const described::Capsule& s) const {
    return make_capsule(s.radius, s.half_length);
  }
  ShapePtr operator()(const described::Cylinder& s) const {
    return make_cylinder(s.radius, s.half_length);
  }
  ShapePtr operator()(const described::Ellipsoid& s) const { return make_ellipsoid(s.radii); }
  ShapePtr operator()(const described::HalfSpace& s) const {
    return make_half_space(s.normal, s.offset);
  }
  ShapePtr operator()(const described::ConvexHull& s) const { return make_convex_hull(s.points); }
  ShapePtr operator()(const described::Mesh& s) const {
    return make_triangle_mesh(s.vertices, s.triangles);
  }
  ShapePtr operator()(const described::HeightField& s) const {
    return make_height_field(s.columns, s.rows, s.spacing_x, s.spacing_y, s.heights);
  }
  ShapePtr operator()(const described::Compound& s) const {
    std::vector<Compound::Child> children;
    for (const described::Part& part : s.parts)
      children.push_back({builder_.shape(part.shape), part.pose});
    return make_compound(children);
  }
  ShapePtr operator()(const described::OpenBox& s) const { return make_open_box(s.inner, s.wall); }
  ShapePtr operator()(const described::CylinderShell& s) const {
    return make_cylinder_shell(s.radius, s.height, s.wall, s.segments);
  }
  ShapePtr operator()(const described::Hopper& s) const {
    return make_hopper(s.outlet, s.inlet, s.height, s.rim, s.wall, s.segments);
  }

private:
  const WorldBuilder& builder_;
};

PoseFunction motion_of(const DriveDescription& drive, const Transform& rest) {
  return [drive, rest, omega = full_turn * drive.frequency](double time) {
    const double t = std::min(std::max(time, drive.start), drive.stop) - drive.start;
    const double s = sine(omega * t + drive.phase) - sine(drive.phase);
    const Vec3 turn = s * drive.turn + value_at(drive.rotations, t);
    return Transform{rest.position + s * drive.amplitude + value_at(drive.displacements, t),
                     exponential_map(turn) * rest.rotation};
  };
}

JointMotor motor_of(const MotorDescription& description) {
  JointMotor motor{.mode = description.mode,
                   .target = description.target,
                   .max_effort = description.max_effort,
                   .time_constant = description.time_constant,
                   .stiffness = description.stiffness,
                   .damping = description.damping};
  if (description.amplitude != 0 || !description.targets.empty()) {
    if (!description.targets.empty()) check_table(description.targets, "motor");
    const double mean = description.target, size = description.amplitude;
    const double omega = full_turn * description.frequency;
    motor.target_at = [=, table = description.targets](double time) {
      return mean + size * sine(omega * time) + value_at(table, time);
    };
  }
  return motor;
}

/// Loads that change with time are forces of the world.
void add_loads(World& world, Index body, const BodyDescription& description) {
  if (description.forces.empty() && description.torques.empty()) return;
  world.add([body, forces = description.forces,
             torques = description.torques](const World&, double time, std::span<Wrench> wrenches) {
    wrenches[static_cast<std::size_t>(body)].force += value_at(forces, time);
    wrenches[static_cast<std::size_t>(body)].torque += value_at(torques, time);
  });
}

void check_tables(const BodyDescription& body) {
  const auto check = [](const TimeTable<Vec3>& table, std::string_view what) {
    if (!table.empty()) check_table(table, what);
  };
  check(body.forces, "force");
  check(body.torques, "torque");
  if (!body.drive) return;
  check(body.drive->displacements, "drive: displacement");
  check(body.drive->rotations, "drive: rotation");
}

} // namespace

void WorldBuilder::set_surroundings(const WorldDescription& description) {
  world_.gravity = description.gravity;
  if (description.plane_normal) world_.confine_to_plane(*description.plane_normal);
  world_.materials = description.materials;
}

const ShapePtr& WorldBuilder::shape(Index index) const {
  if (index < 0 || index >= static_cast<Index>(shapes_.size()))
    throw InvalidArgument(
        fmt::format("there is no shape {} before it; there are {}", index, shapes_.size()));
  return shapes_[static_cast<std::size_t>(index)];
}

void WorldBuilder::add(const ShapeDescription& shape) {
  shapes_.push_back(std::visit(ShapeMaker(*this), shape.geometry));
}

Index WorldBuilder::body_named(const std::string& name) const {
  if (name == "ground") return ground;
  const Index found = world_.find_body(name);
  if (found < 0)
    throw InvalidArgument(fmt::format("there is no body '{}' (and it is not 'ground')", name));
  return found;
}

Index WorldBuilder::joint_named(const std::string& name) const {
  const Index found = world_.find_joint(name);
  if (found < 0) throw InvalidArgument(fmt::format("there is no joint '{}' before it", name));
  return found;
}

Index WorldBuilder::add(const BodyDescription& body) {
  talus::BodyBuilder builder(body.name, body.kind);
  for (const described::Part& part : body.shapes) builder.with(shape(part.shape), part.pose);
  if (!body.material.empty()) {
    const Index material = world_.materials.find(body.material);
    if (material < 0)
      throw InvalidArgument(
          fmt::format("body '{}': there is no material '{}'", body.name, body.material));
    builder.of(material);
  }
  builder.placed(body.pose).moving(body.velocity).spinning(body.angular_velocity);
  builder.density(body.density).in_group(body.group, body.mask);
  builder.pushed_by(body.load.force, body.load.torque);
  if (body.mass) builder.mass(*body.mass);
  if (body.inertia) builder.mass_properties(*body.inertia);
  if (!body.gravity) builder.without_gravity();
  if (!body.turning) builder.without_rotation();
  check_tables(body);
  if (body.drive) builder.following(motion_of(*body.drive, body.pose));
  const Index index = world_.add(builder);
  add_loads(world_, index, body);
  return index;
}

Index WorldBuilder::add(const JointDescription& joint) {
  JointBuilder builder(joint.kind, joint.name);
  if (joint.kind == JointKind::gear) {
    builder.coupling(joint_named(joint.first_joint), joint_named(joint.second_joint), joint.ratio);
  } else {
    builder.between(body_named(joint.body_a), body_named(joint.body_b));
    builder.at(joint.at).along(joint.axis);
    if (joint.second_at) builder.second_at(*joint.second_at);
    if (joint.second_axis) builder.second_axis(*joint.second_axis);
    if (joint.length) builder.length(*joint.length);
    builder.starting_at(joint.position);
  }
  if (joint.limits) {
    const auto& [lower, upper, stiffness, damping] = *joint.limits;
    builder.limited(lower, upper, stiffness, damping);
  }
  if (joint.motor) builder.driven(motor_of(*joint.motor));
  if (joint.spring) {
    const auto& [stiffness, damping, rest] = *joint.spring;
    builder.sprung(stiffness, damping, rest);
  }
  builder.bushed(joint.bushing).rubbing(joint.friction).with_armature(joint.armature);
  builder.pushed_by(joint.effort);
  if (!joint.efforts.empty()) builder.pushed_by(following(joint.efforts));
  if (joint.bodies_collide) builder.letting_bodies_collide(*joint.bodies_collide);
  return world_.add(builder);
}

Index WorldDraft::add(ShapeDescription shape) {
  builder.add(shape);
  description.shapes.push_back(std::move(shape));
  return static_cast<Index>(description.shapes.size()) - 1;
}

Index WorldDraft::add(BodyDescription body) {
  const Index index = builder.add(body);
  description.bodies.push_back(std::move(body));
  return index;
}

Index WorldDraft::add(JointDescription joint) {
  const Index index = builder.add(joint);
  description.joints.push_back(std::move(joint));
  return index;
}

void WorldBuilder::add(const SensorDescription& sensor) {
  if (sensor.name.empty()) throw InvalidArgument("a sensor needs a name");
  if (sensor_names_.contains(sensor.name))
    throw InvalidArgument(fmt::format("sensor '{}': the name is taken", sensor.name));
  Sensor(sensor, world_);
  sensor_names_.insert(sensor.name);
}

void WorldBuilder::forbid_contact(const std::string& a, const std::string& b) {
  const Index first = body_named(a), second = body_named(b);
  if (first == ground || second == ground || first == second)
    throw InvalidArgument(fmt::format("'{}' and '{}' are not two bodies", a, b));
  world_.forbid_contact(first, second);
}

void WorldDraft::forbid_contact(const std::string& a, const std::string& b) {
  builder.forbid_contact(a, b);
  description.no_contacts.emplace_back(a, b);
}

void WorldDraft::add(SensorDescription sensor) {
  builder.add(sensor);
  description.sensors.push_back(std::move(sensor));
}

World build_world(const WorldDescription& description) {
  WorldBuilder builder;
  builder.set_surroundings(description);
  for (const ShapeDescription& shape : description.shapes) builder.add(shape);
  for (const BodyDescription& body : description.bodies) builder.add(body);
  for (const JointDescription& joint : description.joints) builder.add(joint);
  for (const auto& [a, b] : description.no_contacts) builder.forbid_contact(a, b);
  for (const SensorDescription& sensor : description.sensors) builder.add(sensor);
  return builder.take();
}

} // namespace talus
