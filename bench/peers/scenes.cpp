#include "scenes.h"

#include "settled_bed.h"
#include "talus_peer.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::peers {
namespace {

constexpr double radius = bench::bed_radius, sphere_mass = bench::bed_mass;

/// As many as along the sides, but large numbers of spheres are wide beds rather than towers.
int layers(Index count) {
  return std::min(16, static_cast<int>(std::lround(std::cbrt(static_cast<double>(count)))));
}

PeerScene loose_spheres(Index count) {
  const int height = layers(count);
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(count) / height)));
  const bench::Bed bed = bench::loose_bed(side, height);
  PeerScene scene;
  scene.planes = {{{0, 0, 1}, 0},
                  {{1, 0, 0}, 0},
                  {{-1, 0, 0}, -bed.width},
                  {{0, 1, 0}, 0},
                  {{0, -1, 0}, -bed.width}};
  for (const BodyState& sphere : bed.spheres) {
    PeerBody body;
    body.radius = radius;
    body.mass = sphere_mass;
    body.position = sphere.pose.position;
    scene.bodies.push_back(body);
  }
  return scene;
}

void take_state(const Simulation& simulation, PeerScene& scene) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyState& state = simulation.world().states()[scene.planes.size() + i];
    scene.bodies[i].position = state.pose.position;
    scene.bodies[i].rotation = state.pose.rotation;
    scene.bodies[i].velocity = state.velocity;
  }
  scene.settled = std::make_shared<SimulationState>(simulation.state());
}

PeerBody box(const Vec3& half, double mass, const Vec3& position) {
  PeerBody body;
  body.half = half;
  body.mass = mass;
  body.position = position;
  return body;
}

PeerScene on_floor(std::vector<PeerBody> bodies) {
  PeerScene scene;
  scene.planes = {{{0, 0, 1}, 0}};
  scene.bodies = std::move(bodies);
  return scene;
}

Trial tower(int height, double top_mass, const std::string& name, int steps) {
  std::vector<PeerBody> bodies;
  for (int k = 0; k < height; ++k)
    bodies.push_back(box({0.5, 0.5, 0.5}, k + 1 == height ? top_mass : 1.0, {0, 0, 0.5 + k}));
  return {name, on_floor(bodies), steps, {}};
}

Trial slab(int steps) {
  std::vector<PeerBody> bodies;
  for (int x = 0; x < 6; ++x)
    for (int y = 0; y < 6; ++y) {
      PeerBody sphere;
      sphere.radius = radius;
      sphere.mass = sphere_mass;
      sphere.position = {0.25 * x - 0.625, 0.25 * y - 0.625, radius};
      bodies.push_back(sphere);
    }
  bodies.push_back(box({0.8, 0.8, 0.5}, 16000, {0, 0, 2 * radius + 0.5}));
  return {"16 t slab on 36 spheres", on_floor(bodies), steps, {}};
}

/// A box slides along the diagonal of the axes until friction stops it after v²/(2 μ g).
Trial sliding(double step) {
  constexpr double speed = 3;
  PeerBody body = box({0.3, 0.3, 0.1}, 2, {0, 0, 0.1});
  body.velocity = {speed / std::sqrt(2.0), speed / std::sqrt(2.0), 0};
  Trial trial{"sliding box, diagonal", on_floor({body}), static_cast<int>(1.5 / step), {}};
  const double distance = speed * speed / (2 * trial.scene.friction * 9.81);
  trial.truth_error = [=](const Peer& peer) {
    const Vec3 p = peer.position(0);
    return std::abs(std::hypot(p.x, p.y) - distance) / distance;
  };
  return trial;
}

/// A sphere set sliding ends rolling at 5/7 of its speed.
Trial rolling(double step) {
  constexpr double speed = 3;
  PeerBody body;
  body.radius = 0.2;
  body.mass = 2;
  body.position = {0, 0, 0.2};
  body.velocity = {speed / std::sqrt(2.0), speed / std::sqrt(2.0), 0};
  Trial trial{"sphere from sliding to rolling", on_floor({body}), static_cast<int>(1 / step), {}};
  trial.truth_error = [](const Peer& peer) {
    const Vec3 v = peer.velocity(0);
    return std::abs(std::hypot(v.x, v.y) - 5.0 / 7 * speed) / speed;
  };
  return trial;
}

/// A box on an incline of tan = 0.8 μ stays where it is.
Trial incline(double step) {
  Trial trial{"box on an incline at 0.8 mu",
              on_floor({box({0.3, 0.3, 0.3}, 2, {0, 0, 0.3})}),
              static_cast<int>(2 / step),
              {}};
  const double slope = std::atan(0.8 * trial.scene.friction), across = slope / std::sqrt(2.0);
  trial.scene.gravity = {9.81 * std::sin(slope) * across / slope,
                         9.81 * std::sin(slope) * across / slope, -9.81 * std::cos(slope)};
  return trial;
}

} // namespace

PeerScene settled_spheres(Index count, int most_steps) {
  PeerScene scene = loose_spheres(count);
  Simulation simulation(world_of(scene), {.step = 1.0 / 240});
  bench::fall(simulation, layers(count));
  bench::settle(simulation, most_steps);
  take_state(simulation, scene);
  return scene;
}

PeerScene settled_further(PeerScene scene, double step, int most_steps) {
  Simulation simulation(world_of(scene), {.step = step});
  simulation.restore(*scene.settled);
  bench::settle(simulation, most_steps);
  take_state(simulation, scene);
  return scene;
}

std::vector<Trial> trials(double step) {
  const int two_seconds = static_cast<int>(2 / step);
  std::vector<Trial> all;
  for (int height : {10, 20, 40})
    all.push_back(tower(height, 1.0, fmt::format("tower of {} boxes", height), two_seconds));
  all.push_back(tower(10, 1000.0, "column of 10, 1000:1", two_seconds));
  all.push_back(slab(two_seconds));
  all.push_back(sliding(step));
  all.push_back(rolling(step));
  all.push_back(incline(step));
  return all;
}

} // namespace talus::peers
