// Whole time steps of resting spheres: body-steps per second at 1k, 10k and 100k, split into
// phases. Layers of touching spheres (hexagonal, each in the hollows of the layer below, numbered
// along the layers) rest on a plane between four walls; after two warm-up steps, five are timed.
// Solves are asked for an error of 1e-2 and stopped after 30 iterations, so that every size does
// comparable work; the column `error` says what was reached.

#include "talus/step/simulation.h"
#include "talus/world/builders.h"

#include <fmt/format.h>

#include <cmath>

namespace {

using namespace talus;

World resting_spheres(Index count) {
  constexpr double radius = 0.1;
  const int side = static_cast<int>(std::lround(std::cbrt(static_cast<double>(count))));
  World world;
  const Index rough = world.add(Material{.name = "rough", .friction = 0.5});
  const double width = 2 * radius * side + radius, depth = std::sqrt(3.0) * radius * side + radius;
  world.add(fixed_body("floor").with(make_half_space({0, 0, 1})).of(rough));
  world.add(fixed_body("left").with(make_half_space({1, 0, 0}, -radius)).of(rough));
  world.add(fixed_body("right").with(make_half_space({-1, 0, 0}, -width)).of(rough));
  world.add(fixed_body("front").with(make_half_space({0, 1, 0}, -radius)).of(rough));
  world.add(fixed_body("back").with(make_half_space({0, -1, 0}, -depth)).of(rough));
  const ShapePtr sphere = make_sphere(radius);
  for (int layer = 0; layer < side; ++layer)
    for (int row = 0; row < side; ++row)
      for (int k = 0; k < side; ++k) {
        const double shift = (row + layer) % 2 == 0 ? 0.0 : radius;
        const Vec3 centre{2 * radius * k + shift,
                          std::sqrt(3.0) * radius * row + (layer % 2) * radius / std::sqrt(3.0),
                          radius + layer * radius * std::sqrt(8.0 / 3.0)};
        world.add(body().with(sphere).of(rough).mass(6.28).at(centre));
      }
  return world;
}

void measure(Index spheres, int threads) {
  StepOptions options;
  options.tolerance = 1e-2;
  options.max_iterations = 30;
  options.threads = threads;
  Simulation simulation(resting_spheres(spheres), options);
  for (int k = 0; k < 2; ++k) simulation.step();
  RunSummary summary;
  for (int k = 0; k < 5; ++k) summary.include(simulation.step());
  const double bodies = static_cast<double>(simulation.world().size()) * 5;
  const auto micro = [&](double seconds) { return 1e6 * seconds / bodies; };
  fmt::print("{:>8} {:>9.0f} {:>8} {:>14.0f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>11} {:>9.1e}\n",
             simulation.world().size(), summary.contacts_mean, threads, bodies / summary.seconds,
             micro(summary.seconds_collide), micro(summary.seconds_build),
             micro(summary.seconds_solve), micro(summary.seconds_advance), summary.iterations,
             summary.error_max);
}

} // namespace

int main() {
  fmt::print("{:>8} {:>9} {:>8} {:>14} {:>39}\n", "", "", "", "body-steps",
             "microseconds per body and step");
  fmt::print("{:>8} {:>9} {:>8} {:>14} {:>9} {:>9} {:>9} {:>9} {:>11} {:>9}\n", "bodies",
             "contacts", "threads", "per second", "collide", "build", "solve", "advance",
             "iterations", "error");
  for (Index spheres : {1000, 10000, 100000})
    for (int threads : {1, 2}) measure(spheres, threads);
}
