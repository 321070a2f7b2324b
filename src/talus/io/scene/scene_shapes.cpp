#include "talus/io/scene/scene_shapes.h"

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"
#include "talus/shape/containers.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace talus {

namespace {

using Keys = std::vector<std::string_view>;

/// The keys of each type, beside `type` itself.
const std::map<std::string, Keys, std::less<>>& shape_keys() {
  static const std::map<std::string, Keys, std::less<>> keys = {
      {"sphere", {"radius"}},
      {"box", {"size"}},
      {"capsule", {"radius", "length"}},
      {"cylinder", {"radius", "length"}},
      {"ellipsoid", {"radii"}},
      {"half_space", {"normal", "offset"}},
      {"convex_hull", {"points", "file", "scale"}},
      {"mesh", {"file", "scale"}},
      {"height_field", {"heights", "spacing"}},
      {"compound", {"parts"}},
      {"open_box", {"inner", "wall"}},
      {"cylinder_shell", {"radius", "height", "wall", "segments"}},
      {"hopper", {"outlet", "inlet", "height", "rim", "wall", "segments"}},
  };
  return keys;
}

Keys known_types() {
  Keys names;
  for (const auto& [name, keys] : shape_keys()) names.push_back(name);
  return names;
}

std::string type_of(const SceneValue& value, const std::string& what) {
  if (value.kind != SceneValue::Kind::mapping)
    fail_at(value.place,
            fmt::format("{} must be the name of a shape or a mapping with 'type'", what));
  const SceneValue* type = value.find("type");
  if (!type)
    fail_at(value.place,
            fmt::format("{}: 'type' is missing; allowed: {}", what, joined(known_types())));
  const std::string& name = to_text(*type, what + ": type");
  if (!shape_keys().contains(name))
    fail_at(type->place,
            fmt::format("{}: unknown type {}", what, unknown_name(name, known_types(), "allowed")));
  return name;
}

std::string read_bytes(const std::filesystem::path& path, const ScenePlace& place) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::error_code trouble;
  if (!file || std::filesystem::is_directory(path, trouble))
    fail_at(place, fmt::format("the file {} cannot be read", path.string()));
  return bytes;
}

int segments_of(const SceneFields& fields) {
  return static_cast<int>(fields.count("segments", 48, 3, 4096));
}

} // namespace

void SceneShapes::define(const SceneValue& section) {
  if (section.kind != SceneValue::Kind::mapping)
    fail_at(section.place, "shapes must be a mapping from names to shapes");
  for (const auto& [name, value] : section.members) {
    // read, not make: a name may stand for an earlier one.
    named_.insert_or_assign(name, read(value, fmt::format("shape '{}'", name)));
  }
}

ShapePtr SceneShapes::read(const SceneValue& value, const std::string& what) {
  if (value.kind != SceneValue::Kind::scalar) return make(value, what);
  const auto found = named_.find(value.text);
  if (found != named_.end()) return found->second;
  Keys names;
  for (const auto& [name, shape] : named_) names.push_back(name);
  fail_at(value.place, fmt::format("{}: there is no shape '{}' (defined so far: {})", what,
                                   value.text, names.empty() ? "none" : joined(names)));
}

ShapePtr SceneShapes::make(const SceneValue& value, const std::string& what) {
  const std::string type = type_of(value, what);
  Keys allowed = {"type"};
  const Keys& own = shape_keys().find(type)->second;
  allowed.insert(allowed.end(), own.begin(), own.end());
  const SceneFields f(value, fmt::format("{} ({})", what, type), allowed);
  const auto half = [](double length) { return length / 2; };
  return with_location(f.place(), f.what(), [&]() -> ShapePtr {
    if (type == "sphere") return make_sphere(f.number("radius", positive));
    if (type == "box") return make_box(0.5 * f.vector("size", positive));
    if (type == "capsule")
      return make_capsule(f.number("radius", positive), half(f.number("length", positive)));
    if (type == "cylinder")
      return make_cylinder(f.number("radius", positive), half(f.number("length", positive)));
    if (type == "ellipsoid") return make_ellipsoid(f.vector("radii", positive));
    if (type == "half_space")
      return make_half_space(f.vector("normal", Vec3{0, 0, 1}), f.number("offset", 0.0));
    if (type == "convex_hull") return make_from_points(f);
    if (type == "mesh") return make_mesh(f);
    if (type == "height_field") return make_heights(f);
    if (type == "compound") return make_parts(f);
    if (type == "open_box")
      return make_open_box(f.vector("inner", positive), f.number("wall", positive));
    if (type == "cylinder_shell")
      return make_cylinder_shell(f.number("radius", positive), f.number("height", positive),
                                 f.number("wall", positive), segments_of(f));
    return make_hopper(f.number("outlet", positive), f.number("inlet", positive),
                       f.number("height", positive), f.number("rim", 0.0, not_negative),
                       f.number("wall", positive), segments_of(f));
  });
}

ShapePtr SceneShapes::make_from_points(const SceneFields& fields) {
  fields.exclusive({"points", "file"});
  if (fields.find("file")) {
    const Vec3 scale = fields.vector("scale", Vec3{1, 1, 1});
    return make_convex_hull(mesh_file(fields.need("file"), fields.what(), scale).vertices);
  }
  std::vector<Vec3> points;
  for (const SceneValue& point : to_list(fields.need("points"), fields.what() + ": points"))
    points.push_back(to_vector(point, fields.what() + ": point"));
  return make_convex_hull(points);
}

ShapePtr SceneShapes::make_mesh(const SceneFields& fields) {
  const Vec3 scale = fields.vector("scale", Vec3{1, 1, 1}, positive);
  return make_triangle_mesh(mesh_file(fields.need("file"), fields.what(), scale));
}

TriangleMesh SceneShapes::mesh_file(const SceneValue& value, const std::string& what,
                                    const Vec3& scale) {
  const std::string& name = to_text(value, what + ": file");
  const SceneFile* file = nullptr;
  for (const SceneFile& known : source_->files)
    if (known.name == name) file = &known;
  const auto path = std::filesystem::path(source_->path).parent_path() / name;
  if (!file) {
    source_->files.push_back({name, read_bytes(path, value.place)});
    file = &source_->files.back();
  }
  std::string message;
  try {
    TriangleMesh mesh = parse_mesh(path, file->bytes);
    if (scale == Vec3{1, 1, 1}) return mesh;
    for (Vec3& v : mesh.vertices) v = {v.x * scale.x, v.y * scale.y, v.z * scale.z};
    return build_triangle_mesh(std::move(mesh.vertices), std::move(mesh.triangles));
  } catch (const Error& error) {
    message = error.what();
  }
  fail_at(value.place, fmt::format("{}: {}", what, message));
}

ShapePtr SceneShapes::make_heights(const SceneFields& fields) {
  const auto& spacing = to_list(fields.need("spacing"), fields.what() + ": spacing");
  if (spacing.size() != 2)
    fail_at(fields.need("spacing").place, fields.what() + ": spacing has 2 entries [x, y]");
  std::vector<double> heights;
  const auto& rows = to_list(fields.need("heights"), fields.what() + ": heights");
  for (const SceneValue& row : rows) {
    const auto& entries = to_list(row, fields.what() + ": a row of heights");
    if (entries.size() != rows[0].items.size())
      fail_at(row.place, fmt::format("{}: this row has {} heights, the first has {}", fields.what(),
                                     entries.size(), rows[0].items.size()));
    for (const SceneValue& height : entries) heights.push_back(to_number(height, fields.what()));
  }
  const auto columns = static_cast<Index>(rows.empty() ? 0 : rows[0].items.size());
  return make_height_field(columns, static_cast<Index>(rows.size()),
                           to_number(spacing[0], fields.what() + ": spacing", positive),
                           to_number(spacing[1], fields.what() + ": spacing", positive),
                           std::move(heights));
}

ShapePtr SceneShapes::make_parts(const SceneFields& fields) {
  std::vector<Compound::Child> children;
  for (const SceneValue& part : to_list(fields.need("parts"), fields.what() + ": parts")) {
    const std::string what = fmt::format("{}, part {}", fields.what(), children.size());
    const SceneFields f(part, what, {"shape", "position", "orientation"});
    children.push_back({read(f.need("shape"), what), f.pose()});
  }
  return make_compound(children);
}

} // namespace talus
