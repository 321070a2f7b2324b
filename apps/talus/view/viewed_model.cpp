#include "viewed_model.h"

#include "talus/core/types.h"
#include "talus/shape/shape.h"

#include <unordered_map>

namespace talus::cli {
namespace {

using Integers = std::vector<std::int32_t>;

struct Shapes {
  Integers body, kind, material, first_triangle;
  std::vector<double> size, frame;
};

void append_identity(std::vector<double>& frames) {
  frames.insert(frames.end(), {0, 0, 0, 1, 0, 0, 0});
}

/// One mesh per body: all that older files tell.
Shapes shapes_of_surfaces(const Integers& point_body, const Integers& triangles) {
  Shapes shapes;
  for (std::size_t t = 0; 3 * t < triangles.size(); ++t) {
    const std::int32_t body = point_body.at(static_cast<std::size_t>(triangles[3 * t]));
    if (!shapes.body.empty() && shapes.body.back() == body) continue;
    shapes.body.push_back(body);
    shapes.kind.push_back(static_cast<std::int32_t>(ShapeKind::triangle_mesh));
    shapes.material.push_back(0);
    shapes.first_triangle.push_back(static_cast<std::int32_t>(t));
    shapes.size.insert(shapes.size.end(), {0, 0, 0});
    append_identity(shapes.frame);
  }
  return shapes;
}

Shapes read_shapes(const Hdf5File& file) {
  return {file.read<std::int32_t>("/shapes/body"),
          file.read<std::int32_t>("/shapes/kind"),
          file.read<std::int32_t>("/shapes/material"),
          file.read<std::int32_t>("/shapes/first_triangle"),
          file.read<double>("/shapes/size"),
          file.read<double>("/shapes/frame")};
}

bool needs_triangles(std::int32_t kind) {
  return kind >= static_cast<std::int32_t>(ShapeKind::convex_hull);
}

/// The triangles of the shapes that need them, with the points they use.
struct Meshes {
  std::vector<float> points;
  Integers triangles, first, count; ///< first and count per shape, in triangles.
};

Meshes meshes_of(const Shapes& shapes, const std::vector<float>& points,
                 const Integers& triangles) {
  Meshes meshes;
  for (std::size_t s = 0; s < shapes.kind.size(); ++s) {
    meshes.first.push_back(static_cast<std::int32_t>(meshes.triangles.size() / 3));
    if (needs_triangles(shapes.kind[s])) {
      const auto begin = static_cast<std::size_t>(shapes.first_triangle[s]);
      const std::size_t end = s + 1 < shapes.kind.size()
                                  ? static_cast<std::size_t>(shapes.first_triangle[s + 1])
                                  : triangles.size() / 3;
      std::unordered_map<std::int32_t, std::int32_t> renumbered;
      for (std::size_t i = 3 * begin; i < 3 * end; ++i) {
        const auto [entry, is_new] = renumbered.try_emplace(
            triangles.at(i), static_cast<std::int32_t>(meshes.points.size() / 3));
        if (is_new)
          for (std::size_t k = 0; k < 3; ++k)
            meshes.points.push_back(points.at(3 * static_cast<std::size_t>(triangles[i]) + k));
        meshes.triangles.push_back(entry->second);
      }
    }
    meshes.count.push_back(static_cast<std::int32_t>(meshes.triangles.size() / 3) -
                           meshes.first.back());
  }
  return meshes;
}

void add_doubles(DataPackage& package, const Hdf5File& file, const char* section,
                 const std::string& dataset) {
  const std::vector<double> numbers =
      file.has(dataset) ? file.read<double>(dataset) : std::vector<double>();
  package.add(section, std::span(numbers));
}

void add_integers(DataPackage& package, const Hdf5File& file, const char* section,
                  const std::string& dataset) {
  const Integers numbers = file.has(dataset) ? file.read<std::int32_t>(dataset) : Integers();
  package.add(section, std::span(numbers));
}

void add_string(DataPackage& package, const Hdf5File& file, const char* section,
                const std::string& dataset) {
  package.add_text(section, file.has(dataset) ? file.read_string(dataset) : "");
}

void add_shapes(DataPackage& package, const Hdf5File& file) {
  Integers triangles;
  std::vector<float> points;
  const bool has_shapes = file.has("/shapes/kind");
  Shapes shapes;
  if (has_shapes) shapes = read_shapes(file);
  if (!has_shapes || std::any_of(shapes.kind.begin(), shapes.kind.end(), needs_triangles)) {
    triangles = file.read<std::int32_t>("/surface/triangles");
    points = file.read<float>("/surface/points");
  }
  if (!has_shapes) shapes = shapes_of_surfaces(file.read<std::int32_t>("/surface/body"), triangles);
  const Meshes meshes = meshes_of(shapes, points, triangles);
  package.add("shape_body", std::span<const std::int32_t>(shapes.body));
  package.add("shape_kind", std::span<const std::int32_t>(shapes.kind));
  package.add("shape_material", std::span<const std::int32_t>(shapes.material));
  package.add("shape_size", std::span<const double>(shapes.size));
  package.add("shape_frame", std::span<const double>(shapes.frame));
  package.add("shape_first_triangle", std::span<const std::int32_t>(meshes.first));
  package.add("shape_triangles", std::span<const std::int32_t>(meshes.count));
  package.add("mesh_points", std::span<const float>(meshes.points));
  package.add("mesh_triangles", std::span<const std::int32_t>(meshes.triangles));
}

/// Kinds of joints by name, one per line. Older files hold numbers only, of the kinds there were.
std::string joint_kind_names(const Hdf5File& file) {
  constexpr const char* first_kinds[] = {"spherical",   "revolute",       "prismatic",
                                         "cylindrical", "universal",      "fixed",
                                         "distance",    "point_on_plane", "gear"};
  if (file.has("/joints/kind_names")) return file.read_string("/joints/kind_names");
  std::string names;
  if (!file.has("/joints/kind")) return names;
  for (const std::int32_t kind : file.read<std::int32_t>("/joints/kind")) {
    const bool known = kind >= 0 && kind < static_cast<std::int32_t>(std::size(first_kinds));
    names += std::string(known ? first_kinds[kind] : "unknown") + '\n';
  }
  return names;
}

} // namespace

DataPackage viewed_model(const Hdf5File& file) {
  DataPackage package;
  package.add_text("title", file.read_string_attribute("/", "title"));
  const double step = file.read_attribute<double>("/", "step");
  package.add("step", std::span(&step, 1));
  add_doubles(package, file, "gravity", "/gravity");
  add_string(package, file, "body_names", "/bodies/names");
  add_integers(package, file, "body_kind", "/bodies/kind");
  add_doubles(package, file, "body_mass", "/bodies/mass");
  add_doubles(package, file, "body_moments", "/bodies/moments");
  add_shapes(package, file);
  add_string(package, file, "material_names", "/materials/names");
  add_doubles(package, file, "material_friction", "/materials/friction");
  add_doubles(package, file, "material_restitution", "/materials/restitution");
  add_doubles(package, file, "material_stiffness", "/materials/stiffness");
  add_doubles(package, file, "material_rolling", "/materials/rolling");
  add_doubles(package, file, "material_spinning", "/materials/spinning");
  add_string(package, file, "sensor_columns", "/sensors/columns");
  add_string(package, file, "sensor_units", "/sensors/units");
  add_string(package, file, "joint_names", "/joints/names");
  package.add_text("joint_kinds", joint_kind_names(file));
  add_integers(package, file, "joint_bodies", "/joints/bodies");
  add_doubles(package, file, "joint_frame_a", "/joints/frame_a");
  add_doubles(package, file, "joint_frame_b", "/joints/frame_b");
  add_doubles(package, file, "joint_spring", "/joints/spring");
  return package;
}

} // namespace talus::cli
