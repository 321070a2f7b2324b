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

/// Goes on until many steps in a row take few iterations, or for so many steps; step() says how
/// many it took.
template <class Step>
void until_calm(int most_steps, Step&& step) {
  constexpr int calm_steps = 20, few_iterations = 3;
  for (int k = 0, calm = 0; k < most_steps && calm < calm_steps; ++k)
    calm = step() <= few_iterations ? calm + 1 : 0;
}

/// In better steps with drag, whose iterations add up from step to step.
inline void find_impulses(Simulation& simulation, int most_steps) {
  set_effort(simulation, 1e-3, 100);
  until_calm(most_steps, [&] { return step_with_drag(simulation); });
}

/// In good steps without drag, which holds up what is about to roll into its place.
inline void calm_down(Simulation& simulation, double tolerance, int most_steps) {
  set_effort(simulation, tolerance, 100);
  until_calm(most_steps, [&] { return simulation.step().iterations; });
}

/// All of it, for steps to errors that are not much smaller than 1e-6.
inline void settle(Simulation& simulation, int most_steps) {
  come_to_rest(simulation, most_steps);
  find_impulses(simulation, most_steps);
  calm_down(simulation, 1e-6, most_steps);
}

} // namespace talus::bench
