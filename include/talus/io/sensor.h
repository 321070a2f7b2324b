#pragma once
// What the sensors of a scene measure after each step (docs/scene.md, Sensors; sensors.csv):
//
//     const Sensor push({.name = "push", .kind = SensorKind::contact_force, .body = "plate"},
//                       simulation.world());
//     std::vector<double> numbers;
//     simulation.step();
//     push.read(simulation, numbers);   // force_x, force_y, force_z, torque_x, ...
//
// Slip is 1 - v / (ω R), with the speed ω of a joint, the radius R, and the speed v of a point of
// a body along `forward`: 0 for a wheel that rolls, 1 for one that turns on the spot. Where the
// body is faster than the wheel it is (ω R) / v - 1, down to -1 for a locked wheel.
//
// A sensor only reads; it keeps no state, so that restarted runs measure the same.

#include "talus/io/world_description.h"
#include "talus/step/simulation.h"

#include <string>
#include <vector>

namespace talus {

/// "scale.force_x", ...: a name for each of its numbers.
std::vector<std::string> columns_of(const SensorDescription& sensor);
/// "N", "N m", ...: the unit of each. The world must have its joint.
std::vector<std::string> units_of(const SensorDescription& sensor, const World& world);

class Sensor {
public:
  /// Throws InvalidArgument that names the sensor where it asks for what the world does not have.
  Sensor(const SensorDescription& description, const World& world);

  const SensorDescription& description() const { return description_; }
  std::vector<std::string> columns() const { return columns_of(description_); }
  std::vector<std::string> units(const World& world) const { return units_of(description_, world); }
  /// Appends its numbers after a step.
  void read(const Simulation& simulation, std::vector<double>& numbers) const;

private:
  SensorDescription description_;
  Index joint_ = -1, body_ = ground, other_ = ground;
  std::vector<Index> group_, others_; ///< Of contact forces on groups.
};

} // namespace talus
