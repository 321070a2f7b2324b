#pragma once
// Pictures of a world as it lies, by rays: colours with a sun and its shadows, distances, and which
// body each pixel shows. They need no graphics card and no browser, and have the same bits
// everywhere.

#include "talus/world/world.h"

#include <cstdint>
#include <vector>

namespace talus {

struct Camera {
  Vec3 eye{3, -4, 3}, target;
  Vec3 up{0, 0, 1};
  double field_of_view = 40; ///< From the lowest to the highest row, degrees.
};

/// One that shows all bounded shapes, from the front, to the side and from above: with `direction`
/// from the target to the eye.
Camera camera_for(const World& world, double aspect = 4.0 / 3,
                  const Vec3& direction = {1, -1.6, 0.9});

enum class PictureColours { body, material };

struct PictureOptions {
  int width = 640, height = 480; ///< From 1 to 8192.
  int samples = 2;               ///< Rays per pixel in each direction, for smooth edges; 1 to 8.
  bool shadows = true;
  PictureColours colours = PictureColours::body;
  double grid = 0; ///< Distance of the lines on planes, m; 0: a power of ten that fits the picture.
};

/// Rows from the top, pixels from the left.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
  /// Along the line of sight of the middle of each pixel, m; infinite where nothing is met.
  std::vector<float> distance;
  std::vector<std::int32_t> body; ///< -1 where nothing is met.
};

/// Throws InvalidArgument for a camera without direction and for sizes out of range. Threads are
/// those of the surrounding with_threads; the picture does not depend on them.
Picture draw(const World& world, const Camera& camera, const PictureOptions& options = {});

} // namespace talus
