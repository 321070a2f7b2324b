#include "talus/io/description/world_builder.h"

#include "talus/core/error.h"
#include "talus/io/description/time_functions.h"
#include "talus/io/sensor.h"
#include "talus/shape/containers.h"

#include <fmt/format.h>

namespace talus {

namespace {

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
    return make_compound(children_of(s.parts));
  }
  ShapePtr operator()(const described::Clump& s) const {
    if (!s.solid) return make_clump(children_of(s.parts));
    return make_clump(children_of(s.parts), SolidMoments{.volume = s.solid->mass,
                                                         .centre = s.solid->centre,
                                                         .inertia = s.solid->inertia});
  }
  ShapePtr operator()(const described::OpenBox& s) const { return make_open_box(s.inner, s.wall); }
  ShapePtr operator()(const described::CylinderShell& s) const {
    return make_cylinder_shell(s.radius, s.height, s.wall, s.segments);
  }
  ShapePtr operator()(const described::Hopper& s) const {
    return make_hopper(s.outlet, s.inlet, s.height, s.rim, s.wall, s.segments);
  }

private:
  std::vector<Compound::Child> children_of(const std::vector<described::Part>& parts) const {
    std::vector<Compound::Child> children;
    children.reserve(parts.size());
    for (const described::Part& part : parts)
      children.push_back({builder_.shape(part.shape), part.pose});
    return children;
  }

  const WorldBuilder& builder_;
};

} // namespace

void WorldBuilder::set_surroundings(const WorldDescription& description) {
  world_.gravity = description.gravity;
  if (description.plane_normal) world_.confine_to_plane(*description.plane_normal);
  world_.materials = description.materials;
  world_.set_wind(flow_of(description.wind, "wind"));
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

void WorldBuilder::add(const FluidDescription& fluid) {
  world_.add(fluid_of(fluid));
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
  builder.resisted_by(body.drag);
  if (body.remove_at) builder.removed_at(*body.remove_at);
  check_loads(body);
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
  builder.bushed(joint.bushing).rubbing(joint.friction).borne_by(joint.bearing);
  builder.with_armature(joint.armature);
  builder.pushed_by(joint.effort);
  if (!joint.efforts.empty() || !joint.effort_formula.empty())
    builder.pushed_by(over_time(0, joint.efforts, joint.effort_formula, "effort"));
  if (joint.bodies_collide) builder.letting_bodies_collide(*joint.bodies_collide);
  return world_.add(builder);
}

Index WorldDraft::add(ShapeDescription shape) {
  builder.add(shape);
  description.shapes.push_back(std::move(shape));
  return static_cast<Index>(description.shapes.size()) - 1;
}

void WorldDraft::add(FluidDescription fluid) {
  builder.add(fluid);
  description.fluids.push_back(std::move(fluid));
}

Index WorldDraft::add(BodyDescription body) {
  if (part != nullptr) {
    const Index number = part->colliders.bodies();
    if (body.name.empty()) body.name = fmt::format("body {}", number);
    const Index index = builder.add(body);
    part->numbers.push_back(number);
    part->everywhere.push_back(std::exchange(part->next_is_everywhere, true));
    part->colliders.add(world().bodies()[index]);
    if (part->describes_bodies) description.bodies.push_back(std::move(body));
    return index;
  }
  const Index index = builder.add(body);
  description.bodies.push_back(std::move(body));
  return index;
}

Index WorldDraft::add(JointDescription joint) {
  const Index index = builder.add(joint);
  description.joints.push_back(std::move(joint));
  return index;
}

void WorldBuilder::add(const SensorDescription& sensor, bool has_all_bodies) {
  if (sensor.name.empty()) throw InvalidArgument("a sensor needs a name");
  if (sensor_names_.contains(sensor.name))
    throw InvalidArgument(fmt::format("sensor '{}': the name is taken", sensor.name));
  if (has_all_bodies) Sensor(sensor, world_);
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
  builder.add(sensor, part == nullptr);
  description.sensors.push_back(std::move(sensor));
}

World build_world(const WorldDescription& description) {
  WorldBuilder builder;
  builder.set_surroundings(description);
  for (const ShapeDescription& shape : description.shapes) builder.add(shape);
  for (const FluidDescription& fluid : description.fluids) builder.add(fluid);
  for (const BodyDescription& body : description.bodies) builder.add(body);
  for (const JointDescription& joint : description.joints) builder.add(joint);
  for (const auto& [a, b] : description.no_contacts) builder.forbid_contact(a, b);
  for (const SensorDescription& sensor : description.sensors) builder.add(sensor, true);
  return builder.take();
}

} // namespace talus
