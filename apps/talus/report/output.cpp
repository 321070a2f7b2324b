#include "output.h"

#include "talus/core/files/atomic_file.h"

#include <algorithm>

namespace talus::cli {

void require_writable(const std::string& path) {
  const AtomicFile probe(path);
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string with_csv_column(std::string_view csv, std::string_view title, std::string_view value) {
  std::string result;
  const std::string field = csv_field(value);
  bool header = true;
  while (!csv.empty()) {
    const std::size_t end = std::min(csv.find('\n'), csv.size());
    result.append(csv.substr(0, end)).append(",").append(header ? title : field).append("\n");
    csv.remove_prefix(std::min(end + 1, csv.size()));
    header = false;
  }
  return result;
}

std::string_view without_header(std::string_view csv) {
  const std::size_t end = csv.find('\n');
  return end == std::string_view::npos ? std::string_view() : csv.substr(end + 1);
}

} // namespace talus::cli
