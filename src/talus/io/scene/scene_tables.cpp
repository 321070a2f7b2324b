// Time tables in scene files.

#include "talus/io/scene/scene_shapes.h"

#include <fmt/format.h>

namespace talus {

namespace {

template <class Value, class Read>
TimeTable<Value> read_table(const SceneValue& value, std::string_view what, Read&& read) {
  TimeTable<Value> table;
  for (const SceneValue& point : to_list(value, what)) {
    const auto& pair = to_list(point, what);
    if (pair.size() != 2)
      fail_at(point.place, fmt::format("{}: a point of a time table is [time, value]", what));
    table.emplace_back(to_number(pair[0], what), read(pair[1]));
  }
  with_location(value.place, what, [&] { check_table(table, what); });
  return table;
}

bool holds_lists(const SceneValue& value) {
  return value.kind == SceneValue::Kind::list && !value.items.empty() &&
         value.items.front().kind == SceneValue::Kind::list;
}

} // namespace

TimeTable<double> to_table(const SceneValue& value, std::string_view what, double unit) {
  return read_table<double>(value, what,
                            [&](const SceneValue& v) { return unit * to_number(v, what); });
}

TimeTable<Vec3> to_vector_table(const SceneValue& value, std::string_view what) {
  return read_table<Vec3>(value, what, [&](const SceneValue& v) { return to_vector(v, what); });
}

void read_number_or_table(const SceneFields& fields, std::string_view key, double unit,
                          double& number, TimeTable<double>& table) {
  const SceneValue& value = fields.need(key);
  if (value.kind != SceneValue::Kind::list) {
    number = unit * fields.number(key);
    return;
  }
  number = 0;
  table = to_table(value, fields.label(key), unit);
}

void read_vector_or_table(const SceneFields& fields, std::string_view key, Vec3& vector,
                          TimeTable<Vec3>& table) {
  const SceneValue* value = fields.find(key);
  if (!value) return;
  if (holds_lists(*value))
    table = to_vector_table(*value, fields.label(key));
  else
    vector = fields.vector(key);
}

} // namespace talus
