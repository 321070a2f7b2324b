#include "talus/shape/containers.h"

#include "talus/core/elementary.h"
#include "talus/core/error.h"
#include "talus/shape/require_positive.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace talus {
namespace {

/// A point of a cross-section in the half-plane through the axis.
struct ProfilePoint {
  double radius, z;
};

/// Turns a closed profile about the z axis in `segments` steps. The profile runs counter-clockwise
/// in the (radius, z) plane; radii are those of the inscribed circles.
ShapePtr revolve(const std::vector<ProfilePoint>& profile, int segments, std::string_view name) {
  if (segments < 3) {
    throw InvalidArgument(fmt::format("{}: needs at least 3 segments, not {}", name, segments));
  }
  const double corner = 1 / cosine(std::numbers::pi / segments);
  const auto points = static_cast<Index>(profile.size());
  std::vector<Vec3> vertices;
  for (int s = 0; s < segments; ++s) {
    const double angle = 2 * std::numbers::pi * s / segments;
    for (const auto& [radius, z] : profile) {
      vertices.push_back({corner * radius * cosine(angle), corner * radius * sine(angle), z});
    }
  }
  std::vector<Triangle> triangles;
  for (Index s = 0; s < segments; ++s) {
    const Index here = s * points, next = (s + 1) % segments * points;
    for (Index i = 0; i < points; ++i) {
      const Index j = (i + 1) % points;
      triangles.push_back({here + i, next + i, next + j});
      triangles.push_back({here + i, next + j, here + j});
    }
  }
  return make_triangle_mesh(std::move(vertices), std::move(triangles));
}

} // namespace

ShapePtr make_open_box(const Vec3& inner, double wall) {
  for (int i = 0; i < 3; ++i) require_positive(inner[i], "open_box", "each inner length");
  require_positive(wall, "open_box", "the wall");
  const Vec3 h = 0.5 * inner;
  const double w = wall / 2;
  const auto place = [](const Vec3& half, const Vec3& centre) {
    return Compound::Child{make_box(half), {centre, {}}};
  };
  const ShapePtr floor = make_box({h.x + wall, h.y + wall, w});
  return make_compound({{floor, {{0, 0, -w}, {}}},
                        place({w, h.y + wall, h.z}, {h.x + w, 0, h.z}),
                        place({w, h.y + wall, h.z}, {-h.x - w, 0, h.z}),
                        place({h.x, w, h.z}, {0, h.y + w, h.z}),
                        place({h.x, w, h.z}, {0, -h.y - w, h.z})});
}

ShapePtr make_cylinder_shell(double inner_radius, double height, double wall, int segments) {
  require_positive(inner_radius, "cylinder_shell", "the inner radius");
  require_positive(height, "cylinder_shell", "the height");
  require_positive(wall, "cylinder_shell", "the wall");
  const double outer = inner_radius + wall;
  return revolve({{inner_radius, 0}, {outer, 0}, {outer, height}, {inner_radius, height}}, segments,
                 "cylinder_shell");
}

ShapePtr make_hopper(double outlet_radius, double inlet_radius, double height, double rim,
                     double wall, int segments) {
  require_positive(outlet_radius, "hopper", "the outlet radius");
  require_positive(height, "hopper", "the height");
  require_positive(wall, "hopper", "the wall");
  require_positive(inlet_radius - outlet_radius, "hopper",
                   "the inlet radius minus the outlet radius");
  if (!(rim >= 0) || !std::isfinite(rim)) {
    throw InvalidArgument(fmt::format("hopper: the rim must not be negative, not {}", rim));
  }
  // The wall's thickness is measured across the cone, so that it is `wall` everywhere.
  const double slope = hypotenuse(inlet_radius - outlet_radius, height);
  const double shift = wall * slope / height;
  std::vector<ProfilePoint> profile = {
      {outlet_radius, 0}, {outlet_radius + shift, 0}, {inlet_radius + shift, height}};
  if (rim > 0) {
    profile.push_back({inlet_radius + shift, height + rim});
    profile.push_back({inlet_radius, height + rim});
  }
  profile.push_back({inlet_radius, height});
  return revolve(profile, segments, "hopper");
}

} // namespace talus
