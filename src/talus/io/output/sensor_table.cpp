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

std::string header_of(const std::vector<Sensor>& sensors) {
  std::string header = "step,time";
  for (const Sensor& sensor : sensors)
    for (const std::string& column : sensor.columns()) header += ',' + cell(column);
  return header + '\n';
}

std::vector<Sensor> made(const std::vector<SensorDescription>& descriptions, const World& world) {
  std::vector<Sensor> sensors;
  for (const SensorDescription& each : descriptions) sensors.emplace_back(each, world);
  return sensors;
}

} // namespace

SensorTable::SensorTable(const std::string& path, const std::vector<SensorDescription>& sensors,
                         const World& world, std::optional<std::int64_t> keep_until)
    : sensors_(made(sensors, world)), table_(path, header_of(sensors_), keep_until) {}

void SensorTable::add(const Simulation& simulation) {
  numbers_.clear();
  for (const Sensor& sensor : sensors_) sensor.read(simulation, numbers_);
  std::string line = fmt::format("{},{}", simulation.steps(), simulation.time());
  for (const double number : numbers_) fmt::format_to(std::back_inserter(line), ",{}", number);
  table_.add(line + '\n');
}

} // namespace talus
