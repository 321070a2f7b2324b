// Last stage of a step: the states at its end and the report (engine.h).

#include "talus/core/parallel.h"
#include "talus/step/assembly/elastic_joints.h"
#include "talus/step/assembly/free_motion.h"
#include "talus/step/engine.h"
#include "talus/step/envelope.h"
#include "talus/step/laws/elastic_contacts.h"
#include "talus/step/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

void Simulation::Engine::take_velocities() {
  velocity.resize(result.v.size());
  for (Index i = 0; i < world.size(); ++i)
    std::copy_n(&result.v[6 * static_cast<std::size_t>(order.rank(i))], 6,
                &velocity[6 * static_cast<std::size_t>(i)]);
}

BodyState Simulation::Engine::next_state(Index body) const {
  const std::size_t first = 6 * static_cast<std::size_t>(body);
  BodyState state = state_after(world, body, velocity.data() + first, options.step);
  if (!pose_velocity.empty())
    state.pose = state_after(world, body, pose_velocity.data() + first, options.step).pose;
  return state;
}

/// Next states are made here and once more by commit(), so that nobody has to store them. States
/// whose energies overflow are refused as well: nothing true could be reported of them.
void Simulation::Engine::require_finite_next_states() const {
  const auto size_of = [&](Index body) {
    const BodyState state = next_state(body);
    const bool finite =
        is_finite(state.pose) && is_finite(state.velocity) && is_finite(state.angular_velocity);
    return finite ? size_of_measures(world, body, state) : std::numeric_limits<double>::infinity();
  };
  const double elastic = elastic_energy(problem, result.x);
  const double sum = parallel_sum<double>(world.size(), [&](Index begin, Index end) {
    double part = 0;
    for (Index i = begin; i < end; ++i) part += size_of(i);
    return part;
  });
  if (std::isfinite(sum) && std::isfinite(elastic)) return;
  Index first = 0;
  while (first < world.size() && std::isfinite(size_of(first))) ++first;
  const std::string whose =
      first == world.size()
          ? std::string("the energy of all bodies together")
          : fmt::format("the state of body '{}' or its energy", world.bodies()[first].name);
  throw NonFiniteState(fmt::format("{} is not finite after step {} at time {} s; the last finite "
                                   "state is kept",
                                   whose, steps + 1, time + options.step));
}

void Simulation::Engine::commit(StepReport& now) {
  double cohesive = 0;
  if (!bonds_now.pull.empty())
    cohesive = cohesive_energy(bonds_now, contacts, std::get<RigidModel>(problem.model).contacts,
                               velocity, options.step);
  bonds.swap(bonds_now.list);
  const ConstSpan joint_errors =
      drift.after(world, pose_velocity.empty() ? velocity : pose_velocity, options.step, rows);
  now.outran_envelope = count_outrunning(velocity, radii, options.step, now.envelope);
  parallel_for(
      world.size(),
      [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) world.states()[i] = next_state(i);
      },
      512);
  for (std::size_t j = 0; j < coordinates.size(); ++j) {
    world.joint_coordinates()[j] = joint_coordinate(world, world.joints()[j], coordinates[j]);
  }
  now.max_joint_error = largest_joint_error(world, rows, joint_errors);
  step_to_remember = options.step;
  impulses_are_known = false;
  time += options.step;
  ++steps;
  now.step = steps;
  now.time = time;
  now.kinetic_energy = kinetic_energy(world);
  now.potential_energy = potential_energy(world);
  // The solve has left there what Hertz' law changes.
  now.elastic_energy += elastic_energy(problem, result.x) + spring_energy(world) + cohesive;
  now.momentum = momentum(world);
  now.angular_momentum = angular_momentum(world);
}

} // namespace talus
