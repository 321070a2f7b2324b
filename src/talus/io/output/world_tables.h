#pragma once
// What a trajectory says of the world besides its motion: bodies, shapes, surfaces, materials and
// joints, as the HDF5 datasets described in docs/output.md.

#include "talus/core/files/hdf5_file.h"
#include "talus/io/world_description.h"

namespace talus {

/// Half-spaces become squares with side `plane_side` in the surfaces.
void write_world_tables(Hdf5File& file, const World& world, double plane_side);

/// The columns that sensors.csv has besides step and time, with their units.
void write_sensor_columns(Hdf5File& file, std::span<const SensorDescription> sensors,
                          const World& world);

} // namespace talus
