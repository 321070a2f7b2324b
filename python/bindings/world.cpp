// World: bodies, forces, and states as arrays.

#include "arrays.h"
#include "bindings.h"
#include "state_columns.h"
#include "talus/step/measures.h"
#include "talus/step/overlaps.h"
#include "world_parts.h"
#include "world_ref.h"

namespace talus::python {
namespace {

using ShapeHolder = std::shared_ptr<Shape>;
using PlacedShape = std::pair<ShapeHolder, Transform>;
using Shapes = std::variant<std::monostate, ShapeHolder, std::vector<PlacedShape>>;
using Motion = std::variant<std::monostate, py::function>;

/// The array that `make` makes of the owner it is given, which keeps the memory of the world.
template <class Make>
py::array viewing(const WorldHolder& world, Make make) {
  using Held = std::pair<WorldHolder, std::shared_ptr<ViewedMemory>>;
  if (!world->viewed) world->viewed = std::make_shared<ViewedMemory>();
  const py::capsule owner(new Held(world, world->viewed),
                          [](void* held) { delete static_cast<Held*>(held); });
  py::array array = make(owner);
  auto& arrays = world->viewed->arrays;
  std::erase_if(arrays, [](const py::weakref& each) { return each().is_none(); });
  arrays.emplace_back(array);
  return array;
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
  Drag drag;
  double remove_at;
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
    throw InvalidArgument(fmt::format("body '{}': give one of density, mass and inertia", a.name));
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
  builder.pushed_by(a.force, a.torque).resisted_by(a.drag).removed_at(a.remove_at);
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

void bind_body(py::module_& m) {
  py::class_<Body>(m, "Body", "The properties of a body that no step changes, as a copy.")
      .def_readonly("name", &Body::name, "Its name.")
      .def_readonly("motion", &Body::kind, "\"dynamic\", \"fixed\" or \"kinematic\".")
      .def_readonly("removed", &Body::removed, "Whether it was taken away (remove_body).")
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
  py::class_<Overlap>(m, "Overlap", "Two bodies that lie in each other.")
      .def_property_readonly(
          "bodies", [](const Overlap& o) { return std::pair(o.body_a, o.body_b); },
          "The two bodies, the smaller number first.")
      .def_readonly("depth", &Overlap::depth, "Of the deepest contact of the two, m.")
      .def("__repr__", [](const Overlap& o) {
        return fmt::format("<talus.Overlap of bodies {} and {}, {:.3g} m>", o.body_a, o.body_b,
                           o.depth);
      });
}

void bind_adding(WorldClass& world) {
  using py::arg;
  const Vec3 zero;
  world.def(
      "add_body",
      [](WorldRef& w, std::string name, Shapes shape, BodyKind kind, const Vec3& position,
         const Quaternion& rotation, const Vec3& velocity, const Vec3& angular_velocity,
         std::optional<double> density, std::optional<double> mass,
         std::optional<std::tuple<double, Vec3, Array>> mass_properties, Key material,
         const Vec3& force, const Vec3& torque, bool gravity, bool turning, std::uint32_t group,
         std::uint32_t mask, Motion path, Motion drive, const std::optional<Drag>& drag,
         std::optional<double> remove_at) {
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
                            std::move(drive),
                            drag.value_or(Drag{}),
                            remove_at.value_or(std::numeric_limits<double>::infinity())});
      },
      arg("name") = "", arg("shape") = py::none(), py::kw_only(), arg("motion") = "dynamic",
      arg("position") = zero, arg("orientation") = Quaternion{}, arg("velocity") = zero,
      arg("angular_velocity") = zero, arg("density") = py::none(), arg("mass") = py::none(),
      arg("inertia") = py::none(), arg("material") = 0, arg("force") = zero, arg("torque") = zero,
      arg("gravity") = true, arg("turning") = true, arg("group") = 1,
      arg("mask") = ~std::uint32_t{0}, arg("path") = py::none(), arg("drive") = py::none(),
      arg("drag") = py::none(), arg("remove_at") = py::none(),
      "Adds a body and returns its number. shape is a Shape or a list of (shape, pose); motion is "
      "\"dynamic\", \"fixed\" or \"kinematic\"; orientation is a quaternion (w, x, y, z), or a "
      "dict as "
      "in scene files: axis and angle, or euler, in degrees. Give density (kg/m³, 1000 unless "
      "told), "
      "mass (kg), or inertia (mass, centre, 3x3 matrix). A "
      "kinematic body keeps its velocities, or follows path(time) -> (position, quaternion) or "
      "drive(time) -> (velocity, angular velocity). drag is a Drag; at the time remove_at (s) the "
      "body "
      "is removed.");
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
        [columns](const WorldHolder& w) {
          return viewing(
              w, [&](const py::capsule& owner) { return view_of((*w)->states(), columns, owner); });
        },
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
        return viewing(w, [&](const py::capsule& owner) {
          return py::array(py::dtype::of<double>(), {static_cast<py::ssize_t>(values.size())},
                           {static_cast<py::ssize_t>(sizeof(double))}, values.data(), owner);
        });
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
      "{name: (friction, restitution, stiffness)} in the order of their numbers; a copy. A "
      "stiffness of 0 is automatic, an infinite one rigid.");
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
  world.def_property_readonly(
      "_recipe",
      [](WorldRef& w) {
        if (!w.recipe) w.recipe.emplace(py::dict());
        return w.recipe->get();
      },
      "The calls that made the world, for copies (talus/_copying.py).");
  world.def_property_readonly(
      "_base", [](const WorldRef& w) { return w.base ? description_text(*w.base) : ""; },
      "The description it began with, if it is of a scene.");
  world.def("__len__", [](const WorldRef& w) { return w->size(); });
  world.def("__repr__", [](const WorldRef& w) {
    return fmt::format("<talus.World of {} bodies and {} joints>", w->size(), w->joints().size());
  });
}

} // namespace

void bind_world(py::module_& m) {
  bind_body(m);
  bind_material_classes(m);
  bind_joint_classes(m);
  bind_surrounding_classes(m);
  WorldClass world(m, "World",
                   "Materials, bodies, joints, forces, and where everything is. SI units.");
  world.def(py::init([](const Vec3& gravity) {
              auto made = std::make_shared<WorldRef>();
              (*made)->gravity = gravity;
              return made;
            }),
            py::arg("gravity") = Vec3{0, 0, -9.81}, "An empty world.");
  bind_materials(world);
  bind_adding(world);
  bind_joints(world);
  bind_surroundings(world);
  bind_states(world);
  bind_reading(world);
  bind_queries(m, world);
}

} // namespace talus::python
