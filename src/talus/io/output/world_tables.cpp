#include "talus/io/output/world_tables.h"

#include "talus/io/output/surface_mesh.h"
#include "talus/io/sensor.h"

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

void write_bodies(Hdf5File& file, const World& world) {
  std::string names;
  std::vector<std::int32_t> kinds;
  Vector masses, moments, references;
  for (const Body& body : world.bodies()) {
    names += body.name + '\n';
    kinds.push_back(static_cast<std::int32_t>(body.kind));
    masses.push_back(body.mass);
    append(moments, body.moments);
    append(references, body.reference());
  }
  const auto count = static_cast<std::size_t>(world.size());
  file.write_string("/bodies/names", names);
  file.write<std::int32_t>("/bodies/kind", kinds);
  file.write<double>("/bodies/mass", masses);
  file.write<double>("/bodies/moments", moments, {count, 3});
  file.write<double>("/bodies/reference", references, {count, 7});
}

void write_surface(Hdf5File& file, const WorldSurface& surface) {
  std::vector<float> points;
  std::vector<std::int32_t> triangles;
  for (const Vec3& p : surface.mesh.points)
    for (int k = 0; k < 3; ++k) points.push_back(static_cast<float>(p[k]));
  for (const Triangle& t : surface.mesh.triangles)
    triangles.insert(triangles.end(), t.begin(), t.end());
  const int level = points.empty() ? 0 : compression;
  file.write<float>("/surface/points", points, {points.size() / 3, 3}, level);
  file.write<std::int32_t>("/surface/triangles", triangles, {triangles.size() / 3, 3}, level);
  file.write<std::int32_t>("/surface/body", surface.body, {}, level);
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

void write_shapes(Hdf5File& file, const std::vector<PlacedShape>& shapes) {
  std::vector<std::int32_t> bodies, kinds, materials, first_triangles;
  Vector sizes, frames;
  for (const PlacedShape& placed : shapes) {
    bodies.push_back(placed.body);
    kinds.push_back(static_cast<std::int32_t>(kind_of(*placed.shape)));
    materials.push_back(placed.material);
    first_triangles.push_back(placed.first_triangle);
    append(sizes, std::visit(HalfSize{}, placed.shape->geometry));
    append(frames, frame_of(placed));
  }
  const int level = shapes.empty() ? 0 : compression;
  file.write<std::int32_t>("/shapes/body", bodies, {}, level);
  file.write<std::int32_t>("/shapes/kind", kinds, {}, level);
  file.write<std::int32_t>("/shapes/material", materials, {}, level);
  file.write<std::int32_t>("/shapes/first_triangle", first_triangles, {}, level);
  file.write<double>("/shapes/size", sizes, {shapes.size(), 3}, level);
  file.write<double>("/shapes/frame", frames, {shapes.size(), 7}, level);
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
    const Sensor sensor(description, world);
    for (const std::string& column : sensor.columns()) columns += column + '\n';
    for (const std::string& unit : sensor.units(world)) units += unit + '\n';
  }
  file.write_string("/sensors/columns", columns);
  file.write_string("/sensors/units", units);
}

void write_world_tables(Hdf5File& file, const World& world, double plane_side) {
  const WorldSurface surface = surface_of(world.bodies(), plane_side);
  write_bodies(file, world);
  write_surface(file, surface);
  write_shapes(file, surface.shapes);
  write_materials(file, world.materials);
  write_joints(file, world.joints());
  file.write<double>("/gravity", Vector{world.gravity.x, world.gravity.y, world.gravity.z});
}

} // namespace talus
