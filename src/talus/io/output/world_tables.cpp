#include "talus/io/output/world_tables.h"

#include "talus/core/error.h"
#include "talus/io/sensor.h"

#include <fmt/format.h>

#include <limits>

namespace talus {

namespace {

constexpr int compression = 4;

void append(Vector& numbers, const Vec3& v) {
  numbers.insert(numbers.end(), {v.x, v.y, v.z});
}

void append(Vector& numbers, const Transform& t) {
  append(numbers, t.position);
  numbers.insert(numbers.end(), {t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z});
}

/// Half extents along the axes of the shape frame; of capsules the straight part's half length.
struct HalfSize {
  Vec3 operator()(const Sphere& s) const { return {s.radius, s.radius, s.radius}; }
  Vec3 operator()(const Box& s) const { return s.half_extents; }
  Vec3 operator()(const Capsule& s) const { return {s.radius, s.radius, s.half_length}; }
  Vec3 operator()(const Cylinder& s) const { return {s.radius, s.radius, s.half_length}; }
  Vec3 operator()(const Ellipsoid& s) const { return s.radii; }
  template <class Other>
  Vec3 operator()(const Other&) const {
    return {};
  }
};

/// Planes get a frame on the plane with z along the normal, which says all of them.
Transform frame_of(const PlacedShape& placed) {
  const auto* plane = std::get_if<HalfSpace>(&placed.shape->geometry);
  if (!plane) return placed.pose;
  return placed.pose *
         Transform{plane->offset * plane->normal, rotation_between({0, 0, 1}, plane->normal)};
}

void write_cohesion(Hdf5File& file, const MaterialTable& materials) {
  Vector force, stress, range;
  for (Index i = 0; i < materials.size(); ++i) {
    force.push_back(materials[i].cohesion.force);
    stress.push_back(materials[i].cohesion.stress);
    range.push_back(materials[i].cohesion.range);
  }
  file.write<double>("/materials/cohesion_force", force);
  file.write<double>("/materials/cohesion_stress", stress);
  file.write<double>("/materials/cohesion_range", range);
}

void write_materials(Hdf5File& file, const MaterialTable& materials) {
  std::string names;
  Vector friction, restitution, stiffness, rolling, spinning, ratio, young, poisson;
  for (Index i = 0; i < materials.size(); ++i) {
    names += materials[i].name + '\n';
    friction.push_back(materials[i].friction);
    restitution.push_back(materials[i].restitution);
    stiffness.push_back(materials[i].stiffness);
    rolling.push_back(materials[i].rolling);
    spinning.push_back(materials[i].spinning);
    ratio.push_back(materials[i].tangential_ratio);
    young.push_back(materials[i].young);
    poisson.push_back(materials[i].poisson);
  }
  file.write_string("/materials/names", names);
  file.write<double>("/materials/friction", friction);
  file.write<double>("/materials/restitution", restitution);
  file.write<double>("/materials/stiffness", stiffness);
  file.write<double>("/materials/rolling", rolling);
  file.write<double>("/materials/spinning", spinning);
  file.write<double>("/materials/tangential_ratio", ratio);
  file.write<double>("/materials/young", young);
  file.write<double>("/materials/poisson", poisson);
  if (materials.is_cohesive()) write_cohesion(file, materials);
}

void write_joints(Hdf5File& file, std::span<const Joint> joints) {
  std::string names, kind_names;
  std::vector<std::int32_t> kinds, bodies;
  Vector frames_a, frames_b, springs;
  for (const Joint& joint : joints) {
    names += joint.name + '\n';
    kind_names += std::string(to_string(joint.kind)) + '\n';
    kinds.push_back(static_cast<std::int32_t>(joint.kind));
    bodies.insert(bodies.end(), {joint.body_a, joint.body_b});
    append(frames_a, joint.frame_a);
    append(frames_b, joint.frame_b);
    springs.push_back(joint.spring ? joint.spring->stiffness : 0);
  }
  file.write_string("/joints/names", names);
  file.write_string("/joints/kind_names", kind_names);
  file.write<std::int32_t>("/joints/kind", kinds);
  file.write<std::int32_t>("/joints/bodies", bodies, {joints.size(), 2});
  file.write<double>("/joints/frame_a", frames_a, {joints.size(), 7});
  file.write<double>("/joints/frame_b", frames_b, {joints.size(), 7});
  file.write<double>("/joints/spring", springs);
}

} // namespace

void write_sensor_columns(Hdf5File& file, std::span<const SensorDescription> sensors,
                          const World& world) {
  std::string columns, units;
  for (const SensorDescription& description : sensors) {
    for (const std::string& column : columns_of(description)) columns += column + '\n';
    for (const std::string& unit : units_of(description, world)) units += unit + '\n';
  }
  file.write_string("/sensors/columns", columns);
  file.write_string("/sensors/units", units);
}

void TableSizes::include(std::span<const Body> more, const WorldSurface& surface) {
  bodies += more.size();
  shapes += surface.shapes.size();
  points += surface.mesh.points.size();
  triangles += surface.mesh.triangles.size();
}

BodyTablesWriter::BodyTablesWriter(Hdf5File& file, const TableSizes& sizes) : file_(file) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (std::max(sizes.points, sizes.triangles) > most)
    throw InvalidArgument(fmt::format("the surfaces of all bodies have {} points and {} triangles; "
                                      "a trajectory holds at most {} (leave it out of "
                                      "`output.formats`)",
                                      sizes.points, sizes.triangles, most));
  const auto [bodies, shapes, points, triangles] = sizes;
  file.make<std::int32_t>("/bodies/kind", {bodies});
  file.make<double>("/bodies/mass", {bodies});
  file.make<double>("/bodies/moments", {bodies, 3});
  file.make<double>("/bodies/reference", {bodies, 7});
  const int surface_level = points == 0 ? 0 : compression, level = shapes == 0 ? 0 : compression;
  file.make<float>("/surface/points", {points, 3}, surface_level);
  file.make<std::int32_t>("/surface/triangles", {triangles, 3}, surface_level);
  file.make<std::int32_t>("/surface/body", {points}, surface_level);
  for (const char* name : {"/shapes/body", "/shapes/kind", "/shapes/material"})
    file.make<std::int32_t>(name, {shapes}, level);
  file.make<std::int32_t>("/shapes/first_triangle", {shapes}, level);
  file.make<double>("/shapes/size", {shapes, 3}, level);
  file.make<double>("/shapes/frame", {shapes, 7}, level);
}

void BodyTablesWriter::add(std::span<const Body> bodies, const WorldSurface& surface) {
  add_bodies(bodies);
  add_surface(surface);
  add_shapes(surface.shapes);
  done_.include(bodies, surface);
}

void BodyTablesWriter::finish() {
  file_.write_string("/bodies/names", names_);
  names_ = {};
}

void BodyTablesWriter::add_bodies(std::span<const Body> bodies) {
  std::vector<std::int32_t> kinds;
  Vector masses, moments, references;
  for (const Body& body : bodies) {
    names_ += body.name + '\n';
    // After a restart bodies may be removed; the table says what they were.
    const BodyKind kind = body.removed ? body.extras.get().kind_before_removal : body.kind;
    kinds.push_back(static_cast<std::int32_t>(kind));
    masses.push_back(body.mass);
    append(moments, body.moments);
    append(references, body.reference());
  }
  file_.write_rows<std::int32_t>("/bodies/kind", done_.bodies, kinds);
  file_.write_rows<double>("/bodies/mass", done_.bodies, masses);
  file_.write_rows<double>("/bodies/moments", done_.bodies, moments);
  file_.write_rows<double>("/bodies/reference", done_.bodies, references);
}

void BodyTablesWriter::add_surface(const WorldSurface& surface) {
  std::vector<float> points;
  std::vector<std::int32_t> triangles, bodies;
  for (const Vec3& p : surface.mesh.points)
    for (int k = 0; k < 3; ++k) points.push_back(static_cast<float>(p[k]));
  const auto first_point = static_cast<std::int32_t>(done_.points);
  for (const Triangle& t : surface.mesh.triangles)
    for (const Index corner : t) triangles.push_back(first_point + corner);
  const auto first_body = static_cast<std::int32_t>(done_.bodies);
  for (const Index body : surface.body) bodies.push_back(first_body + body);
  file_.write_rows<float>("/surface/points", done_.points, points);
  file_.write_rows<std::int32_t>("/surface/triangles", done_.triangles, triangles);
  file_.write_rows<std::int32_t>("/surface/body", done_.points, bodies);
}

void BodyTablesWriter::add_shapes(const std::vector<PlacedShape>& shapes) {
  std::vector<std::int32_t> bodies, kinds, materials, first_triangles;
  Vector sizes, frames;
  for (const PlacedShape& placed : shapes) {
    bodies.push_back(static_cast<std::int32_t>(done_.bodies) + placed.body);
    kinds.push_back(static_cast<std::int32_t>(kind_of(*placed.shape)));
    materials.push_back(placed.material);
    first_triangles.push_back(static_cast<std::int32_t>(done_.triangles) + placed.first_triangle);
    append(sizes, std::visit(HalfSize{}, placed.shape->geometry));
    append(frames, frame_of(placed));
  }
  file_.write_rows<std::int32_t>("/shapes/body", done_.shapes, bodies);
  file_.write_rows<std::int32_t>("/shapes/kind", done_.shapes, kinds);
  file_.write_rows<std::int32_t>("/shapes/material", done_.shapes, materials);
  file_.write_rows<std::int32_t>("/shapes/first_triangle", done_.shapes, first_triangles);
  file_.write_rows<double>("/shapes/size", done_.shapes, sizes);
  file_.write_rows<double>("/shapes/frame", done_.shapes, frames);
}

void write_common_tables(Hdf5File& file, const MaterialTable& materials,
                         std::span<const Joint> joints, const Vec3& gravity) {
  write_materials(file, materials);
  write_joints(file, joints);
  file.write<double>("/gravity", Vector{gravity.x, gravity.y, gravity.z});
}

void write_world_tables(Hdf5File& file, const World& world, double plane_side) {
  const WorldSurface surface = surface_of(world.bodies(), plane_side);
  TableSizes sizes;
  sizes.include(world.bodies(), surface);
  BodyTablesWriter bodies(file, sizes);
  bodies.add(world.bodies(), surface);
  bodies.finish();
  write_common_tables(file, world.materials, world.joints(), world.gravity);
}

} // namespace talus
