#include "viewed_table.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace talus::cli {
namespace {

double number_in(const std::vector<std::string>& fields, int column) {
  double value = std::numeric_limits<double>::quiet_NaN();
  if (column < 0 || static_cast<std::size_t>(column) >= fields.size()) return value;
  const std::string& text = fields[static_cast<std::size_t>(column)];
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

} // namespace

std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

ViewedTable::ViewedTable(std::string path, std::vector<std::string> wanted)
    : path_(std::move(path)), names_(std::move(wanted)), columns_(names_.size()) {}

void ViewedTable::read_header(const std::vector<std::string>& fields) {
  if (names_.empty()) {
    for (const std::string& field : fields)
      if (field != "step" && field != "time") names_.push_back(field);
    columns_.resize(names_.size());
  }
  for (const std::string& name : names_) {
    const auto found = std::find(fields.begin(), fields.end(), name);
    places_.push_back(found == fields.end() ? -1 : static_cast<int>(found - fields.begin()));
  }
  has_header_ = true;
}

void ViewedTable::refresh() {
  std::ifstream file(path_, std::ios::binary);
  if (!file) return;
  file.seekg(position_);
  for (std::string line; std::getline(file, line) && !file.eof();) {
    position_ = file.tellg();
    const std::vector<std::string> fields = csv_cells(line);
    if (!has_header_) {
      read_header(fields);
      continue;
    }
    for (std::size_t i = 0; i < names_.size(); ++i)
      columns_[i].push_back(number_in(fields, places_[i]));
    ++rows_;
  }
}

} // namespace talus::cli
