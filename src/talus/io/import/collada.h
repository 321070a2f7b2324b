#pragma once
// Triangles of COLLADA files (.dae): positions, triangles, polygons and the transformations of the
// scene's nodes. Materials, animations and skins play no role in collisions and are skipped.

#include "talus/shape/triangle_mesh.h"

#include <string>

namespace talus::robot {

/// The scene of the file in metres with z up. `path` appears in messages. Throws FileError.
TriangleMesh parse_collada(const std::string& path, const std::string& text);

} // namespace talus::robot
