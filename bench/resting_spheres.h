#pragma once
// About `count` touching spheres of radius 0.1 m at rest on a plane between four walls: hexagonal
// layers, each in the hollows of the layer below, numbered along the layers or at random. Where
// contacts have a finite stiffness (N/m), they have yet to sink into their places.

#include "talus/world/builders.h"
#include "talus/world/world.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace talus::bench {

enum class Numbering { layers, random };

inline World resting_spheres(Index count, Numbering numbering = Numbering::layers,
                             double stiffness = std::numeric_limits<double>::infinity()) {
  constexpr double radius = 0.1;
  const int side = static_cast<int>(std::lround(std::cbrt(static_cast<double>(count))));
  World world;
  const Index rough =
      world.add(Material{.name = "rough", .friction = 0.5, .stiffness = 2 * stiffness});
  const double width = 2 * radius * side + radius, depth = std::sqrt(3.0) * radius * side + radius;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})).of(rough));
  world.add(fixed_body("left").with(make_half_space({1, 0, 0}, -radius)).of(rough));
  world.add(fixed_body("right").with(make_half_space({-1, 0, 0}, -width)).of(rough));
  world.add(fixed_body("front").with(make_half_space({0, 1, 0}, -radius)).of(rough));
  world.add(fixed_body("back").with(make_half_space({0, -1, 0}, -depth)).of(rough));
  const ShapePtr sphere = make_sphere(radius);
  std::vector<Vec3> centres;
  for (int layer = 0; layer < side; ++layer)
    for (int row = 0; row < side; ++row)
      for (int k = 0; k < side; ++k) {
        const double shift = (row + layer) % 2 == 0 ? 0.0 : radius;
        centres.push_back({2 * radius * k + shift,
                           std::sqrt(3.0) * radius * row + (layer % 2) * radius / std::sqrt(3.0),
                           radius + layer * radius * std::sqrt(8.0 / 3.0)});
      }
  if (numbering == Numbering::random) std::ranges::shuffle(centres, std::mt19937_64(1));
  for (const Vec3& centre : centres) world.add(body().with(sphere).of(rough).mass(6.28).at(centre));
  return world;
}

} // namespace talus::bench
