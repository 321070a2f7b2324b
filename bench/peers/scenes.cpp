#include "scenes.h"

#include "talus/step/simulation.h"
#include "talus_peer.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace talus::peers {
namespace {

constexpr double radius = 0.1, sphere_mass = 6.28;

/// As many as along the sides, but large numbers of spheres are wide beds rather than towers.
int layers(Index count) {
  return std::min(16, static_cast<int>(std::lround(std::cbrt(static_cast<double>(count)))));
}

/// Staggered layers with a little noise, a hair apart: they fall into a packing at once.
PeerScene loose_spheres(Index count) {
  const int height = layers(count);
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(count) / height)));
  const double gap = 2.02 * radius, width = gap * side + radius;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> noise(-0.02 * radius, 0.02 * radius);
  PeerScene scene;
  scene.planes = {
      {{0, 0, 1}, 0}, {{1, 0, 0}, 0}, {{-1, 0, 0}, -width}, {{0, 1, 0}, 0}, {{0, -1, 0}, -width}};
  for (int z = 0; z < height; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const double shift = z % 2 == 0 ? 0 : 0.5 * gap;
        PeerBody body;
        body.radius = radius;
        body.mass = sphere_mass;
        body.position = Vec3{1.05 * radius + gap * x + shift, 1.05 * radius + gap * y + shift,
                             1.05 * radius + 0.75 * gap * z} +
                        Vec3{noise(random), noise(random), noise(random)};
        // The shift of odd layers would put their last row into the wall.
        body.position.x = std::min(body.position.x, width - 1.01 * radius);
        body.position.y = std::min(body.position.y, width - 1.01 * radius);
        scene.bodies.push_back(body);
      }
  return scene;
}

StepOptions settling_options(double step) {
  StepOptions options;
  options.step = step;
  options.tolerance = 1e-2;
  options.max_iterations = 50;
  return options;
}

/// Root mean square of all bodies.
double speed(const World& world) {
  double squares = 0;
  for (const BodyState& state : world.states()) squares += dot(state.velocity, state.velocity);
  return std::sqrt(squares / static_cast<double>(world.states().size()));
}

/// A drag under which piles come to rest though their steps are not solved well.
void slow_down(World& world) {
  constexpr double share = 0.7;
  for (BodyState& state : world.states()) {
    state.velocity = share * state.velocity;
    state.angular_velocity = share * state.angular_velocity;
  }
}

/// With drag until they move by little against what gravity adds in a step, then without.
void settle(Simulation& simulation, int most_steps) {
  constexpr int free_steps = 40;
  const double at_rest = 0.025 * 9.81 * simulation.options().step;
  for (int k = 0; k < most_steps && speed(simulation.world()) > at_rest; ++k) {
    slow_down(simulation.world());
    simulation.step();
  }
  for (int k = 0; k < free_steps; ++k) simulation.step();
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
  Simulation simulation(world_of(scene), settling_options(1.0 / 240));
  for (int k = 0; k < 4 * layers(count); ++k) simulation.step(); // they fall: drag would hold them
  settle(simulation, most_steps);
  take_state(simulation, scene);
  return scene;
}

PeerScene settled_further(PeerScene scene, double step, int most_steps) {
  Simulation simulation(world_of(scene), settling_options(step));
  simulation.restore(*scene.settled);
  settle(simulation, most_steps);
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
