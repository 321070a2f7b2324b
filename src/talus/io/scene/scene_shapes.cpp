#include "talus/io/scene/scene_shapes.h"

#include "talus/core/error.h"
#include "talus/core/nearest_name.h"
#include "talus/shape/decompose.h"

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
      {"superellipsoid", {"radii", "blockiness", "segments"}},
      {"half_space", {"normal", "offset"}},
      {"convex_hull", {"points", "file", "scale"}},
      {"mesh", {"file", "scale", "decompose"}},
      {"height_field", {"heights", "spacing"}},
      {"compound", {"parts"}},
      {"clump", {"parts"}},
      {"open_box", {"inner", "wall"}},
      {"cylinder_shell", {"radius", "height", "wall", "segments"}},
      {"gear", {"teeth", "module", "width", "pressure_angle", "backlash"}},
      {"turned", {"profile", "segments"}},
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

Index SceneShapes::read(const SceneValue& value, const std::string& what) {
  if (value.kind != SceneValue::Kind::scalar) return make(value, what);
  const auto found = named_.find(value.text);
  if (found != named_.end()) return found->second;
  Keys names;
  for (const auto& [name, shape] : named_) names.push_back(name);
  fail_at(value.place, fmt::format("{}: there is no shape '{}' (defined so far: {})", what,
                                   value.text, names.empty() ? "none" : joined(names)));
}

Index SceneShapes::make(const SceneValue& value, const std::string& what) {
  const std::string type = type_of(value, what);
  Keys allowed = {"type"};
  const Keys& own = shape_keys().find(type)->second;
  allowed.insert(allowed.end(), own.begin(), own.end());
  const SceneFields f(value, fmt::format("{} ({})", what, type), allowed);
  return with_location(f.place(), f.what(), [&] { return draft_->add(describe(type, f)); });
}

ShapeDescription SceneShapes::describe(const std::string& type, const SceneFields& f) {
  namespace S = described;
  const auto length = [&](std::string_view key) { return f.number(key, positive); };
  if (type == "sphere") return {S::Sphere{length("radius")}};
  if (type == "box") return {S::Box{0.5 * f.vector("size", positive)}};
  if (type == "capsule") return {S::Capsule{length("radius"), length("length") / 2}};
  if (type == "cylinder") return {S::Cylinder{length("radius"), length("length") / 2}};
  if (type == "ellipsoid") return {S::Ellipsoid{f.vector("radii", positive)}};
  if (type == "superellipsoid") return {read_superellipsoid(f)};
  if (type == "half_space")
    return {S::HalfSpace{f.vector("normal", Vec3{0, 0, 1}), f.number("offset", 0.0)}};
  if (type == "convex_hull") return {read_hull(f)};
  if (type == "mesh") {
    if (f.find("decompose")) return {read_decomposed(f)};
    return {read_mesh(f)};
  }
  if (type == "height_field") return {read_heights(f)};
  if (type == "compound") return {S::Compound{read_parts(f)}};
  if (type == "clump") return {S::Clump{read_parts(f), std::nullopt}};
  if (type == "gear") return {read_gear_wheel(f, *draft_)};
  if (type == "turned") return {read_turned(f, *draft_)};
  if (type == "open_box") return {S::OpenBox{f.vector("inner", positive), length("wall")}};
  if (type == "cylinder_shell")
    return {S::CylinderShell{length("radius"), length("height"), length("wall"), segments_of(f)}};
  return {S::Hopper{length("outlet"), length("inlet"), length("height"),
                    f.number("rim", 0.0, not_negative), length("wall"), segments_of(f)}};
}

described::ConvexHull SceneShapes::read_hull(const SceneFields& fields) {
  fields.exclusive({"points", "file"});
  if (fields.find("file")) {
    const Vec3 scale = fields.vector("scale", Vec3{1, 1, 1});
    return {mesh_file(fields.need("file"), fields.what(), scale).vertices};
  }
  std::vector<Vec3> points;
  for (const SceneValue& point : to_list(fields.need("points"), fields.what() + ": points"))
    points.push_back(to_vector(point, fields.what() + ": point"));
  return {std::move(points)};
}

described::Mesh SceneShapes::read_mesh(const SceneFields& fields) {
  const Vec3 scale = fields.vector("scale", Vec3{1, 1, 1}, positive);
  TriangleMesh mesh = mesh_file(fields.need("file"), fields.what(), scale);
  return {std::move(mesh.vertices), std::move(mesh.triangles)};
}

described::Clump SceneShapes::read_decomposed(const SceneFields& fields) {
  const SceneFields d(fields.need("decompose"), fields.what() + ": decompose",
                      {"parts", "tolerance", "vertices"});
  DecomposeOptions options;
  options.parts = static_cast<int>(d.count("parts", options.parts, 1, 1000));
  options.tolerance = d.number("tolerance", options.tolerance, not_negative);
  options.vertices = static_cast<int>(d.count("vertices", options.vertices, 8, 10000));
  const Vec3 scale = fields.vector("scale", Vec3{1, 1, 1}, positive);
  const TriangleMesh mesh = mesh_file(fields.need("file"), fields.what(), scale);
  Decomposition parts = decompose(mesh, options);
  described::Clump clump;
  clump.solid = parts.solid;
  for (std::vector<Vec3>& points : parts.hulls)
    clump.parts.push_back({draft_->add({described::ConvexHull{std::move(points)}}), {}});
  return clump;
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

described::HeightField SceneShapes::read_heights(const SceneFields& fields) {
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
  return {columns, static_cast<Index>(rows.size()),
          to_number(spacing[0], fields.what() + ": spacing", positive),
          to_number(spacing[1], fields.what() + ": spacing", positive), std::move(heights)};
}

std::vector<described::Part> SceneShapes::read_parts(const SceneFields& fields) {
  std::vector<described::Part> parts;
  for (const SceneValue& part : to_list(fields.need("parts"), fields.what() + ": parts")) {
    const std::string what = fmt::format("{}, part {}", fields.what(), parts.size());
    const SceneFields f(part, what, part_keys);
    const Index shape = read(f.need("shape"), what);
    for (const Transform& pose : part_poses(f)) parts.push_back({shape, pose});
  }
  return parts;
}

} // namespace talus
