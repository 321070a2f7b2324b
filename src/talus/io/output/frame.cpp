#include "talus/io/output/frame.h"

namespace talus {

std::vector<JointReading> joint_readings(const Simulation& simulation) {
  const World& world = simulation.world();
  const std::vector<Wrench> forces = joint_forces(simulation);
  const std::vector<double> positions = joint_positions(simulation);
  const std::vector<double> velocities = joint_velocities(simulation);
  const std::vector<double> efforts = motor_efforts(simulation);
  std::vector<JointReading> readings;
  readings.reserve(forces.size());
  for (std::size_t j = 0; j < forces.size(); ++j) {
    const auto [a, b] = joint_frames(world, world.joints()[j]);
    readings.push_back(
        {.force = forces[j],
         .world_force = {rotate(a.rotation, forces[j].force), rotate(a.rotation, forces[j].torque)},
         .point = b.position,
         .position = positions[j],
         .velocity = velocities[j],
         .motor_effort = efforts[j]});
  }
  return readings;
}

FrameView frame_of(const Simulation& simulation) {
  return {simulation.steps(),
          simulation.time(),
          simulation.options().step,
          simulation.world().states(),
          simulation.contacts(),
          simulation.contact_impulses(),
          simulation.world().removed_bodies(),
          contact_forces(simulation),
          joint_readings(simulation)};
}

} // namespace talus
