#include "talus/io/output/sensor_table.h"

#include <fmt/format.h>

namespace talus {

namespace {

/// In quotes where commas or quotes would be taken for something else (RFC 4180).
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string header_of(const std::vector<SensorDescription>& sensors) {
  std::string header = "step,time";
  for (const SensorDescription& sensor : sensors)
    for (const std::string& column : columns_of(sensor)) header += ',' + cell(column);
  return header + '\n';
}

} // namespace

SensorTable::SensorTable(const std::string& path, const std::vector<SensorDescription>& sensors,
                         std::optional<std::int64_t> keep_until)
    : table_(path, header_of(sensors), keep_until) {}

void SensorTable::add(std::int64_t step, double time, std::span<const double> numbers) {
  std::string line = fmt::format("{},{}", step, time);
  for (const double number : numbers) fmt::format_to(std::back_inserter(line), ",{}", number);
  table_.add(line + '\n');
}

} // namespace talus
