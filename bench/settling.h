#pragma once
// Piles come to rest, and the impulses that hold them become known: a simulation at rest begins
// every solve with them.

#include "talus/step/simulation.h"

#include <cmath>

namespace talus::bench {

/// Root mean square of all bodies.
inline double speed(const World& world) {
  double squares = 0;
  for (const BodyState& state : world.states()) squares += dot(state.velocity, state.velocity);
  return std::sqrt(squares / static_cast<double>(world.states().size()));
}

/// A drag under which piles come to rest though their steps are not solved well.
inline void slow_down(World& world) {
  constexpr double share = 0.7;
  for (BodyState& state : world.states()) {
    state.velocity = share * state.velocity;
    state.angular_velocity = share * state.angular_velocity;
  }
}

/// Leaves the simulation with steps of this tolerance and so many iterations.
inline void set_effort(Simulation& simulation, double tolerance, long iterations) {
  StepOptions options = simulation.options();
  options.tolerance = tolerance;
  options.max_iterations = iterations;
  simulation.set_options(std::move(options));
}

/// Loose layers come together: drag would hold them up.
inline void fall(Simulation& simulation, int layers) {
  set_effort(simulation, 1e-2, 50);
  for (int k = 0; k < 4 * layers; ++k) simulation.step();
}

/// With drag, first in rough steps until the bodies move by little against what gravity adds in a
/// step, then in better ones, whose iterations add up from step to step, until these take few.
/// Each at most so many steps. A few without drag end it.
inline void settle(Simulation& simulation, int most_steps) {
  constexpr int free_steps = 40, calm_steps = 20, few_iterations = 3;
  const double at_rest = 0.025 * 9.81 * simulation.options().step;
  const auto step_with_drag = [&] {
    slow_down(simulation.world());
    return simulation.step().iterations;
  };
  set_effort(simulation, 1e-2, 50);
  for (int k = 0; k < most_steps && speed(simulation.world()) > at_rest; ++k) step_with_drag();
  set_effort(simulation, 1e-3, 100);
  for (int k = 0, calm = 0; k < most_steps && calm < calm_steps; ++k)
    calm = step_with_drag() <= few_iterations ? calm + 1 : 0;
  for (int k = 0; k < free_steps; ++k) simulation.step();
}

} // namespace talus::bench
