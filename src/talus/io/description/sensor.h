#pragma once
// What a sensor of a description measures in a simulation.

#include "talus/io/world_description.h"
#include "talus/step/simulation.h"

#include <string>
#include <vector>

namespace talus {

class Sensor {
public:
  /// Throws InvalidArgument that names the sensor where it asks for what the world does not have.
  Sensor(const SensorDescription& description, const World& world);

  /// "scale.force_x", ...: a name for each of its numbers.
  std::vector<std::string> columns() const;
  /// Appends its numbers after a step.
  void read(const Simulation& simulation, std::vector<double>& numbers) const;

private:
  SensorDescription description_;
  Index joint_ = -1, body_ = ground, other_ = ground;
};

} // namespace talus
