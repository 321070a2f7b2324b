// World: materials, bodies, joints, forces, and states as arrays.

#include "arrays.h"
#include "bindings.h"
#include "state_columns.h"
#include "talus/step/measures.h"
#include "talus/step/overlaps.h"
#include "world_ref.h"

namespace talus::python {
namespace {

using ShapeHolder = std::shared_ptr<Shape>;
using PlacedShape = std::pair<ShapeHolder, Transform>;
using Shapes = std::variant<std::monostate, ShapeHolder, std::vector<PlacedShape>>;
using Motion = std::variant<std::monostate, py::function>;
using WorldHolder = std::shared_ptr<WorldRef>;

/// Keeps the world alive and counted as viewed until the array is gone.
py::capsule view_guard(const WorldHolder& world) {
  ++world->views;
  return py::capsule(new WorldHolder(world), [](void* held) {
    auto* holder = static_cast<WorldHolder*>(held);
    --(*holder)->views;
    delete holder;
  });
}

struct BodyArguments {
  std::string name;
  Shapes shape;
  BodyKind kind;
  Transform pose;
  Vec3 velocity, angular_velocity, force, torque;
  std::optional<double> density, mass;
  std::optional<std::tuple<double, Vec3, Array>> mass_properties;
  Key material;
  bool gravity, turning;
  std::uint32_t group, mask;
  Motion path, drive;
};

Mat3 matrix_from(const Array& array) {
  if (array.size() != 9) throw InvalidArgument("an inertia must have shape (3, 3)");
  Mat3 result;
  std::copy_n(array.data(), 9, result.m);
  return result;
}

void add_shapes(BodyBuilder& builder, const Shapes& shapes) {
  if (const auto* one = std::get_if<ShapeHolder>(&shapes)) builder.with(*one);
  if (const auto* several = std::get_if<std::vector<PlacedShape>>(&shapes))
    for (const auto& [shape, pose] : *several) builder.with(shape, pose);
}

Index add_body(WorldRef& reference, const BodyArguments& a) {
  World& world = reference.growing();
  if (a.density.has_value() + a.mass.has_value() + a.mass_properties.has_value() > 1)
    throw InvalidArgument(
        fmt::format("body '{}': give one of density, mass and mass_properties", a.name));
  BodyBuilder builder(a.name, a.kind);
  add_shapes(builder, a.shape);
  builder.of(material_index(world, a.material)).in_group(a.group, a.mask);
  if (a.density) builder.density(*a.density);
  if (a.mass) builder.mass(*a.mass);
  if (a.mass_properties) {
    const auto& [mass, centre, inertia] = *a.mass_properties;
    builder.mass_properties({mass, centre, matrix_from(inertia)});
  }
  builder.placed(a.pose).moving(a.velocity).spinning(a.angular_velocity);
  builder.pushed_by(a.force, a.torque);
  if (!a.gravity) builder.without_gravity();
  if (!a.turning) builder.without_rotation();
  if (const auto* path = std::get_if<py::function>(&a.path))
    builder.following(function_of_time<Transform>(*path));
  if (const auto* drive = std::get_if<py::function>(&a.drive))
    builder.driven_by([twist = function_of_time<std::pair<Vec3, Vec3>>(*drive)](double time) {
      const auto [linear, angular] = twist(time);
      return Twist{linear, angular};
    });
  return world.add(builder);
}

JointMotor make_motor(std::optional<double> speed, std::optional<double> position,
                      std::optional<py::function> target, const std::string& mode,
                      double max_effort, double time_constant) {
  if (speed.has_value() + position.has_value() + target.has_value() != 1)
    throw InvalidArgument("a motor takes one of speed, position and target");
  if (target && mode != "speed" && mode != "position")
    throw InvalidArgument(
        fmt::format("the mode of a motor's target is speed or position, not '{}'", mode));
  JointMotor motor;
  const bool drives_position = position || (target && mode == "position");
  motor.mode = drives_position ? MotorMode::position : MotorMode::velocity;
  motor.target = position ? *position : speed.value_or(0);
  if (target) motor.target_at = function_of_time<double>(*target);
  motor.max_effort = max_effort;
  motor.time_constant = time_constant;
  return motor;
}

struct JointArguments {
  JointKind kind;
  std::string name;
  std::optional<std::pair<Key, Key>> between;
  Vec3 at, axis;
  std::optional<Vec3> second_at, second_axis;
  std::optional<std::pair<double, double>> limits;
  std::optional<JointMotor> motor;
  std::optional<double> length;
  std::optional<std::pair<Key, Key>> joints;
  double ratio;
  bool let_collide;
};

Index body_or_ground(const World& world, const Key& key) {
  if (key == Key("ground") || key == Key(ground)) return ground;
  return body_index(world, key);
}

Index add_joint(WorldRef& reference, const JointArguments& a) {
  World& world = reference.growing();
  JointBuilder builder = joint(a.kind, a.name);
  if (a.between)
    builder.between(body_or_ground(world, a.between->first),
                    body_or_ground(world, a.between->second));
  builder.at(a.at).along(a.axis);
  if (a.second_at) builder.second_at(*a.second_at);
  if (a.second_axis) builder.second_axis(*a.second_axis);
  if (a.limits) builder.limited(a.limits->first, a.limits->second);
  if (a.motor) builder.driven(*a.motor);
  if (a.length) builder.length(*a.length);
  if (a.joints)
    builder.coupling(joint_index(world, a.joints->first), joint_index(world, a.joints->second),
                     a.ratio);
  if (a.let_collide) builder.letting_bodies_collide();
  return world.add(builder);
}

void bind_body(py::module_& m) {
  py::class_<Body>(m, "Body", "The properties of a body that no step changes, as a copy.")
      .def_readonly("name", &Body::name, "Its name.")
      .def_readonly("kind", &Body::kind, "\"dynamic\", \"fixed\" or \"kinematic\".")
      .def_readonly("mass", &Body::mass, "kg; 0 for fixed and kinematic bodies without one.")
      .def_readonly("moments", &Body::moments, "Principal moments of inertia, kg m².")
      .def_property_readonly("reference", &Body::reference,
                             "The frame the shapes were given in, seen from the body frame.")
      .def_property_readonly(
          "shapes",
          [](const Body& body) {
            py::list shapes;
            for (const BodyShape& each : body.shapes)
              shapes.append(py::make_tuple(std::const_pointer_cast<Shape>(each.shape), each.pose));
            return shapes;
          },
          "[(shape, pose in the body frame), ...].")
      .def("__repr__", [](const Body& body) {
        return fmt::format("<talus.Body '{}' {}, {} kg>", body.name, to_string(body.kind),
                           body.mass);
      });
  py::class_<Joint>(m, "Joint", "A joint between two bodies; a copy.")
      .def_readonly("name", &Joint::name, "Its name.")
      .def_readonly("kind", &Joint::kind, "\"revolute\", \"spherical\", ...")
      .def_property_readonly(
          "bodies", [](const Joint& j) { return std::pair(j.body_a, j.body_b); },
          "The two bodies; -1 is the ground.")
      .def("__repr__", [](const Joint& joint) {
        return fmt::format("<talus.Joint '{}' {}>", joint.name, to_string(joint.kind));
      });
  py::class_<Overlap>(m, "Overlap", "Two bodies that lie in each other.")
      .def_property_readonly(
          "bodies", [](const Overlap& o) { return std::pair(o.body_a, o.body_b); },
          "The two bodies, the smaller number first.")
      .def_readonly("depth", &Overlap::depth, "Of the deepest contact of the two, m.")
      .def("__repr__", [](const Overlap& o) {
        return fmt::format("<talus.Overlap of bodies {} and {}, {:.3g} m>", o.body_a, o.body_b,
                           o.depth);
      });
  py::class_<JointMotor>(m, "Motor", "Drives the coordinate of a joint.")
      .def(
          py::init(&make_motor), py::kw_only(), py::arg("speed") = py::none(),
          py::arg("position") = py::none(), py::arg("target") = py::none(),
          py::arg("mode") = "speed",
          py::arg("max_effort") = std::numeric_limits<double>::infinity(),
          py::arg("time_constant") = 0.0,
          "One of speed (rad/s or m/s), position (rad or m) and target, a function of the time "
          "whose value is a speed or, with mode=\"position\", a position. It is followed as far as "
          "max_effort (N m or N) allows; positions are approached within time_constant (s).");
}

using WorldClass = py::class_<WorldRef, WorldHolder>;

void bind_adding(WorldClass& world) {
  using py::arg;
  const Vec3 zero;
  constexpr double rigid = std::numeric_limits<double>::infinity();
  world.def(
      "add_material",
      [](WorldRef& w, std::string name, double friction, double restitution, double stiffness,
         double rolling, double spinning) {
        return w->add(
            Material{std::move(name), friction, restitution, stiffness, rolling, spinning});
      },
      arg("name"), arg("friction") = 0.5, arg("restitution") = 0.0, arg("stiffness") = rigid,
      arg("rolling") = 0.0, arg("spinning") = 0.0,
      "Adds a surface material and returns its number. Bodies without one have \"default\". "
      "stiffness is in N/m at each contact point; rigid unless told. rolling and spinning are the "
      "lengths in m that bound the moments of rolling and spinning friction.");
  world.def(
      "set_material",
      [](WorldRef& w, const Key& key, double friction, double restitution,
         std::optional<double> stiffness, std::optional<double> rolling,
         std::optional<double> spinning) {
        const Index index = material_index(*w, key);
        Material material = w->materials[index];
        material.friction = friction;
        material.restitution = restitution;
        if (stiffness) material.stiffness = *stiffness;
        if (rolling) material.rolling = *rolling;
        if (spinning) material.spinning = *spinning;
        w->materials.replace(index, material);
      },
      arg("material"), arg("friction"), arg("restitution") = 0.0, arg("stiffness") = py::none(),
      arg("rolling") = py::none(), arg("spinning") = py::none(),
      "Changes the coefficients of a material; its stiffness, rolling and spinning friction stay "
      "unless given.");
  world.def(
      "set_material_rules",
      [](WorldRef& w, std::optional<CombineRule> friction, std::optional<CombineRule> restitution,
         std::optional<CombineRule> rolling) {
        if (friction) w->materials.friction_rule = *friction;
        if (restitution) w->materials.restitution_rule = *restitution;
        if (rolling) w->materials.rolling_rule = *rolling;
      },
      py::kw_only(), arg("friction") = py::none(), arg("restitution") = py::none(),
      arg("rolling") = py::none(),
      "How coefficients of two materials become that of their contact: \"average\", "
      "\"geometric_mean\" (friction and rolling unless told), \"minimum\", \"maximum\" "
      "(restitution unless told) or \"product\". rolling is for rolling and spinning friction.");
  world.def(
      "set_material_pair",
      [](WorldRef& w, const Key& a, const Key& b, double friction, double restitution,
         std::optional<double> stiffness, double rolling, double spinning) {
        w->materials.set_pair({material_index(*w, a), material_index(*w, b), friction, restitution,
                               stiffness, rolling, spinning});
      },
      arg("a"), arg("b"), arg("friction"), arg("restitution") = 0.0, arg("stiffness") = py::none(),
      arg("rolling") = 0.0, arg("spinning") = 0.0,
      "Coefficients measured for two materials; they replace the combination rules. Without a "
      "stiffness the materials' springs act in series.");
  world.def(
      "add_body",
      [](WorldRef& w, std::string name, Shapes shape, BodyKind kind, const Vec3& position,
         const Quaternion& rotation, const Vec3& velocity, const Vec3& angular_velocity,
         std::optional<double> density, std::optional<double> mass,
         std::optional<std::tuple<double, Vec3, Array>> mass_properties, Key material,
         const Vec3& force, const Vec3& torque, bool gravity, bool turning, std::uint32_t group,
         std::uint32_t mask, Motion path, Motion drive) {
        return add_body(w, {std::move(name),
                            std::move(shape),
                            kind,
                            {position, rotation},
                            velocity,
                            angular_velocity,
                            force,
                            torque,
                            density,
                            mass,
                            std::move(mass_properties),
                            std::move(material),
                            gravity,
                            turning,
                            group,
                            mask,
                            std::move(path),
                            std::move(drive)});
      },
      arg("name") = "", arg("shape") = py::none(), py::kw_only(), arg("kind") = "dynamic",
      arg("position") = zero, arg("rotation") = Quaternion{}, arg("velocity") = zero,
      arg("angular_velocity") = zero, arg("density") = py::none(), arg("mass") = py::none(),
      arg("mass_properties") = py::none(), arg("material") = 0, arg("force") = zero,
      arg("torque") = zero, arg("gravity") = true, arg("turning") = true, arg("group") = 1,
      arg("mask") = ~std::uint32_t{0}, arg("path") = py::none(), arg("drive") = py::none(),
      "Adds a body and returns its number. shape is a Shape or a list of (shape, pose); kind is "
      "\"dynamic\", \"fixed\" or \"kinematic\"; rotation is a quaternion (w, x, y, z). Give "
      "density "
      "(kg/m³, 1000 unless told), mass (kg), or mass_properties (mass, centre, 3x3 inertia). A "
      "kinematic body keeps its velocities, or follows path(time) -> (position, quaternion) or "
      "drive(time) -> (velocity, angular velocity).");
  world.def(
      "add_joint",
      [](WorldRef& w, JointKind kind, std::string name, std::optional<std::pair<Key, Key>> between,
         const Vec3& at, const Vec3& axis, std::optional<Vec3> second_at,
         std::optional<Vec3> second_axis, std::optional<std::pair<double, double>> limits,
         std::optional<JointMotor> motor, std::optional<double> length,
         std::optional<std::pair<Key, Key>> joints, double ratio, bool let_collide) {
        return add_joint(w, {kind, std::move(name), std::move(between), at, axis, second_at,
                             second_axis, limits, std::move(motor), length, std::move(joints),
                             ratio, let_collide});
      },
      arg("kind"), arg("name") = "", py::kw_only(), arg("between") = py::none(), arg("at") = zero,
      arg("axis") = Vec3{0, 0, 1}, arg("second_at") = py::none(), arg("second_axis") = py::none(),
      arg("limits") = py::none(), arg("motor") = py::none(), arg("length") = py::none(),
      arg("joints") = py::none(), arg("ratio") = 1.0, arg("let_collide") = false,
      "Adds a joint between two bodies (names or numbers; \"ground\" is the world) and returns its "
      "number. Points and axes are in world coordinates; limits are in radians or metres. A gear "
      "takes `joints` and `ratio` instead of `between`.");
  world.def(
      "add_force", [](WorldRef& w, py::function force) { w.forces.emplace_back(std::move(force)); },
      arg("force"),
      "force(world, time, forces, torques) is called at the start of every step and fills two "
      "arrays of shape (bodies, 3): forces at the centres of mass and torques, in world axes.");
  world.def(
      "forbid_contact",
      [](WorldRef& w, const Key& a, const Key& b) {
        w->forbid_contact(body_index(*w, a), body_index(*w, b));
      },
      arg("a"), arg("b"), "The two bodies shall not touch each other.");
  world.def(
      "confine_to_plane", [](WorldRef& w, const Vec3& n) { w->confine_to_plane(n); }, arg("normal"),
      "Confines all motion to the plane orthogonal to `normal`.");
}

void bind_states(WorldClass& world) {
  const auto states = [&](const char* name, StateColumns columns, const char* doc) {
    world.def_property_readonly(
        name,
        [columns](const WorldHolder& w) { return view_of((*w)->states(), columns, view_guard(w)); },
        doc);
  };
  states("positions", position_columns, "Centres of mass, (n, 3): a view, to read and to write.");
  states("orientations", orientation_columns,
         "Body frames (principal axes of inertia) as quaternions (w, x, y, z), (n, 4): a view.");
  states("velocities", velocity_columns, "Velocities of the centres of mass, (n, 3): a view.");
  states("angular_velocities", angular_velocity_columns,
         "Angular velocities in world axes, (n, 3): a view.");
  world.def_property_readonly(
      "joint_coordinates",
      [](const WorldHolder& w) {
        const std::span<double> values = (*w)->joint_coordinates();
        return py::array(py::dtype::of<double>(), {static_cast<py::ssize_t>(values.size())},
                         {static_cast<py::ssize_t>(sizeof(double))}, values.data(), view_guard(w));
      },
      "Coordinates of the joints as of the last step's start (rad or m), (joints,): a view.");
  world.def(
      "joint_coordinate",
      [](const WorldRef& w, const Key& key) {
        const Index index = joint_index(*w, key);
        return joint_coordinate(*w, w->joint(index), w->joint_coordinates()[index]);
      },
      py::arg("joint"), "The coordinate of a joint at the present poses, rad or m.");
  world.def(
      "pose", [](const WorldRef& w, const Key& key) { return w->pose(body_index(*w, key)); },
      py::arg("body"), "(position, quaternion) of the frame the body was placed with.");
  world.def(
      "set_pose",
      [](WorldRef& w, const Key& key, const Transform& pose) {
        w->set_pose(body_index(*w, key), pose);
      },
      py::arg("body"), py::arg("pose"), "Places that frame.");
  world.def(
      "set_load",
      [](WorldRef& w, const Key& key, const Vec3& force, const Vec3& torque) {
        w->set_load(body_index(*w, key), {force, torque});
      },
      py::arg("body"), py::arg("force"), py::arg("torque") = Vec3{},
      "Replaces the constant force and torque on a body.");
  world.def(
      "set_motor",
      [](WorldRef& w, const Key& key, std::optional<JointMotor> motor) {
        w->set_motor(joint_index(*w, key), std::move(motor));
      },
      py::arg("joint"), py::arg("motor"), "Replaces the motor of a joint; None removes it.");
}

void bind_reading(WorldClass& world) {
  world.def_property(
      "gravity", [](const WorldRef& w) { return w->gravity; },
      [](WorldRef& w, const Vec3& g) { w->gravity = g; }, "Acceleration, m/s².");
  world.def_property_readonly(
      "bodies",
      [](const WorldRef& w) { return std::vector<Body>(w->bodies().begin(), w->bodies().end()); },
      "All bodies.");
  world.def_property_readonly(
      "joints",
      [](const WorldRef& w) { return std::vector<Joint>(w->joints().begin(), w->joints().end()); },
      "All joints.");
  world.def_property_readonly(
      "materials",
      [](const WorldRef& w) {
        py::dict materials;
        for (Index i = 0; i < w->materials.size(); ++i) {
          const Material& each = w->materials[i];
          materials[py::str(each.name)] =
              std::tuple(each.friction, each.restitution, each.stiffness);
        }
        return materials;
      },
      "{name: (friction, restitution, stiffness)} in the order of their numbers; a copy.");
  world.def(
      "find_body", [](const WorldRef& w, const std::string& n) { return body_index(*w, n); },
      py::arg("name"), "The number of the body of that name.");
  world.def(
      "find_joint", [](const WorldRef& w, const std::string& n) { return joint_index(*w, n); },
      py::arg("name"), "The number of the joint of that name.");
  world.def_property_readonly(
      "kinetic_energy", [](const WorldRef& w) { return kinetic_energy(*w); }, "J.");
  world.def_property_readonly(
      "potential_energy", [](const WorldRef& w) { return potential_energy(*w); },
      "In gravity, zero at the origin, J.");
  world.def_property_readonly(
      "momentum", [](const WorldRef& w) { return momentum(*w); }, "Of the dynamic bodies, N s.");
  world.def_property_readonly(
      "angular_momentum", [](const WorldRef& w) { return angular_momentum(*w); },
      "Of the dynamic bodies about the origin, N m s.");
  world.def(
      "overlaps", [](const WorldRef& w, double share) { return find_overlaps(*w, share); },
      py::arg("share") = 0.01,
      "Pairs of bodies that could touch and now overlap by more than this share of the smaller "
      "one's bounding radius, the deepest first. Costs one collision detection.");
  world.def("__len__", [](const WorldRef& w) { return w->size(); });
  world.def("__repr__", [](const WorldRef& w) {
    return fmt::format("<talus.World of {} bodies and {} joints>", w->size(), w->joints().size());
  });
}

} // namespace

void bind_world(py::module_& m) {
  bind_body(m);
  WorldClass world(m, "World",
                   "Materials, bodies, joints, forces, and where everything is. SI units.");
  world.def(py::init([](const Vec3& gravity) {
              auto made = std::make_shared<WorldRef>();
              (*made)->gravity = gravity;
              return made;
            }),
            py::arg("gravity") = Vec3{0, 0, -9.81}, "An empty world.");
  bind_adding(world);
  bind_states(world);
  bind_reading(world);
}

} // namespace talus::python
