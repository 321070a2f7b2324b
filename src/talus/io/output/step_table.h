#pragma once
// The reports of all steps as a CSV file, one line each.

#include "talus/io/output/csv_table.h"
#include "talus/step/forces.h"
#include "talus/step/step_report.h"

namespace talus {

/// "step,time,contacts,...".
std::string step_table_header();

class StepTable {
public:
  /// A new table, or the lines of steps up to `keep_until` of the one at `path`. Throws FileError.
  StepTable(const std::string& path, std::optional<std::int64_t> keep_until)
      : table_(path, step_table_header(), keep_until) {}

  /// Lines gather in memory until they are taken and written (csv_table.h).
  void add(const StepReport& report, const ForceSums& forces = {});
  std::string take_lines() { return table_.take_lines(); }
  void append(const std::string& lines) { table_.append(lines); }
  void flush() { table_.flush(); }

private:
  CsvTable table_;
};

} // namespace talus
