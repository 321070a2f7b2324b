// A description as a scene file. Numbers have as many digits as they need; angles are degrees.

#include "talus/core/error.h"
#include "talus/io/export.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <numbers>

namespace talus {

namespace {

constexpr double degree = std::numbers::pi / 180;

std::string text_of(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}
std::string text_of(double value) {
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  return fmt::format("{}", value);
}
std::string text_of(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", v.x, v.y, v.z);
}
std::string text_of(bool value) {
  return value ? "true" : "false";
}

std::string table_text(const TimeTable<double>& table, double unit) {
  std::string text;
  for (const auto& [t, value] : table)
    text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", t, value / unit);
  return "[" + text + "]";
}
std::string table_text(const TimeTable<Vec3>& table) {
  std::string text;
  for (const auto& [t, value] : table)
    text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", t, text_of(value));
  return "[" + text + "]";
}

/// A flow mapping: {a: 1, b: 2}.
class Mapping {
public:
  template <class Value>
  Mapping& put(std::string_view key, const Value& value) {
    return raw(key, text_of(value));
  }
  template <class Value>
  Mapping& put_unless(std::string_view key, const Value& value, const Value& usual) {
    return value == usual ? *this : put(key, value);
  }
  Mapping& raw(std::string_view key, const std::string& value) {
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ", ", key, value);
    return *this;
  }
  Mapping& place(const Transform& pose) {
    put_unless("position", pose.position, Vec3{});
    const auto& [w, x, y, z] = pose.rotation;
    if (pose.rotation != Quaternion{})
      raw("orientation", fmt::format("{{quaternion: [{}, {}, {}, {}]}}", w, x, y, z));
    return *this;
  }
  bool empty() const { return text_.empty(); }
  std::string text() const { return "{" + text_ + "}"; }

private:
  std::string text_;
};

std::string shape_name(Index number) {
  return fmt::format("shape {}", number);
}

std::string parts_text(const std::vector<described::Part>& parts) {
  std::string text;
  for (const described::Part& part : parts) {
    Mapping m;
    m.put("shape", shape_name(part.shape)).place(part.pose);
    text += (text.empty() ? "" : ", ") + m.text();
  }
  return "[" + text + "]";
}

struct ShapeText {
  Mapping operator()(const described::Sphere& s) const {
    return typed("sphere").put("radius", s.radius);
  }
  Mapping operator()(const described::Box& s) const {
    return typed("box").put("size", 2 * s.half_extents);
  }
  Mapping operator()(const described::Capsule& s) const {
    return typed("capsule").put("radius", s.radius).put("length", 2 * s.half_length);
  }
  Mapping operator()(const described::Cylinder& s) const {
    return typed("cylinder").put("radius", s.radius).put("length", 2 * s.half_length);
  }
  Mapping operator()(const described::Ellipsoid& s) const {
    return typed("ellipsoid").put("radii", s.radii);
  }
  Mapping operator()(const described::HalfSpace& s) const {
    return typed("half_space").put("normal", s.normal).put("offset", s.offset);
  }
  Mapping operator()(const described::ConvexHull& s) const {
    std::string points;
    for (const Vec3& p : s.points) points += (points.empty() ? "" : ", ") + text_of(p);
    return typed("convex_hull").raw("points", "[" + points + "]");
  }
  Mapping operator()(const described::Mesh&) const {
    throw InvalidArgument("scenes have triangle meshes in files of their own; they cannot be "
                          "written into the text");
  }
  Mapping operator()(const described::HeightField& s) const {
    std::string rows;
    for (Index j = 0; j < s.rows; ++j) {
      std::string row;
      for (Index i = 0; i < s.columns; ++i)
        row += fmt::format("{}{}", i == 0 ? "" : ", ",
                           s.heights[static_cast<std::size_t>(j * s.columns + i)]);
      rows += fmt::format("{}[{}]", j == 0 ? "" : ", ", row);
    }
    return typed("height_field")
        .raw("heights", "[" + rows + "]")
        .raw("spacing", fmt::format("[{}, {}]", s.spacing_x, s.spacing_y));
  }
  Mapping operator()(const described::Compound& s) const {
    return typed("compound").raw("parts", parts_text(s.parts));
  }
  Mapping operator()(const described::Clump& s) const {
    if (s.solid)
      throw InvalidArgument("scenes have the meshes of decomposed bodies in files of their own; "
                            "they cannot be written into the text");
    return typed("clump").raw("parts", parts_text(s.parts));
  }
  Mapping operator()(const described::OpenBox& s) const {
    return typed("open_box").put("inner", s.inner).put("wall", s.wall);
  }
  Mapping operator()(const described::CylinderShell& s) const {
    Mapping m = typed("cylinder_shell");
    m.put("radius", s.radius).put("height", s.height).put("wall", s.wall);
    return m.raw("segments", fmt::format("{}", s.segments));
  }
  Mapping operator()(const described::Hopper& s) const {
    Mapping m = typed("hopper");
    m.put("outlet", s.outlet).put("inlet", s.inlet).put("height", s.height).put("rim", s.rim);
    return m.put("wall", s.wall).raw("segments", fmt::format("{}", s.segments));
  }

private:
  static Mapping typed(const char* type) { return Mapping().raw("type", type); }
};

std::string drive_text(const DriveDescription& d) {
  Mapping m;
  m.put_unless("amplitude", d.amplitude, Vec3{}).put("frequency", d.frequency);
  m.put_unless("phase", d.phase / degree, 0.0).put_unless("start", d.start, 0.0);
  if (std::isfinite(d.stop)) m.put("stop", d.stop);
  if (norm(d.turn) > 0) m.put("axis", normalized(d.turn)).put("angle", norm(d.turn) / degree);
  if (!d.rotations.empty()) {
    Vec3 axis{0, 0, 1};
    for (const auto& [t, v] : d.rotations)
      if (norm(v) > 0) axis = normalized(v);
    TimeTable<double> angles;
    for (const auto& [t, v] : d.rotations) angles.emplace_back(t, dot(v, axis));
    m.put("axis", axis).raw("angle", table_text(angles, degree));
  }
  if (!d.displacements.empty()) m.raw("displacement", table_text(d.displacements));
  return m.text();
}

std::string body_text(const BodyDescription& b) {
  Mapping m;
  if (!b.name.empty()) m.put("name", b.name);
  if (b.kind != BodyKind::dynamic) m.raw("motion", std::string(to_string(b.kind)));
  if (!b.shapes.empty()) m.raw("shapes", parts_text(b.shapes));
  m.place(b.pose);
  if (!b.material.empty()) m.put("material", b.material);
  if (b.inertia) {
    const Mat3& i = b.inertia->inertia;
    Mapping inertia;
    inertia.put("mass", b.inertia->mass).put_unless("centre", b.inertia->centre, Vec3{});
    inertia.put("moments", Vec3{i(0, 0), i(1, 1), i(2, 2)});
    inertia.put_unless("products", Vec3{i(0, 1), i(0, 2), i(1, 2)}, Vec3{});
    m.raw("inertia", inertia.text());
  } else if (b.mass) {
    m.put("mass", *b.mass);
  } else {
    m.put_unless("density", b.density, 1000.0);
  }
  m.put_unless("velocity", b.velocity, Vec3{});
  m.put_unless("angular_velocity", b.angular_velocity, Vec3{});
  if (b.forces.empty())
    m.put_unless("force", b.load.force, Vec3{});
  else
    m.raw("force", table_text(b.forces));
  if (b.torques.empty())
    m.put_unless("torque", b.load.torque, Vec3{});
  else
    m.raw("torque", table_text(b.torques));
  m.put_unless("gravity", b.gravity, true).put_unless("turning", b.turning, true);
  if (b.group != 1) m.raw("group", fmt::format("{}", b.group));
  if (b.mask != ~std::uint32_t{0}) m.raw("mask", fmt::format("{}", b.mask));
  if (b.drive) m.raw("drive", drive_text(*b.drive));
  return m.text();
}

std::string motor_text(const MotorDescription& motor, double angle) {
  Mapping m;
  const bool position = motor.mode == MotorMode::position;
  const double unit = position ? angle : 1; // speeds are rad/s
  if (motor.targets.empty())
    m.put(position ? "position" : "speed", motor.target / unit);
  else
    m.raw(position ? "position" : "speed", table_text(motor.targets, unit));
  if (motor.amplitude != 0)
    m.put("amplitude", motor.amplitude / unit).put("frequency", motor.frequency);
  if (!motor.max_efforts.empty())
    m.raw("max_effort", table_text(motor.max_efforts, 1));
  else if (std::isfinite(motor.max_effort))
    m.put("max_effort", motor.max_effort);
  m.put_unless("time_constant", motor.time_constant, 0.0);
  m.put_unless("stiffness", motor.stiffness, 0.0).put_unless("damping", motor.damping, 0.0);
  return m.text();
}

std::string joint_text(const JointDescription& j) {
  const double unit = j.kind == JointKind::prismatic ? 1 : degree;
  Mapping m;
  if (!j.name.empty()) m.put("name", j.name);
  m.raw("type", std::string(to_string(j.kind)));
  const bool gear = j.kind == JointKind::gear;
  if (gear) {
    m.raw("joints", fmt::format("[{}, {}]", text_of(j.first_joint), text_of(j.second_joint)));
    m.put("ratio", j.ratio);
  } else {
    m.raw("between", fmt::format("[{}, {}]", text_of(j.body_a), text_of(j.body_b)));
    m.put("at", j.at);
  }
  if (j.second_at) m.put("second_at", *j.second_at);
  const bool has_axis = has_coordinate(j.kind) || j.kind == JointKind::point_on_plane ||
                        j.kind == JointKind::universal || j.kind == JointKind::bushing;
  if (has_axis) m.put("axis", j.axis);
  if (j.second_axis) m.put("second_axis", *j.second_axis);
  m.put_unless("position", j.position / unit, 0.0);
  if (j.limits) {
    m.raw("limits", fmt::format("[{}, {}]", text_of(j.limits->lower / unit),
                                text_of(j.limits->upper / unit)));
    if (std::isfinite(j.limits->stiffness))
      m.raw(
          "limit_spring",
          Mapping().put("stiffness", j.limits->stiffness).put("damping", j.limits->damping).text());
  }
  if (j.motor) m.raw("motor", motor_text(*j.motor, unit));
  if (j.spring) {
    Mapping spring;
    spring.put("stiffness", j.spring->stiffness).put_unless("damping", j.spring->damping, 0.0);
    spring.put_unless("rest", j.spring->rest / (has_coordinate(j.kind) ? unit : 1), 0.0);
    m.raw("spring", spring.text());
  }
  m.put_unless("stiffness", j.bushing.stiffness, Vec3{});
  m.put_unless("damping", j.bushing.damping, Vec3{});
  m.put_unless("angular_stiffness", j.bushing.angular_stiffness, Vec3{});
  m.put_unless("angular_damping", j.bushing.angular_damping, Vec3{});
  m.put_unless("friction", j.friction, 0.0).put_unless("armature", j.armature, 0.0);
  if (j.efforts.empty())
    m.put_unless("effort", j.effort, 0.0);
  else
    m.raw("effort", table_text(j.efforts, 1));
  if (j.length) m.put("length", *j.length);
  if (j.bodies_collide) m.put("let_collide", *j.bodies_collide);
  return m.text();
}

std::string materials_text(const MaterialTable& table) {
  std::string text;
  const Material usual;
  for (Index i = 0; i < table.size(); ++i) {
    Mapping m;
    m.put("friction", table[i].friction).put_unless("restitution", table[i].restitution, 0.0);
    if (table[i].stiffness == rigid_stiffness)
      m.raw("stiffness", "rigid");
    else
      m.put_unless("stiffness", table[i].stiffness, usual.stiffness);
    m.put_unless("rolling", table[i].rolling, 0.0).put_unless("spinning", table[i].spinning, 0.0);
    text += fmt::format("  {}: {}\n", text_of(table[i].name), m.text());
  }
  std::string pairs;
  for (const MaterialPair& p : table.pairs()) {
    Mapping m;
    m.raw("between", fmt::format("[{}, {}]", text_of(table[p.a].name), text_of(table[p.b].name)));
    m.put("friction", p.friction).put_unless("restitution", p.restitution, 0.0);
    if (p.stiffness) {
      if (*p.stiffness == rigid_stiffness)
        m.raw("stiffness", "rigid");
      else if (*p.stiffness == automatic_stiffness)
        m.raw("stiffness", "auto");
      else
        m.put("stiffness", *p.stiffness);
    }
    m.put_unless("rolling", p.rolling, 0.0).put_unless("spinning", p.spinning, 0.0);
    pairs += fmt::format("  - {}\n", m.text());
  }
  return "materials:\n" + text + (pairs.empty() ? "" : "material_pairs:\n" + pairs) +
         fmt::format("material_rules: {{friction: {}, restitution: {}, rolling: {}}}\n",
                     to_string(table.friction_rule), to_string(table.restitution_rule),
                     to_string(table.rolling_rule));
}

} // namespace

std::string scene_text(const WorldDescription& d) {
  std::string text = fmt::format("title: {}\ngravity: {}\nstep: {}\nduration: {}\n",
                                 text_of(d.title), text_of(d.gravity), d.step.step, d.duration);
  if (d.plane_normal) text += fmt::format("planar: {}\n", text_of(*d.plane_normal));
  text += materials_text(d.materials);
  const auto section = [&](const char* name, const auto& items, auto&& line) {
    if (items.empty()) return;
    text += fmt::format("{}:\n", name);
    for (const auto& item : items) text += fmt::format("  {}\n", line(item));
  };
  Index number = 0;
  section("shapes", d.shapes, [&](const ShapeDescription& s) {
    return fmt::format("{}: {}", shape_name(number++), std::visit(ShapeText{}, s.geometry).text());
  });
  section("bodies", d.bodies, [](const BodyDescription& b) { return "- " + body_text(b); });
  section("joints", d.joints, [](const JointDescription& j) { return "- " + joint_text(j); });
  section("no_contacts", d.no_contacts, [](const auto& pair) {
    return fmt::format("- [{}, {}]", text_of(pair.first), text_of(pair.second));
  });
  return text;
}

} // namespace talus
