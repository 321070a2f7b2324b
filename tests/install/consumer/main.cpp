// A ball falls on the floor and lies there.
#include <cmath>
#include <talus/step/simulation.h>

int main() {
  talus::World world;
  world.add(talus::fixed_body("floor").with(talus::make_half_space({0, 0, 1})));
  const talus::Index ball = world.add(talus::body().with(talus::make_sphere(0.1)).at({0, 0, 0.2}));
  talus::Simulation simulation(std::move(world));
  while (simulation.time() < 1) simulation.step();
  return std::abs(simulation.world().state(ball).pose.position.z - 0.1) < 1e-5 ? 0 : 1;
}
