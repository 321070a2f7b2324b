#pragma once
// Takes the number of a scene's finding while the scene runs.

#include "talus/io/scene.h"
#include "talus/io/sensor.h"

namespace talus {

class FindingMeter {
public:
  /// The scene must have a finding.
  FindingMeter(const Scene& scene, const World& world);

  /// After every step.
  void add(const Simulation& simulation);
  /// NaN before the first step that counts.
  double value() const;
  /// Whether the number lies in the expected range.
  bool as_expected() const;

private:
  Finding finding_;
  Sensor sensor_;
  std::size_t position_ = 0; ///< Of the column in the numbers of its sensor.
  std::vector<double> numbers_;
  long count_ = 0;
  double first_ = 0, last_ = 0, least_ = 0, most_ = 0, sum_ = 0;
};

} // namespace talus
