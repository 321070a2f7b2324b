#include "motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace talus::peers {
double mean_height(const Peer& peer, Index bodies) {
  double sum = 0;
  for (Index i = 0; i < bodies; ++i) sum += peer.position(i).z;
  return sum / static_cast<double>(bodies);
}

namespace {

constexpr double radius = 0.1; // m; of all bodies about

enum class Kind { sphere, box, capsule, octahedron };

/// 6.28 kg each, as the spheres of the settled beds.
PeerBody body_of(Kind kind) {
  PeerBody body;
  body.mass = 6.28;
  if (kind == Kind::box) {
    body.half = {radius, 0.8 * radius, 0.6 * radius};
  } else if (kind == Kind::octahedron) {
    body.half = {1.3 * radius, 1.1 * radius, 0.9 * radius};
    body.is_octahedron = true;
  } else {
    body.radius = kind == Kind::sphere ? radius : 0.6 * radius;
    body.half_length = kind == Kind::sphere ? 0 : 0.5 * radius;
  }
  return body;
}

/// A loose lattice, turned at random: no body touches another. The first corner is at `corner`.
std::vector<PeerBody> lattice(Kind kind, Index count, int side, const Vec3& corner) {
  const double gap = 2.8 * radius;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> noise(-0.05 * radius, 0.05 * radius), turn(-1, 1);
  std::vector<PeerBody> bodies;
  for (Index k = 0; k < count; ++k) {
    PeerBody body = body_of(kind);
    const auto along = static_cast<double>(k % side), across = static_cast<double>(k / side % side),
               up = static_cast<double>(k / (side * side));
    body.position =
        corner + gap * Vec3{along, across, up} + Vec3{noise(random), noise(random), noise(random)};
    const double w = turn(random), x = turn(random), y = turn(random), z = turn(random);
    if (kind != Kind::sphere) body.rotation = normalized(Quaternion{w, x, y, z});
    bodies.push_back(body);
  }
  return bodies;
}

int side_of(Index count) {
  return std::max(2, static_cast<int>(std::lround(std::cbrt(static_cast<double>(count)))));
}

Motion falling(Kind kind, Index count, const std::string& name) {
  const int side = side_of(count);
  const double width = 2.8 * radius * side;
  Motion motion;
  motion.name = name;
  motion.seconds = 2;
  motion.scene.planes = {
      {{0, 0, 1}, 0}, {{1, 0, 0}, 0}, {{-1, 0, 0}, -width}, {{0, 1, 0}, 0}, {{0, -1, 0}, -width}};
  const double first = 1.4 * radius;
  motion.scene.bodies = lattice(kind, count, side, {first, first, first});
  motion.observable = "mean height, m";
  motion.measure = [count](const Peer& peer) { return mean_height(peer, count); };
  return motion;
}

/// Half filled, seen from the drum: gravity goes round it. At such a speed the centrifugal force,
/// which is left out, is below 2 % of gravity.
Motion drum(Index count) {
  const int side = side_of(count) + 1; // no more layers than fit
  const double width = 2.8 * radius * side, inner = 0.75 * width, speed = 0.5; // m, m, rad/s
  constexpr int facets = 12;
  Motion motion;
  motion.name = "rotating drum";
  motion.seconds = 4;
  motion.scene.planes = {{{0, 1, 0}, 0}, {{0, -1, 0}, -width}};
  for (int k = 0; k < facets; ++k) {
    const double angle = 2 * std::numbers::pi * k / facets;
    motion.scene.planes.push_back({{-std::cos(angle), 0, -std::sin(angle)}, -inner});
  }
  const double first = 1.4 * radius, half = 0.5 * 2.8 * radius * (side - 1);
  motion.scene.bodies = lattice(Kind::sphere, count, side, {-half, first, -half});
  const auto gravity = [=](double time) {
    return Vec3{9.81 * std::sin(speed * time), 0, -9.81 * std::cos(speed * time)};
  };
  motion.gravity = gravity;
  motion.observable = "angle of the heap, degrees";
  motion.measure = [count, gravity, end = motion.seconds](const Peer& peer) {
    Vec3 centre{};
    for (Index i = 0; i < count; ++i) centre += peer.position(i);
    const Vec3 down = gravity(end);
    const double across = centre.x * down.z - centre.z * down.x;
    return std::atan2(std::abs(across), dot(centre, down)) * 180 / std::numbers::pi;
  };
  return motion;
}

/// Spheres above a square funnel between four walls; its sides are fixed boxes at 60 degrees.
Motion hourglass(Index count) {
  const int side = side_of(count);
  constexpr double outlet = 4 * radius, thickness = radius, height = 12 * radius; // half width
  const double half = 0.5 * 2.8 * radius * side, slope = std::numbers::pi / 3;
  const double top = height + (half - outlet) * std::tan(slope);
  Motion motion;
  motion.name = "hourglass";
  motion.seconds = 3;
  motion.scene.planes = {{{0, 0, 1}, 0},
                         {{1, 0, 0}, -half},
                         {{-1, 0, 0}, -half},
                         {{0, 1, 0}, -half},
                         {{0, -1, 0}, -half}};
  for (int k = 0; k < 4 && half > outlet; ++k) {
    const Quaternion turn = exponential_map({0, 0, 0.5 * std::numbers::pi * k});
    const Quaternion tilt = exponential_map({0, -slope, 0});
    PeerBody wall;
    wall.half = {0.5 * (half - outlet) / std::cos(slope), half, thickness};
    const Vec3 middle{0.5 * (outlet + half), 0, 0.5 * (height + top)};
    wall.rotation = turn * tilt;
    wall.position = rotate(turn, middle + rotate(tilt, {0, 0, -thickness}));
    motion.scene.obstacles.push_back(wall);
  }
  const double first = 1.4 * radius - half;
  motion.scene.bodies = lattice(Kind::sphere, count, side, {first, first, top + 1.4 * radius});
  motion.observable = "share of grains below the outlet";
  motion.measure = [count](const Peer& peer) {
    double through = 0;
    for (Index i = 0; i < count; ++i) through += peer.position(i).z < height;
    return through / static_cast<double>(count);
  };
  return motion;
}

/// A tall column without walls.
Motion column(Index count) {
  const int side = std::max(2, side_of(count) / 2);
  Motion motion;
  motion.name = "column collapse";
  motion.seconds = 2;
  motion.scene.planes = {{{0, 0, 1}, 0}};
  motion.scene.bodies = lattice(Kind::sphere, count, side, {0, 0, 1.4 * radius});
  const double middle = 0.5 * 2.8 * radius * (side - 1);
  motion.observable = "mean distance from the axis, m";
  motion.measure = [count, middle](const Peer& peer) {
    double sum = 0;
    for (Index i = 0; i < count; ++i) {
      const Vec3 p = peer.position(i);
      sum += std::hypot(p.x - middle, p.y - middle);
    }
    return sum / static_cast<double>(count);
  };
  return motion;
}

/// A row of dominoes, of which the first leans over its edge.
Motion dominoes(Index count) {
  const Vec3 half{0.02, 0.1, 0.2};
  Motion motion;
  motion.name = "domino run";
  motion.seconds = 2;
  motion.scene.planes = {{{0, 0, 1}, 0}};
  for (Index k = 0; k < count; ++k) {
    PeerBody body;
    body.half = half;
    body.mass = 0.5;
    body.position = {0.2 * static_cast<double>(k), 0, half.z};
    motion.scene.bodies.push_back(body);
  }
  constexpr double lean = 0.2; // rad, about the lower edge ahead
  PeerBody& first = motion.scene.bodies.front();
  first.rotation = exponential_map({0, lean, 0});
  first.position = Vec3{half.x, 0, 0} + rotate(first.rotation, {-half.x, 0, half.z});
  motion.observable = "dominoes that fell";
  motion.measure = [count](const Peer& peer) {
    double fallen = 0;
    for (Index i = 0; i < count; ++i) fallen += rotate(peer.rotation(i), {0, 0, 1}).z < 0.86;
    return fallen;
  };
  return motion;
}

} // namespace

std::vector<Motion> motions(Index bodies) {
  return {falling(Kind::sphere, bodies, "falling spheres"),
          falling(Kind::box, bodies, "falling boxes"),
          falling(Kind::capsule, bodies, "falling capsules"),
          falling(Kind::octahedron, bodies, "falling hulls"),
          hourglass(bodies),
          drum(bodies),
          column(bodies),
          chain_net(bodies),
          doll_heap(bodies),
          dominoes(std::min<Index>(bodies, 100))};
}

} // namespace talus::peers
