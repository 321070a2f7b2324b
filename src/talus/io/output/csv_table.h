#pragma once
// A CSV file with a line for every step, which begins with the step's number.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace talus {

class CsvTable {
public:
  /// A new table, or the lines of steps up to `keep_until` of the one at `path` if that has the
  /// same header. Throws FileError.
  CsvTable(const std::string& path, std::string header, std::optional<std::int64_t> keep_until);
  ~CsvTable();
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  /// Lines gather in memory until somebody takes them.
  void add(const std::string& line) { waiting_ += line; }
  std::string take_lines() { return std::exchange(waiting_, {}); }
  /// Lines that were taken, to be written: flush() hands them over whole. After a flush() that
  /// threw, the next goes on where it stopped. May be called by another thread than the two above.
  void append(const std::string& lines) { unwritten_ += lines; }
  void flush();

private:
  std::string path_, waiting_, unwritten_;
  int file_ = -1;
};

} // namespace talus
