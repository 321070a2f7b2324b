#pragma once
// Values over time: points (t, value) in increasing t, linear between them, constant before the
// first and after the last. Motors, loads and drives can follow one:
//
//     const TimeTable<double> speed = {{0, 0}, {0.5, 10}, {2, 10}};
//     world.add(revolute().between(frame, wheel).at(p).along(z)
//                   .driven({.target_at = following(speed)}));

#include "talus/core/vec3.h"

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace talus {

template <class Value>
using TimeTable = std::vector<std::pair<double, Value>>;

/// The value at a time; a table without points has none, 0. O(log n).
double value_at(const TimeTable<double>& table, double time);
Vec3 value_at(const TimeTable<Vec3>& table, double time);

/// Throws InvalidArgument, with `what` before its message, unless the table has points, finite
/// ones, in increasing time.
void check_table(const TimeTable<double>& table, std::string_view what);
void check_table(const TimeTable<Vec3>& table, std::string_view what);

/// The table as a function of time. Throws as check_table() does.
std::function<double(double time)> following(TimeTable<double> table);

} // namespace talus
