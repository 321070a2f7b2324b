#pragma once
// Aligned tables for people. Widths count characters, not bytes.

#include <string>
#include <utility>
#include <vector>

namespace talus::cli {

struct Column {
  std::string title;
  bool right = true;     ///< Numbers to the right, words to the left.
  std::size_t width = 0; ///< At least this wide; grows with the content.
};

class Table {
public:
  explicit Table(std::vector<Column> columns);

  void add(std::vector<std::string> cells);

  /// For tables printed while they grow: the header, and one line of cells, at the widths known so
  /// far.
  std::string header() const;
  std::string line(const std::vector<std::string>& cells) const;

  /// Header and all added lines.
  std::string text() const;

private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> lines_;
};

/// Numbers in a table: 1.2e-09, 0.00123, 12.3; a dash when not finite.
std::string short_number(double value);
/// 1.2 µs, 3.4 ms, 5.6 s.
std::string short_seconds(double seconds);

/// "2 s (solve 1.5 s, files 0.3 s, other 0.2 s)": the largest part first; parts below a hundredth
/// of the total and what no part names are "other".
std::string shares_of_time(double total, std::vector<std::pair<double, std::string>> parts);

/// 1e-4, 2.5e-6: the same form for every tolerance.
std::string short_tolerance(double tolerance);

/// Characters in UTF-8 text.
std::size_t display_width(const std::string& text);

} // namespace talus::cli
