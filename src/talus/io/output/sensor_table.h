#pragma once
// What the sensors of a scene measure, as a CSV file with a line for every step.

#include "talus/io/output/csv_table.h"
#include "talus/io/sensor.h"

namespace talus {

class SensorTable {
public:
  /// As StepTable; a table of other sensors is not gone on with but replaced.
  SensorTable(const std::string& path, const std::vector<SensorDescription>& sensors,
              std::optional<std::int64_t> keep_until);

  /// What the sensors say after a step, one number for each of their columns.
  void add(std::int64_t step, double time, std::span<const double> numbers);
  std::string take_lines() { return table_.take_lines(); }
  void append(const std::string& lines) { table_.append(lines); }
  void flush() { table_.flush(); }

private:
  CsvTable table_;
};

} // namespace talus
