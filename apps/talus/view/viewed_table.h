#pragma once
// A CSV file with a line for every step, read as it grows: whole lines only, since the last one
// may be half written.

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace talus::cli {

class ViewedTable {
public:
  /// The columns of these names; all but `step` and `time` if there are none.
  ViewedTable(std::string path, std::vector<std::string> wanted);

  /// Reads what has been added since the last time.
  void refresh();
  /// Whether a header has been read.
  bool exists() const { return has_header_; }
  std::size_t rows() const { return rows_; }
  const std::vector<std::string>& names() const { return names_; }
  /// NaN where the file lacks a column or a number.
  const std::vector<std::vector<double>>& columns() const { return columns_; }

private:
  void read_header(const std::vector<std::string>& fields);

  std::string path_;
  std::vector<std::string> names_;
  bool has_header_ = false;
  std::vector<int> places_; ///< Where the file has each column; -1 if it does not.
  std::vector<std::vector<double>> columns_;
  std::size_t rows_ = 0;
  std::streamoff position_ = 0;
};

/// Cells of a line; those in quotes may hold commas (RFC 4180).
std::vector<std::string> csv_cells(const std::string& line);

} // namespace talus::cli
