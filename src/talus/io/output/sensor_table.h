#pragma once
// What the sensors of a scene measure, as a CSV file with a line for every step.

#include "talus/io/output/csv_table.h"
#include "talus/io/sensor.h"

namespace talus {

class SensorTable {
public:
  /// As StepTable; a table of other sensors is not gone on with but replaced.
  SensorTable(const std::string& path, const std::vector<SensorDescription>& sensors,
              const World& world, std::optional<std::int64_t> keep_until);

  /// What the sensors say after a step.
  void add(const Simulation& simulation);
  std::string take_lines() { return table_.take_lines(); }
  void append(const std::string& lines) { table_.append(lines); }
  void flush() { table_.flush(); }

private:
  std::vector<Sensor> sensors_;
  std::vector<double> numbers_;
  CsvTable table_;
};

} // namespace talus
