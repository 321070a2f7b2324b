#pragma once
// What does not move in a trajectory, as the viewer page wants it.

#include "data_package.h"
#include "talus/core/files/hdf5_file.h"

namespace talus::cli {

/// Bodies, shapes, materials and joints. Round shapes and boxes are sent as numbers, the others
/// with their triangles. Trajectories written before shapes were stored give the triangles of each
/// body.
DataPackage viewed_model(const Hdf5File& file);

} // namespace talus::cli
