#include "talus/io/output/finding_meter.h"

#include "talus/core/error.h"

#include <algorithm>
#include <limits>

namespace talus {

namespace {

/// The sensor that has the column of the finding.
Sensor sensor_of(const Scene& scene, const World& world) {
  for (const SensorDescription& description : scene.description.sensors) {
    Sensor sensor(description, world);
    const auto columns = sensor.columns();
    if (std::find(columns.begin(), columns.end(), scene.finding->column) != columns.end())
      return sensor;
  }
  throw InvalidArgument("finding: no sensor has the column " + scene.finding->column);
}

} // namespace

FindingMeter::FindingMeter(const Scene& scene, const World& world)
    : finding_(scene.finding.value()), sensor_(sensor_of(scene, world)) {
  const auto columns = sensor_.columns();
  position_ = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), finding_.column) -
                                       columns.begin());
}

void FindingMeter::add(const Simulation& simulation) {
  // Times are sums of steps; half a step tells "at" from "after".
  const double slack = 0.5 * simulation.options().step;
  if (simulation.time() < finding_.after - slack || simulation.time() > finding_.before + slack)
    return;
  numbers_.clear();
  sensor_.read(simulation, numbers_);
  const double number = numbers_[position_];
  if (count_ == 0) first_ = least_ = most_ = number;
  least_ = std::min(least_, number);
  most_ = std::max(most_, number);
  last_ = number;
  sum_ += number;
  ++count_;
}

double FindingMeter::value() const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  switch (finding_.value) {
  case Finding::Value::last:
    return last_;
  case Finding::Value::largest:
    return most_;
  case Finding::Value::smallest:
    return least_;
  case Finding::Value::mean:
    return sum_ / static_cast<double>(count_);
  case Finding::Value::change:
    return last_ - first_;
  case Finding::Value::span:
    return most_ - least_;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

bool FindingMeter::as_expected() const {
  const double number = value();
  return number >= finding_.least && number <= finding_.most;
}

} // namespace talus
