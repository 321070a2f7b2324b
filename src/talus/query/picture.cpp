#include "talus/query/picture.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/core/parallel.h"
#include "talus/query/placed_leaf.h"
#include "talus/query/ray.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

using Colour = Vec3; // linear light, red, green, blue

/// Okabe and Ito's colours, which colour-blind people can tell apart, and a grey.
constexpr std::array<Colour, 8> palette = {Colour{0.79, 0.35, 0.00}, Colour{0.09, 0.46, 0.81},
                                           Colour{0.00, 0.34, 0.17}, Colour{0.87, 0.77, 0.05},
                                           Colour{0.00, 0.17, 0.45}, Colour{0.67, 0.11, 0.00},
                                           Colour{0.60, 0.19, 0.39}, Colour{0.35, 0.37, 0.40}};
constexpr Colour ground_colour{0.52, 0.53, 0.53}, line_colour{0.30, 0.31, 0.32};
constexpr Colour sky_low{0.86, 0.90, 0.95}, sky_high{0.42, 0.58, 0.80};
const Vec3 to_sun = normalized(Vec3{0.45, -0.6, 1.1});

Bounds bounded_part(const World& world) {
  Bounds all;
  for (const QueryLeaf& leaf : leaves_of(world))
    if (kind_of(*leaf.geometry) != ShapeKind::half_space) all.include(leaf.bounds);
  return all;
}

/// A smooth colour between two.
Colour mixed(const Colour& a, const Colour& b, double share) {
  return (1 - share) * a + share * b;
}

Colour sky(const Vec3& direction) {
  return mixed(sky_low, sky_high, std::clamp(direction.z, 0.0, 1.0));
}

/// What is the same for all pixels.
class Painter {
public:
  Painter(const World& world, const Camera& camera, const PictureOptions& options)
      : world_(world), options_(options), rays_(world), eye_(camera.eye),
        forward_(normalized(camera.target - camera.eye)) {
    const double half = camera.field_of_view / 2 * std::numbers::pi / 180;
    const double tangent = sine(half) / cosine(half);
    const Vec3 side = cross(forward_, camera.up);
    right_ = norm(side) > 1e-9 * norm(camera.up) ? normalized(side) : orthogonal_unit(forward_);
    up_ = cross(right_, forward_);
    // Pixels are squares.
    per_pixel_ = 2 * tangent / options.height;
    reach_ = norm(camera.target - camera.eye);
    grid_ = options.grid > 0 ? options.grid : power_of_ten(reach_ * tangent / 2);
  }

  Vec3 direction(double column, double row) const {
    return normalized(forward_ + (column - 0.5 * options_.width) * per_pixel_ * right_ -
                      (row - 0.5 * options_.height) * per_pixel_ * up_);
  }
  std::optional<RayHit> look(const Vec3& along) const { return rays_.cast(eye_, along); }

  Colour colour(const Vec3& along, const std::optional<RayHit>& hit) const {
    if (!hit) return sky(along);
    const Body& body = world_.bodies()[hit->body];
    const BodyShape& shape = body.shapes[static_cast<std::size_t>(hit->shape)];
    const bool is_plane = kind_of(*shape.shape) == ShapeKind::half_space;
    const Colour base = is_plane ? plane_colour(*hit) : body_colour(*hit, body, shape);
    const double facing = dot(hit->normal, to_sun);
    const double sun = facing > 0 && !in_shadow(*hit) ? facing : 0;
    const double from_sky = 0.5 + 0.5 * hit->normal.z;
    const Colour lit = (0.22 + 0.28 * from_sky + 0.72 * sun) * base;
    if (!is_plane) return lit;
    // Planes have no end: far away they turn into sky.
    const double far = hit->distance / (12 * reach_);
    return mixed(lit, sky_low, far * far / (1 + far * far));
  }

private:
  static double power_of_ten(double size) {
    double power = 1;
    while (power > size) power /= 10;
    while (power * 10 <= size) power *= 10;
    return power;
  }

  bool in_shadow(const RayHit& hit) const {
    if (!options_.shadows) return false;
    // Off the surface by more than rounding: shapes that touch must not shade themselves in spots.
    const double off = 1e-6 * reach_;
    return rays_.cast(hit.point + off * hit.normal, to_sun).has_value();
  }

  Colour body_colour(const RayHit& hit, const Body& body, const BodyShape& shape) const {
    if (options_.colours == PictureColours::material)
      return palette[static_cast<std::size_t>(shape.material) % palette.size()];
    if (body.kind == BodyKind::fixed) return palette.back();
    return palette[static_cast<std::size_t>(hit.body) % (palette.size() - 1)];
  }

  /// With lines along two directions of the plane, thinner than a pixel where it is far away.
  Colour plane_colour(const RayHit& hit) const {
    const Vec3 t = orthogonal_unit(hit.normal), o = cross(hit.normal, t);
    const double pixel = hit.distance * per_pixel_;
    double line = 0;
    for (const Vec3& axis : {t, o}) {
      const double place = dot(axis, hit.point) / grid_;
      const double from_line = std::abs(place - std::round(place)) * grid_;
      const double width = std::max(0.012 * grid_, 0.7 * pixel);
      if (from_line < width) line = std::max(line, std::min(1.0, 0.012 * grid_ / width + 0.3));
    }
    const double blur = pixel / (0.25 * grid_); // lines closer than pixels are grey
    return mixed(ground_colour, line_colour, line / (1 + blur * blur));
  }

  const World& world_;
  const PictureOptions& options_;
  RayCaster rays_;
  Vec3 eye_, forward_, right_, up_;
  double per_pixel_ = 0, grid_ = 1, reach_ = 1;
};

/// A display shows the square of what it is given, nearly.
std::uint8_t shown(double light) {
  return static_cast<std::uint8_t>(std::lround(255 * std::sqrt(std::clamp(light, 0.0, 1.0))));
}

void check(const Camera& camera, const PictureOptions& options) {
  if (!is_finite(camera.eye) || !is_finite(camera.target) || !is_finite(camera.up) ||
      !(norm(camera.target - camera.eye) > 0) || !(norm(camera.up) > 0))
    throw InvalidArgument("a camera needs an eye apart from its target, and a direction up");
  if (!(camera.field_of_view > 0 && camera.field_of_view < 180))
    throw InvalidArgument(fmt::format("field_of_view is {}, it must lie between 0 and 180 degrees",
                                      camera.field_of_view));
  const auto in_range = [](int value, int most) { return value >= 1 && value <= most; };
  if (!in_range(options.width, 8192) || !in_range(options.height, 8192))
    throw InvalidArgument(fmt::format("a picture of {} x {} pixels: 1 to 8192 are possible",
                                      options.width, options.height));
  if (!in_range(options.samples, 8))
    throw InvalidArgument(fmt::format("samples is {}, it must be 1 to 8", options.samples));
  if (!(options.grid >= 0) || std::isinf(options.grid))
    throw InvalidArgument(fmt::format("grid is {}, it must be finite, at least 0", options.grid));
}

} // namespace

Camera camera_for(const World& world, double aspect, const Vec3& direction) {
  if (!(aspect > 0) || !is_finite(direction) || !(norm(direction) > 0))
    throw InvalidArgument("a camera needs a direction and a positive aspect");
  Bounds bounds = bounded_part(world);
  if (bounds.empty()) bounds = {{-1, -1, -1}, {1, 1, 1}};
  Camera camera;
  camera.target = bounds.centre();
  const double radius = std::max(0.5 * norm(bounds.extents()), 1e-6);
  const double half = camera.field_of_view / 2 * std::numbers::pi / 180;
  const double narrow = sine(half) * std::min(1.0, aspect);
  camera.eye = camera.target + (1.02 * radius / narrow) * normalized(direction);
  return camera;
}

Picture draw(const World& world, const Camera& camera, const PictureOptions& options) {
  check(camera, options);
  Picture picture{options.width, options.height, {}, {}, {}};
  const auto pixels = static_cast<std::size_t>(options.width) * options.height;
  picture.rgb.resize(3 * pixels);
  picture.distance.resize(pixels);
  picture.body.resize(pixels);
  const Painter painter(world, camera, options);
  const int n = options.samples;
  parallel_for(
      options.height,
      [&](Index begin, Index end) {
        for (Index row = begin; row < end; ++row)
          for (int column = 0; column < options.width; ++column) {
            Colour sum;
            for (int k = 0; k < n * n; ++k) {
              const Vec3 along =
                  painter.direction(column + (k % n + 0.5) / n, row + (k / n + 0.5) / n);
              sum += painter.colour(along, painter.look(along));
            }
            const std::size_t at = static_cast<std::size_t>(row) * options.width + column;
            for (int i = 0; i < 3; ++i) picture.rgb[3 * at + i] = shown(sum[i] / (n * n));
            const auto middle = painter.look(painter.direction(column + 0.5, row + 0.5));
            picture.distance[at] = middle ? static_cast<float>(middle->distance)
                                          : std::numeric_limits<float>::infinity();
            picture.body[at] = middle ? middle->body : -1;
          }
      },
      4);
  return picture;
}

} // namespace talus
