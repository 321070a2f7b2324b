#include "talus/io/scene/scene_bodies.h"

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

/// Of rolling or spinning friction.
double read_length(const SceneFields& fields, std::string_view key) {
  return fields.number(key, 0.0, not_negative);
}

/// A number is a force; otherwise a mapping.
Cohesion read_cohesion(const SceneFields& fields) {
  const SceneValue* value = fields.find("cohesion");
  if (!value) return {};
  if (value->kind != SceneValue::Kind::mapping)
    return {.force = fields.number("cohesion", not_negative)};
  const SceneFields f(*value, fields.what() + ": cohesion", {"force", "stress", "range", "heals"});
  if (!f.find("force") && !f.find("stress")) f.fail("give force (N), stress (Pa) or both");
  return {.force = f.number("force", 0.0, not_negative),
          .stress = f.number("stress", 0.0, not_negative),
          .range = f.number("range", 0.0, not_negative),
          .heals = f.flag("heals", true)};
}

std::optional<double> read_stiffness(const SceneFields& fields) {
  const SceneValue* value = fields.find("stiffness");
  if (!value) return std::nullopt;
  if (value->text == "rigid") return rigid_stiffness;
  if (value->text == "auto") return automatic_stiffness;
  return fields.number("stiffness", NumberRange{least_stiffness});
}

constexpr NumberRange ratio_range{1e-3, false, 1e3};

/// Young's modulus and Poisson's ratio: in place of a stiffness.
void read_moduli(const SceneFields& fields, Material& material) {
  fields.exclusive({"young", "stiffness"});
  fields.exclusive({"young", "tangential_ratio"});
  if (!fields.find("young")) {
    if (const SceneValue* poisson = fields.find("poisson"))
      fail_at(poisson->place, fields.what() + ": poisson needs young beside it");
    return;
  }
  material.young = fields.number("young", NumberRange{least_young});
  material.poisson = fields.number("poisson", material.poisson, {-1, true, 0.5});
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

std::string body_label(const SceneValue& value, std::size_t position) {
  const SceneValue* name = value.find("name");
  return name && name->kind == SceneValue::Kind::scalar ? fmt::format("body '{}'", name->text)
                                                        : fmt::format("body {}", position);
}

Keys body_keys() {
  Keys keys = {"name", "shape", "shapes", "position", "orientation", "servo"};
  keys.insert(keys.end(), body_trait_keys.begin(), body_trait_keys.end());
  return keys;
}

} // namespace

const std::vector<std::string_view> body_trait_keys = {
    "motion", "material",    "density",  "mass",    "inertia", "velocity", "angular_velocity",
    "force",  "torque",      "gravity",  "turning", "group",   "mask",     "drive",
    "drag",   "point_loads", "remove_at"};

void read_materials(const SceneValue* materials, const SceneValue* pairs, const SceneValue* rules,
                    MaterialTable& table) {
  if (rules) {
    const SceneFields f(*rules, "material_rules",
                        {"friction", "restitution", "rolling", "cohesion"});
    table.friction_rule = read_rule(f, "friction", table.friction_rule);
    table.restitution_rule = read_rule(f, "restitution", table.restitution_rule);
    table.rolling_rule = read_rule(f, "rolling", table.rolling_rule);
    table.cohesion_rule = read_rule(f, "cohesion", table.cohesion_rule);
  }
  if (materials) {
    if (materials->kind != SceneValue::Kind::mapping)
      fail_at(materials->place, "materials must be a mapping from names to coefficients");
    for (const SceneMember& member : materials->members) {
      const std::string& name = member.name;
      const SceneFields f(member.value, fmt::format("material '{}'", name),
                          {"friction", "restitution", "stiffness", "rolling", "spinning",
                           "tangential_ratio", "young", "poisson", "cohesion"});
      Material material{name, read_coefficient(f, "friction", 0.5, largest_friction),
                        read_coefficient(f, "restitution", 0, 1)};
      if (const auto stiffness = read_stiffness(f)) material.stiffness = *stiffness;
      material.rolling = read_length(f, "rolling");
      material.spinning = read_length(f, "spinning");
      material.tangential_ratio = f.number("tangential_ratio", 1.0, ratio_range);
      read_moduli(f, material);
      material.cohesion = read_cohesion(f);
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
                        {"between", "friction", "restitution", "stiffness", "rolling", "spinning",
                         "tangential_ratio", "cohesion"});
    const auto& names = to_list(f.need("between"), "material pair: between");
    if (names.size() != 2) fail_at(f.need("between").place, "a pair has two materials [a, b]");
    MaterialPair pair;
    pair.a = find_material(names[0], table, f.what());
    pair.b = find_material(names[1], table, f.what());
    pair.friction = read_coefficient(f, "friction", 0.5, largest_friction);
    pair.restitution = read_coefficient(f, "restitution", 0, 1);
    pair.stiffness = read_stiffness(f);
    pair.rolling = read_length(f, "rolling");
    pair.spinning = read_length(f, "spinning");
    if (f.find("tangential_ratio"))
      pair.tangential_ratio = f.number("tangential_ratio", ratio_range);
    pair.cohesion = read_cohesion(f);
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
                       BodyDescription& body) {
  fields.exclusive({"density", "mass", "inertia"});
  if (const SceneValue* material = fields.find("material"))
    body.material =
        materials[find_material(*material, materials, fields.what() + ": material")].name;
  body.density = fields.number("density", body.density, positive);
  if (fields.find("mass")) body.mass = fields.number("mass", positive);
  if (const SceneValue* inertia = fields.find("inertia"))
    body.inertia = read_inertia(*inertia, fields.what() + ": inertia");
  body.velocity = fields.vector("velocity", Vec3{});
  body.angular_velocity = fields.vector("angular_velocity", Vec3{});
  read_over_time(fields, "force", body.load.force, body.forces, body.force_formula);
  read_over_time(fields, "torque", body.load.torque, body.torques, body.torque_formula);
  read_body_loads(fields, body);
  body.gravity = fields.flag("gravity", true);
  body.turning = fields.flag("turning", true);
  constexpr long most = std::numeric_limits<std::uint32_t>::max();
  body.group = static_cast<std::uint32_t>(fields.count("group", 1, 0, most));
  body.mask = static_cast<std::uint32_t>(fields.count("mask", most, 0, most));
}

Index add_body(WorldDraft& draft, BodyDescription body, const SceneFields& fields) {
  return with_location(fields.place(), fields.what(), [&] { return draft.add(std::move(body)); });
}

void read_bodies(const SceneValue& section, SceneShapes& shapes, WorldDraft& draft) {
  std::size_t position = 0;
  for (const SceneValue& value : to_list(section, "bodies")) {
    const SceneFields f(value, body_label(value, position++), body_keys());
    BodyDescription body;
    body.kind = read_body_kind(f);
    body.name = f.text("name", "");
    f.exclusive({"shape", "shapes"});
    if (const SceneValue* shape = f.find("shape"))
      body.shapes.push_back({shapes.read(*shape, f.what()), {}});
    if (const SceneValue* several = f.find("shapes")) {
      for (const SceneValue& part : to_list(*several, f.what() + ": shapes")) {
        const SceneFields p(part, f.what() + ": shapes", part_keys);
        const Index shape = shapes.read(p.need("shape"), f.what());
        for (const Transform& pose : part_poses(p)) body.shapes.push_back({shape, pose});
      }
    }
    body.pose = f.pose();
    if (const SceneValue* drive = f.find("drive")) {
      if (body.kind != BodyKind::kinematic)
        fail_at(drive->place, f.what() + ": only a kinematic body can be driven");
      body.drive = read_drive(*drive, f.what() + ": drive");
    }
    apply_body_traits(f, draft.description.materials, body);
    const Index added = add_body(draft, std::move(body), f);
    if (const SceneValue* servo = f.find("servo"))
      add_servo(*servo, f.what() + ": servo", added, draft);
  }
}

} // namespace talus
