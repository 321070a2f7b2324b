#pragma once
// The reports of all steps as a CSV file, one line each.

#include "talus/step/step_report.h"

#include <optional>
#include <string>

namespace talus {

class StepTable {
public:
  /// A new table, or the lines of steps up to `keep_until` of the one at `path`. Throws FileError.
  StepTable(const std::string& path, std::optional<std::int64_t> keep_until);
  ~StepTable();
  StepTable(const StepTable&) = delete;
  StepTable& operator=(const StepTable&) = delete;

  /// Lines gather in memory until flush(), which hands them over whole. After a flush() that threw,
  /// the next goes on where it stopped.
  void add(const StepReport& report);
  void flush();

private:
  std::string path_, waiting_;
  int file_ = -1;
};

/// "step,time,contacts,...".
std::string step_table_header();

} // namespace talus
