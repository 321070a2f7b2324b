// Geoms of MJCF and the meshes they use.

#include "talus/core/error.h"
#include "talus/io/import/mjcf_model.h"
#include "talus/io/import/urdf_reader.h"

#include <fmt/format.h>

#include <filesystem>

namespace talus::robot {

namespace {

/// The shape and where `fromto` puts it.
struct PlacedShape {
  ShapeDescription shape;
  std::optional<Transform> place;
};

class GeomReader {
public:
  GeomReader(MjcfModel& m, const MjcfElement& e) : m_(m), e_(e) {}

  PlacedShape shape() const {
    const std::string type =
        e_.find("type").value_or(e_.find("mesh") ? std::string("mesh") : std::string("sphere"));
    if (type == "plane") {
      e_.find("size");
      return {{described::HalfSpace{}}, {}};
    }
    if (type == "mesh") return {mesh().hull, {}};
    if (type == "sphere") return {{described::Sphere{size(1)[0]}}, {}};
    if (type == "hfield" || type == "sdf")
      e_.fail(fmt::format("geoms of the type '{}' are not supported", type));
    const auto ends = e_.numbers("fromto", 6, 6);
    std::vector<double> s;
    std::optional<Transform> place;
    if (ends) {
      const Vec3 from{(*ends)[0], (*ends)[1], (*ends)[2]}, to{(*ends)[3], (*ends)[4], (*ends)[5]};
      const double half = norm(to - from) / 2;
      if (!(half > 0)) e_.fail("the two ends of fromto are the same");
      place = Transform{0.5 * (from + to), rotation_between({0, 0, 1}, normalized(to - from))};
      s = size(1);
      if (type == "box" || type == "ellipsoid")
        s = {s[0], s.size() > 1 ? s[1] : s[0], half};
      else
        s = {s[0], half};
    }
    if (type == "capsule" || type == "cylinder") {
      if (!ends) s = size(2);
      if (type == "capsule") return {{described::Capsule{s[0], s[1]}}, place};
      return {{described::Cylinder{s[0], s[1]}}, place};
    }
    if (type != "box" && type != "ellipsoid")
      e_.fail(fmt::format("unknown type '{}'; known: plane, sphere, capsule, ellipsoid, cylinder, "
                          "box, mesh",
                          type));
    if (!ends) s = size(3);
    if (type == "box") return {{described::Box{{s[0], s[1], s[2]}}}, place};
    return {{described::Ellipsoid{{s[0], s[1], s[2]}}}, place};
  }

  /// In the frame of the shape. Nothing for planes.
  std::optional<MassProperties> mass(const ShapeDescription& shape) const {
    if (std::holds_alternative<described::HalfSpace>(shape.geometry)) return std::nullopt;
    const double density = e_.number("density", 1000);
    const auto mass = e_.number("mass");
    if (density < 0 || (mass && *mass < 0)) e_.fail("mass and density must not be negative");
    if ((mass && *mass == 0) || (!mass && density == 0)) return std::nullopt;
    try {
      const MassProperties own = mass_properties(*solid(shape), mass ? 1000 : density);
      return mass ? with_mass(own, *mass) : own;
    } catch (const InvalidArgument& error) {
      e_.fail(fmt::format("its mass cannot be computed: {}", error.what()));
    }
  }

private:
  const MjcfMesh& mesh() const {
    const auto name = e_.find("mesh");
    if (!name) e_.fail("a geom of the type mesh needs 'mesh'");
    const auto found = m_.meshes.find(*name);
    if (found == m_.meshes.end()) e_.fail(fmt::format("there is no mesh '{}' in <asset>", *name));
    return found->second;
  }

  std::vector<double> size(std::size_t least) const {
    const auto values = e_.numbers("size", least, 3);
    if (!values) e_.fail("'size' is missing");
    for (std::size_t i = 0; i < least; ++i)
      if (!((*values)[i] > 0)) e_.fail("'size' must be positive");
    return *values;
  }

  ShapePtr solid(const ShapeDescription& shape) const {
    namespace S = described;
    if (const auto* s = std::get_if<S::Sphere>(&shape.geometry)) return make_sphere(s->radius);
    if (const auto* s = std::get_if<S::Box>(&shape.geometry)) return make_box(s->half_extents);
    if (const auto* s = std::get_if<S::Capsule>(&shape.geometry))
      return make_capsule(s->radius, s->half_length);
    if (const auto* s = std::get_if<S::Cylinder>(&shape.geometry))
      return make_cylinder(s->radius, s->half_length);
    if (const auto* s = std::get_if<S::Ellipsoid>(&shape.geometry)) return make_ellipsoid(s->radii);
    const TriangleMesh& own = mesh().mesh;
    if (own.closed) return make_triangle_mesh(own); // its own volume, not that of the hull
    return make_convex_hull(std::get<S::ConvexHull>(shape.geometry).points);
  }

  MjcfModel& m_;
  const MjcfElement& e_;
};

} // namespace

Surface read_surface(const MjcfElement& element) {
  const double condim = element.number("condim", 3);
  std::vector<double> f = element.numbers("friction", 1, 5).value_or(std::vector<double>{1});
  const bool is_pair = element.name() == "pair";
  const std::size_t spin = is_pair ? 2 : 1, roll = is_pair ? 3 : 2;
  const auto entry = [&](std::size_t k, double usual) { return k < f.size() ? f[k] : usual; };
  if (condim != 1 && condim != 3 && condim != 4 && condim != 6)
    element.fail(fmt::format("condim is {}, it must be 1, 3, 4 or 6", condim));
  for (const double each : f)
    if (each < 0) element.fail("friction must not be negative");
  Surface surface{condim == 1 ? 0 : f[0], 0, 0};
  if (condim >= 4) surface.spinning = entry(spin, 0.005);
  if (condim == 6) surface.rolling = entry(roll, 0.0001);
  return surface;
}

MjcfGeom read_geom(MjcfModel& m, const MjcfElement& element, const Transform& frame) {
  const GeomReader reader(m, element);
  MjcfGeom result;
  Geom& geom = result.geom;
  geom.place = element.place();
  geom.name = element.own().find("name").value_or("");
  const PlacedShape placed = reader.shape();
  geom.shape = placed.shape;
  geom.pose = frame * (placed.place ? *placed.place : m.document.frame(element));
  const auto bits = [&](const char* name) {
    const double value = element.number(name, 1);
    if (!(value >= 0) || value > 4294967295.0)
      element.fail(fmt::format("{} is out of range", name));
    return static_cast<unsigned>(value);
  };
  geom.kind = bits("contype");
  geom.partners = bits("conaffinity");
  geom.collides = m.contacts && (geom.kind != 0 || geom.partners != 0);
  geom.surface = read_surface(element);
  const double group = element.number("group", 0);
  const MjcfCompiler& compiler = m.document.compiler();
  if (group >= compiler.first_group && group <= compiler.last_group)
    if (const auto mass = reader.mass(placed.shape)) result.mass = transformed(*mass, geom.pose);
  return result;
}

void read_mesh_assets(MjcfModel& m) {
  const MjcfCompiler& compiler = m.document.compiler();
  for (const XmlElement& asset : m.document.section("asset")) {
    if (asset.name() != "mesh") continue;
    asset.mark();
    const MjcfElement e = m.document.with_defaults(asset, "");
    const Vec3 scale = e.vector("scale", Vec3{1, 1, 1});
    const Transform shift{e.vector("refpos", Vec3{}), [&] {
                            const auto q = e.numbers("refquat", 4, 4);
                            if (!q) return Quaternion{};
                            return normalized(Quaternion{(*q)[0], (*q)[1], (*q)[2], (*q)[3]});
                          }()};
    TriangleMesh mesh;
    std::string name = asset.find("name").value_or("");
    if (const auto points = e.numbers("vertex", 12, 3'000'000)) {
      if (points->size() % 3 != 0) asset.fail("'vertex' needs three numbers for each point");
      for (std::size_t i = 0; i < points->size(); i += 3)
        mesh.vertices.push_back(
            {(*points)[i] * scale.x, (*points)[i + 1] * scale.y, (*points)[i + 2] * scale.z});
    } else {
      std::string file = asset.text("file");
      if (compiler.strip_path) file = std::filesystem::path(file).filename().string();
      if (name.empty()) name = std::filesystem::path(file).stem().string();
      const std::string path =
          m.document.files().resolve(file, compiler.mesh_folder, asset.place());
      mesh = m.document.files().mesh(path, scale, asset.place());
    }
    if (shift != Transform{}) {
      for (Vec3& v : mesh.vertices) v = to_local(shift, v);
      if (!mesh.triangles.empty()) mesh = build_triangle_mesh(mesh.vertices, mesh.triangles);
    }
    try {
      const ShapeDescription hull = hull_of(mesh);
      if (!m.meshes.emplace(name, MjcfMesh{std::move(mesh), hull}).second)
        asset.fail("the name of the mesh is taken");
    } catch (const InvalidArgument& error) {
      asset.fail(fmt::format("the mesh has no convex hull: {}", error.what()));
    }
  }
}

} // namespace talus::robot
