#pragma once
// What a trajectory says of the world besides its motion: bodies, shapes, surfaces, materials and
// joints, as the HDF5 datasets described in docs/output.md.

#include "talus/core/files/hdf5_file.h"
#include "talus/io/output/surface_mesh.h"
#include "talus/io/world_description.h"

namespace talus {

/// How much there is in the tables of bodies, shapes and surfaces.
struct TableSizes {
  std::size_t bodies = 0, shapes = 0, points = 0, triangles = 0;

  void include(std::span<const Body> more, const WorldSurface& surface);
};

/// Fills the tables of bodies, shapes and surfaces, some bodies at a time, in their order.
class BodyTablesWriter {
public:
  BodyTablesWriter(Hdf5File& file, const TableSizes& sizes);
  /// The next bodies, with surface_of() them.
  void add(std::span<const Body> bodies, const WorldSurface& surface);
  /// The names, which are one text.
  void finish();

private:
  void add_bodies(std::span<const Body> bodies);
  void add_surface(const WorldSurface& surface);
  void add_shapes(const std::vector<PlacedShape>& shapes);

  Hdf5File& file_;
  TableSizes done_;
  std::string names_;
};

/// Materials, joints, gravity. The bodies of the joints have the numbers of the whole world.
void write_common_tables(Hdf5File& file, const MaterialTable& materials,
                         std::span<const Joint> joints, const Vec3& gravity);

/// All of these. Half-spaces become squares with side `plane_side` in the surfaces.
void write_world_tables(Hdf5File& file, const World& world, double plane_side);

/// The columns that sensors.csv has besides step and time, with their units. The world must have
/// the joints that the sensors name.
void write_sensor_columns(Hdf5File& file, std::span<const SensorDescription> sensors,
                          const World& world);

} // namespace talus
