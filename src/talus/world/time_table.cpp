#include "talus/world/time_table.h"

#include "talus/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

bool is_finite(double value) {
  return std::isfinite(value);
}

template <class Value>
Value interpolated(const TimeTable<Value>& table, double time) {
  if (table.empty()) return {};
  const auto later = [](double t, const auto& point) { return t < point.first; };
  const auto next = std::upper_bound(table.begin(), table.end(), time, later);
  if (next == table.begin()) return table.front().second;
  const auto last = std::prev(next);
  if (next == table.end()) return last->second;
  const double share = (time - last->first) / (next->first - last->first);
  return last->second + share * (next->second - last->second);
}

template <class Value>
void check(const TimeTable<Value>& table, std::string_view what) {
  if (table.empty()) throw InvalidArgument(fmt::format("{}: the table has no points", what));
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& [time, value] = table[i];
    if (!std::isfinite(time) || !is_finite(value))
      throw InvalidArgument(fmt::format("{}: point {} of the table is not finite", what, i));
    if (i > 0 && !(time > table[i - 1].first))
      throw InvalidArgument(fmt::format("{}: time {} s of the table is not after {} s", what, time,
                                        table[i - 1].first));
  }
}

} // namespace

double value_at(const TimeTable<double>& table, double time) {
  return interpolated(table, time);
}
Vec3 value_at(const TimeTable<Vec3>& table, double time) {
  return interpolated(table, time);
}
void check_table(const TimeTable<double>& table, std::string_view what) {
  check(table, what);
}
void check_table(const TimeTable<Vec3>& table, std::string_view what) {
  check(table, what);
}

std::function<double(double)> following(TimeTable<double> table) {
  check_table(table, "time table");
  return [table = std::move(table)](double time) { return value_at(table, time); };
}

} // namespace talus
