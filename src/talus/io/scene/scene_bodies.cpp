#include "talus/io/scene/scene_bodies.h"

#include "talus/core/elementary.h"
#include "talus/core/friction_range.h"
#include "talus/core/nearest_name.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace talus {

namespace {

using Keys = std::vector<std::string_view>;

double read_coefficient(const SceneFields& fields, std::string_view key, double otherwise,
                        double most) {
  return fields.number(key, otherwise, {0, false, most});
}

std::optional<double> read_stiffness(const SceneFields& fields) {
  const SceneValue* value = fields.find("stiffness");
  if (!value) return std::nullopt;
  if (value->text == "rigid") return std::numeric_limits<double>::infinity();
  return fields.number("stiffness", NumberRange{least_stiffness});
}

Index find_material(const SceneValue& value, const MaterialTable& table, const std::string& what) {
  const std::string& name = to_text(value, what);
  const Index found = table.find(name);
  if (found >= 0) return found;
  Keys names;
  names.reserve(table.size());
  for (Index i = 0; i < table.size(); ++i) names.push_back(table[i].name);
  fail_at(value.place, fmt::format("{}: there is no material {}", what, unknown_name(name, names)));
}

CombineRule read_rule(const SceneFields& fields, std::string_view key, CombineRule otherwise) {
  const SceneValue* value = fields.find(key);
  if (!value) return otherwise;
  return with_location(value->place, fields.what(),
                       [&] { return combine_rule_from(to_text(*value, fields.what())); });
}

/// `inertia`: mass, centre, and the moments about it, all in the reference frame.
MassProperties read_inertia(const SceneValue& value, const std::string& what) {
  const SceneFields f(value, what, {"mass", "centre", "moments", "products"});
  const Vec3 moments = f.vector("moments", positive);
  const Vec3 products = f.vector("products", Vec3{}); // xy, xz, yz
  MassProperties properties;
  properties.mass = f.number("mass", positive);
  properties.centre = f.vector("centre", Vec3{});
  properties.inertia = Mat3{{moments.x, products.x, products.y, products.x, moments.y, products.z,
                             products.y, products.z, moments.z}};
  return properties;
}

/// `drive`: harmonic displacement and rotation about the place the body was given.
PoseFunction read_drive(const SceneValue& value, const std::string& what, const Transform& rest) {
  const SceneFields f(value, what,
                      {"amplitude", "frequency", "phase", "axis", "angle", "start", "stop"});
  const Vec3 amplitude = f.vector("amplitude", Vec3{});
  const Vec3 axis = f.vector("axis", Vec3{0, 0, 1});
  if (!(norm(axis) > 0)) f.fail("the axis must not be zero");
  const double degree = std::numbers::pi / 180;
  const Vec3 turn = (f.number("angle", 0.0) * degree) * normalized(axis);
  const double omega = 2 * std::numbers::pi * f.number("frequency", positive);
  const double phase = f.number("phase", 0.0) * degree;
  const double start = f.number("start", 0.0, not_negative);
  const double stop = f.number("stop", std::numeric_limits<double>::infinity(), positive);
  if (!(stop > start)) f.fail(fmt::format("stop = {} s is not after start = {} s", stop, start));
  return [=](double time) {
    const double t = std::min(std::max(time, start), stop) - start;
    const double s = sine(omega * t + phase) - sine(phase);
    return Transform{rest.position + s * amplitude, exponential_map(s * turn) * rest.rotation};
  };
}

std::string body_label(const SceneValue& value, std::size_t position) {
  const SceneValue* name = value.find("name");
  return name && name->kind == SceneValue::Kind::scalar ? fmt::format("body '{}'", name->text)
                                                        : fmt::format("body {}", position);
}

Keys body_keys() {
  Keys keys = {"name", "shape", "shapes", "position", "orientation"};
  keys.insert(keys.end(), body_trait_keys.begin(), body_trait_keys.end());
  return keys;
}

} // namespace

const std::vector<std::string_view> body_trait_keys = {
    "motion", "material", "density", "mass",    "inertia", "velocity", "angular_velocity",
    "force",  "torque",   "gravity", "turning", "group",   "mask",     "drive"};

void read_materials(const SceneValue* materials, const SceneValue* pairs, const SceneValue* rules,
                    MaterialTable& table) {
  if (rules) {
    const SceneFields f(*rules, "material_rules", {"friction", "restitution"});
    table.friction_rule = read_rule(f, "friction", table.friction_rule);
    table.restitution_rule = read_rule(f, "restitution", table.restitution_rule);
  }
  if (materials) {
    if (materials->kind != SceneValue::Kind::mapping)
      fail_at(materials->place, "materials must be a mapping from names to coefficients");
    for (const SceneMember& member : materials->members) {
      const std::string& name = member.name;
      const SceneFields f(member.value, fmt::format("material '{}'", name),
                          {"friction", "restitution", "stiffness"});
      Material material{name, read_coefficient(f, "friction", 0.5, largest_friction),
                        read_coefficient(f, "restitution", 0, 1)};
      if (const auto stiffness = read_stiffness(f)) material.stiffness = *stiffness;
      with_location(f.place(), f.what(), [&] {
        if (name == "default")
          table.replace(0, material);
        else
          table.add(material);
      });
    }
  }
  if (!pairs) return;
  for (const SceneValue& value : to_list(*pairs, "material_pairs")) {
    const SceneFields f(value, "material pair",
                        {"between", "friction", "restitution", "stiffness"});
    const auto& names = to_list(f.need("between"), "material pair: between");
    if (names.size() != 2) fail_at(f.need("between").place, "a pair has two materials [a, b]");
    MaterialPair pair;
    pair.a = find_material(names[0], table, f.what());
    pair.b = find_material(names[1], table, f.what());
    pair.friction = read_coefficient(f, "friction", 0.5, largest_friction);
    pair.restitution = read_coefficient(f, "restitution", 0, 1);
    pair.stiffness = read_stiffness(f);
    with_location(f.place(), f.what(), [&] { table.set_pair(pair); });
  }
}

BodyKind read_body_kind(const SceneFields& fields) {
  const std::string kind = fields.text("motion", "dynamic");
  if (kind == "dynamic") return BodyKind::dynamic;
  if (kind == "fixed") return BodyKind::fixed;
  if (kind == "kinematic") return BodyKind::kinematic;
  fail_at(fields.need("motion").place,
          fmt::format("{}: unknown motion '{}'; allowed: dynamic, fixed, kinematic", fields.what(),
                      kind));
}

void apply_body_traits(const SceneFields& fields, const MaterialTable& materials,
                       BodyBuilder& builder) {
  fields.exclusive({"density", "mass", "inertia"});
  if (const SceneValue* material = fields.find("material"))
    builder.of(find_material(*material, materials, fields.what() + ": material"));
  if (fields.find("density")) builder.density(fields.number("density", positive));
  if (fields.find("mass")) builder.mass(fields.number("mass", positive));
  if (const SceneValue* inertia = fields.find("inertia"))
    builder.mass_properties(read_inertia(*inertia, fields.what() + ": inertia"));
  if (fields.find("velocity")) builder.moving(fields.vector("velocity"));
  if (fields.find("angular_velocity")) builder.spinning(fields.vector("angular_velocity"));
  if (fields.find("force") || fields.find("torque"))
    builder.pushed_by(fields.vector("force", Vec3{}), fields.vector("torque", Vec3{}));
  if (!fields.flag("gravity", true)) builder.without_gravity();
  if (!fields.flag("turning", true)) builder.without_rotation();
  constexpr long most = std::numeric_limits<std::uint32_t>::max();
  if (fields.find("group") || fields.find("mask"))
    builder.in_group(static_cast<std::uint32_t>(fields.count("group", 1, 0, most)),
                     static_cast<std::uint32_t>(fields.count("mask", most, 0, most)));
}

Index add_body(World& world, const BodyBuilder& builder, const SceneFields& fields) {
  return with_location(fields.place(), fields.what(), [&] { return world.add(builder); });
}

void read_bodies(const SceneValue& section, SceneShapes& shapes, World& world) {
  std::size_t position = 0;
  for (const SceneValue& value : to_list(section, "bodies")) {
    const SceneFields f(value, body_label(value, position++), body_keys());
    const BodyKind kind = read_body_kind(f);
    BodyBuilder builder(f.text("name", ""), kind);
    f.exclusive({"shape", "shapes"});
    if (const SceneValue* shape = f.find("shape")) builder.with(shapes.read(*shape, f.what()));
    if (const SceneValue* several = f.find("shapes")) {
      for (const SceneValue& part : to_list(*several, f.what() + ": shapes")) {
        const SceneFields p(part, f.what() + ": shapes", {"shape", "position", "orientation"});
        builder.with(shapes.read(p.need("shape"), f.what()), p.pose());
      }
    }
    builder.placed(f.pose());
    if (const SceneValue* drive = f.find("drive")) {
      if (kind != BodyKind::kinematic)
        fail_at(drive->place, f.what() + ": only a kinematic body can be driven");
      builder.following(read_drive(*drive, f.what() + ": drive", f.pose()));
    }
    apply_body_traits(f, world.materials, builder);
    add_body(world, builder, f);
  }
}

} // namespace talus
