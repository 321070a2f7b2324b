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

/// Its iterations.
inline long step_with_drag(Simulation& simulation) {
  slow_down(simulation.world());
  return simulation.step().iterations;
}

/// In rough steps with drag until the bodies move by little against what gravity adds in a step, or
/// for so many steps.
inline void come_to_rest(Simulation& simulation, int most_steps) {
  const double at_rest = 0.025 * 9.81 * simulation.options().step;
  set_effort(simulation, 1e-2, 50);
  for (int k = 0; k < most_steps && speed(simulation.world()) > at_rest; ++k)
    step_with_drag(simulation);
}

/// In better steps with drag, whose iterations add up from step to step, until many of them in a
/// row take few, or for so many steps.
inline void find_impulses(Simulation& simulation, int most_steps) {
  constexpr int calm_steps = 20, few_iterations = 3;
  set_effort(simulation, 1e-3, 100);
  for (int k = 0, calm = 0; k < most_steps && calm < calm_steps; ++k)
    calm = step_with_drag(simulation) <= few_iterations ? calm + 1 : 0;
}

/// Both, and a few steps without drag.
inline void settle(Simulation& simulation, int most_steps) {
  constexpr int free_steps = 40;
  come_to_rest(simulation, most_steps);
  find_impulses(simulation, most_steps);
  for (int k = 0; k < free_steps; ++k) simulation.step();
}

} // namespace talus::bench
