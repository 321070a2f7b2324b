// The section `finding` of scene files.

#include "talus/core/nearest_name.h"
#include "talus/io/scene/scene_bodies.h"
#include "talus/io/sensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace talus {

namespace {

constexpr std::pair<std::string_view, Finding::Value> value_names[] = {
    {"last", Finding::Value::last},         {"largest", Finding::Value::largest},
    {"smallest", Finding::Value::smallest}, {"mean", Finding::Value::mean},
    {"change", Finding::Value::change},     {"span", Finding::Value::span}};

Finding::Value read_value(const SceneFields& f) {
  const std::string name = f.text("value", "last");
  std::vector<std::string_view> names;
  for (const auto& [word, value] : value_names) {
    if (word == name) return value;
    names.push_back(word);
  }
  fail_at(f.need("value").place,
          fmt::format("{}: unknown value {}", f.what(), unknown_name(name, names, "allowed")));
}

std::string read_column(const SceneFields& f, const WorldDraft& draft) {
  const std::string& name = f.text("sensor");
  std::vector<std::string> columns;
  for (const SensorDescription& sensor : draft.description.sensors)
    for (std::string& column : columns_of(sensor)) columns.push_back(std::move(column));
  if (std::find(columns.begin(), columns.end(), name) == columns.end())
    fail_at(f.need("sensor").place, fmt::format("{}: there is no column {} of a sensor", f.what(),
                                                unknown_name(name, columns)));
  return name;
}

} // namespace

Finding read_finding(const SceneValue& section, const WorldDraft& draft) {
  const SceneFields f(section, "finding", {"says", "sensor", "value", "after", "before", "expect"});
  Finding finding;
  finding.says = f.text("says");
  finding.column = read_column(f, draft);
  finding.value = read_value(f);
  finding.after = f.number("after", 0.0, not_negative);
  finding.before = f.number("before", finding.before, {finding.after, true});
  const SceneValue& range = f.need("expect");
  const auto& bounds = to_list(range, f.label("expect"));
  if (bounds.size() != 2) fail_at(range.place, "finding: expect has two entries [least, most]");
  finding.least = to_number(bounds[0], f.label("expect"));
  finding.most = to_number(bounds[1], f.label("expect"), {finding.least, false});
  return finding;
}

} // namespace talus
