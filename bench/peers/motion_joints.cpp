// Scenes of the race in motion whose bodies are joined.

#include "motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::peers {
namespace {

PeerBody sphere(double radius, double mass, const Vec3& position) {
  PeerBody body;
  body.radius = radius;
  body.mass = mass;
  body.position = position;
  return body;
}

/// Along x, y or z.
PeerBody capsule(double radius, double half_length, double mass, const Vec3& position, int axis) {
  PeerBody body = sphere(radius, mass, position);
  body.half_length = half_length;
  const double quarter = 0.5 * std::numbers::pi;
  if (axis == 0) body.rotation = exponential_map({0, quarter, 0});
  if (axis == 1) body.rotation = exponential_map({quarter, 0, 0});
  return body;
}

/// Ten bodies and nine ball joints: torso, head, and arms and legs of two limbs each.
void add_doll(const Vec3& centre, PeerScene& scene) {
  const Index torso = static_cast<Index>(scene.bodies.size());
  const auto add = [&](PeerBody body, Index to, const Vec3& joint) {
    body.position += centre;
    scene.bodies.push_back(body);
    scene.joints.push_back({to, static_cast<Index>(scene.bodies.size()) - 1, centre + joint});
  };
  PeerBody box;
  box.half = {0.1, 0.06, 0.15};
  box.mass = 20;
  box.position = centre;
  scene.bodies.push_back(box);
  add(sphere(0.07, 4, {0, 0, 0.24}), torso, {0, 0, 0.16});
  for (const double side : {-1.0, 1.0}) {
    add(capsule(0.03, 0.06, 2, {0.21 * side, 0, 0.12}, 0), torso, {0.11 * side, 0, 0.12});
    const Index upper_arm = static_cast<Index>(scene.bodies.size()) - 1;
    add(capsule(0.03, 0.06, 1.5, {0.41 * side, 0, 0.12}, 0), upper_arm, {0.31 * side, 0, 0.12});
    add(capsule(0.04, 0.08, 6, {0.06 * side, 0, -0.29}, 2), torso, {0.06 * side, 0, -0.16});
    const Index thigh = static_cast<Index>(scene.bodies.size()) - 1;
    add(capsule(0.04, 0.08, 4, {0.06 * side, 0, -0.55}, 2), thigh, {0.06 * side, 0, -0.42});
  }
}

} // namespace

/// Knots joined by links, held at one edge and let go from a level plane.
Motion chain_net(Index bodies) {
  const int side =
      std::max(2, static_cast<int>(std::lround(std::sqrt(static_cast<double>(bodies) / 3))));
  constexpr double pitch = 0.2, knot = 0.03, thin = 0.015, half = 0.045, height = 0.0;
  Motion motion;
  motion.name = "chain net";
  motion.seconds = 2;
  PeerScene& scene = motion.scene;
  const auto at = [&](double column, double row) {
    return Vec3{pitch * column, pitch * row, height};
  };
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      scene.bodies.push_back(sphere(knot, 0.2, at(column, row)));
  const auto link = [&](Index from, Index to, const Vec3& middle, int axis) {
    const Index own = static_cast<Index>(scene.bodies.size());
    scene.bodies.push_back(capsule(thin, half, 0.1, middle, axis));
    const Vec3 along = axis == 0 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const double reach = 0.5 * pitch - knot - 0.005;
    scene.joints.push_back({from, own, middle - reach * along});
    if (to >= 0) scene.joints.push_back({own, to, middle + reach * along});
  };
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      const Index knot_here = row * side + column;
      link(row == 0 ? -1 : knot_here - side, knot_here, at(column, row - 0.5), 1);
      if (column + 1 < side) link(knot_here, knot_here + 1, at(column + 0.5, row), 0);
    }
  const auto count = static_cast<Index>(scene.bodies.size());
  motion.observable = "mean height, m";
  motion.measure = [count](const Peer& peer) { return mean_height(peer, count); };
  return motion;
}

/// Dolls fall into a box.
Motion doll_heap(Index bodies) {
  const Index dolls = std::max<Index>(1, bodies / 10);
  const int wide =
      std::max(1, static_cast<int>(std::lround(std::cbrt(static_cast<double>(dolls) / 8))));
  const int deep = 4 * wide;
  constexpr double width = 1.1, depth = 0.3, height = 1.1;
  Motion motion;
  motion.name = "doll heap";
  motion.seconds = 2;
  motion.scene.planes = {{{0, 0, 1}, 0},
                         {{1, 0, 0}, 0},
                         {{-1, 0, 0}, -width * wide},
                         {{0, 1, 0}, 0},
                         {{0, -1, 0}, -depth * deep}};
  for (Index k = 0; k < dolls; ++k) {
    const auto across = static_cast<double>(k % wide), along = static_cast<double>(k / wide % deep),
               up = static_cast<double>(k / (wide * deep));
    add_doll({width * (across + 0.5), depth * (along + 0.5), height * up + 0.75}, motion.scene);
  }
  const auto count = static_cast<Index>(motion.scene.bodies.size());
  motion.observable = "mean height, m";
  motion.measure = [count](const Peer& peer) { return mean_height(peer, count); };
  return motion;
}

} // namespace talus::peers
